"""See both uncertainties while an agent learns: about the return, and about the parameters.

python crates/duvn-python/examples/uncertainties.py [picture.png]
"""

from __future__ import annotations

import sys

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import duvn


def main(picture: str = "uncertainties.png") -> float:
    """Draws beliefs at three moments; gives the mean return uncertainty at the end."""
    env = gymnasium.make("duvn/Chain-10")
    agent = duvn.Agent("duvn-draw", env, seed=0, hidden=[64, 64])
    states = np.arange(10)
    moments = (0, 80, 300)
    figure, axes = plt.subplots(2, len(moments), sharex=True, sharey="row", figsize=(10, 5))
    sigma = 0.0
    for column, episodes in enumerate(moments):
        agent.learn(total_episodes=episodes - len(agent.episode_returns)) if episodes else None
        beliefs = agent.beliefs(states, draws=50)
        sigma = float(beliefs.sigma.mean())
        for action in (0, 1):
            mean, band = beliefs.mean[:, action], beliefs.sigma[:, action]
            axes[0, column].plot(states, mean, label=f"action {action}")
            axes[0, column].fill_between(states, mean - band, mean + band, alpha=0.2)
            axes[1, column].plot(states, beliefs.spread[:, action])
        axes[0, column].set_title(f"after {episodes} episodes")
        axes[1, column].set_xlabel("state")
    axes[0, 0].set_ylabel("mean return ± sigma")
    axes[1, 0].set_ylabel("spread over parameters")
    axes[0, 0].legend()
    figure.suptitle("What duvn-draw believes on Chain-10")
    figure.savefig(picture, dpi=120)
    plt.close(figure)
    return sigma


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
