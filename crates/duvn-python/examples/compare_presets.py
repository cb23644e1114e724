"""Compare presets over seeds, with intervals.

python crates/duvn-python/examples/compare_presets.py [picture.png] [folder]
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import duvn

EXPERIMENT: dict[str, Any] = {
    "name": "presets",
    "seeds": "100..106",
    "episodes": 200,
    "settings": {"hidden": [32, 32]},
    "environments": [{"id": "Chain-10"}],
    "agents": [{"preset": "egreedy"}, {"preset": "duvn"}, {"preset": "duvn-deep"}],
}


def interval(values: np.ndarray, draws: int = 2000) -> tuple[float, float, float]:
    """The mean, and a 95 % bootstrap interval of it."""
    random = np.random.default_rng(0)
    means = random.choice(values, (draws, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def main(picture: str = "compare_presets.png", folder: str | None = None) -> dict[str, float]:
    """Runs the sweep; gives the mean of each preset."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        result = duvn.sweep(EXPERIMENT, out=folder or place)
        print("the report of the same runs:", result.report())
        for agent in EXPERIMENT["agents"]:
            name = agent["preset"]
            runs = result.of(agent=name)
            values = np.array([run["mean_return_last_100"] for run in runs])
            mean, low, high = interval(values)
            found[name] = mean
            plt.errorbar([name], [mean], yerr=[[mean - low], [high - mean]], fmt="o", capsize=6)
            # Beside the mean, apart from each other where they are the same.
            beside = len(found) - 1 + np.linspace(0.1, 0.2, len(values))
            plt.plot(beside, values, ".", alpha=0.5, color="grey")
    plt.ylabel("mean return of the last 100 of 200 episodes")
    plt.title("Chain-10, six seeds: mean and 95 % interval")
    plt.savefig(picture, dpi=120)
    plt.close()
    return found


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
