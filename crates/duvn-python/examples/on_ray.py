"""A sweep on Ray: one task a run. ray.init(address="auto") before it uses a cluster.

python crates/duvn-python/examples/on_ray.py [picture.png]
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import matplotlib.pyplot as plt
import ray

import duvn
import duvn.ray

EXPERIMENT: dict[str, Any] = {
    "name": "lengths",
    "seeds": "100..103",
    "episodes": 300,
    "settings": {"hidden": [32, 32]},
    "environments": [{"id": f"Chain-{length}"} for length in (5, 10, 20)],
    "agents": [{"preset": "duvn-deep"}],
}


def main(picture: str = "on_ray.png") -> int:
    """Runs the sweep; gives how many runs found the reward."""
    if not ray.is_initialized():
        ray.init(num_cpus=2, include_dashboard=False)
    with tempfile.TemporaryDirectory() as place:
        result = duvn.ray.sweep(EXPERIMENT, out=place)
    found = [run for run in result.runs if run["first_reward_episode"] is not None]
    lengths = [int(run["env"].split("-")[1]) for run in found]
    plt.plot(lengths, [run["first_reward_episode"] for run in found], "o", alpha=0.6)
    plt.xticks([5, 10, 20])
    plt.xlabel("length of the Chain")
    plt.ylabel("episode of the first reward")
    plt.title("duvn-deep, three seeds each, on Ray")
    plt.savefig(picture, dpi=120)
    plt.close()
    return len(found)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
