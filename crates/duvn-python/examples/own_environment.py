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


class Hills(gymnasium.Env[np.ndarray, int]):
    """A walk on a line: a small reward near the start, a large one far away."""

    def __init__(self, length: int = 30) -> None:
        self.length = length
        self.observation_space = gymnasium.spaces.Discrete(length + 1)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.at, self.steps = 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at, self.steps = 1, 0
        return self.at, {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at += 1 if action == 1 else -1
        self.steps += 1
        reward = 1.0 if self.at == self.length else 0.01 if self.at == 0 else 0.0
        return self.at, reward, self.at in (0, self.length), self.steps >= 200, {}


def main(picture: str = "own_environment.png") -> float:
    """Trains two agents; gives the mean of the last returns of the one that explores by its uncertainty."""
    last = 0.0
    for preset in ("egreedy", "duvn-deep"):
        agent = duvn.Agent(preset, Hills(), seed=0, hidden=[32, 32])
        agent.learn(total_episodes=250)
        returns = np.array(agent.episode_returns)
        smooth = np.convolve(returns, np.ones(20) / 20, mode="valid")
        plt.plot(np.arange(len(smooth)) + 20, smooth, label=preset)
        last = float(returns[-20:].mean())
    plt.xlabel("episode")
    plt.ylabel("return, mean of 20 episodes")
    plt.title("A small reward to the left, a large one far to the right")
    plt.legend()
    plt.savefig(picture, dpi=120)
    plt.close()
    return last


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
