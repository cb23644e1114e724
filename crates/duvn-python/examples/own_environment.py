"""Train on an environment of your own, and see it learn.

python crates/duvn-python/examples/own_environment.py [picture.png]
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import duvn


class Rope(gymnasium.Env[np.int64, np.int64]):
    """A walk over a rope: in every place one of two steps is right, the other one falls. Reward 1 at its end."""

    def __init__(self, length: int = 20) -> None:
        self.right = np.random.default_rng(1).integers(2, size=length)
        self.observation_space = gymnasium.spaces.Discrete(length + 1)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.at = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0
        return np.int64(self.at), {}

    def step(self, action: np.int64) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        fallen = bool(action != self.right[self.at])
        self.at += not fallen
        over = self.at == len(self.right)
        return np.int64(self.at), float(over), fallen or over, False, {}


def main(picture: str = "own_environment.png") -> float:
    """Trains two agents; gives the mean of the last returns of the one that explores by its uncertainty."""
    last = 0.0
    for preset in ("egreedy", "duvn-deep"):
        agent = duvn.Agent(preset, Rope(), seed=0, hidden=[32, 32])
        agent.learn(total_episodes=500)
        returns = np.array(agent.episode_returns)
        smooth = np.convolve(returns, np.ones(20) / 20, mode="valid")
        plt.plot(np.arange(len(smooth)) + 20, smooth, label=preset)
        last = float(returns[-20:].mean())
    plt.xlabel("episode")
    plt.ylabel("return, mean of 20 episodes")
    plt.title("Twenty right steps in a row before the first reward")
    plt.legend()
    plt.savefig(picture, dpi=120)
    plt.close()
    return last


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
