"""The speed of duvn in Python, as ratios measured in one run: python benches/python.py [--seconds 2] [--json]

Every pair is measured by turns, several times, and the medians are compared. Rates are steps a second of this process's CPU
time, so that other work on the machine matters little; only two threads are timed by the clock, and need two idle cores.
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import duvn

TURNS = 5


def rate(work: Callable[[int], int], seconds: float) -> float:
    """Steps a CPU-second of work(n), which makes about n steps and tells how many."""
    work(100)
    count, steps, begun = 100, 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        steps += work(count)
        if spent < seconds / 20:
            count *= 2
    return steps / (time.process_time() - begun)


def ratio(ours: Callable[[int], int], theirs: Callable[[int], int], seconds: float) -> dict[str, float]:
    """How many times faster ours is, by turns."""
    pairs = [(rate(ours, seconds / TURNS), rate(theirs, seconds / TURNS)) for _ in range(TURNS)]
    a, b = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = [one / other for one, other in pairs]
    return {"ours": a, "theirs": b, "ratio": a / b, "least": min(ratios), "most": max(ratios)}


def single(id: str) -> Callable[[int], int]:
    """Steps one environment with actions drawn beforehand."""
    env = gymnasium.make(id)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(1024)]
    env.reset(seed=0)

    def work(count: int) -> int:
        for at in range(count):
            _, _, terminated, truncated, _ = env.step(actions[at & 1023])
            if terminated or truncated:
                env.reset()
        return count

    return work


def many(env: Any) -> Callable[[int], int]:
    """Steps a vector environment with actions drawn beforehand."""
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(256)]
    env.reset(seed=0)

    def work(count: int) -> int:
        turns = max(count // env.num_envs, 1)
        for at in range(turns):
            env.step(actions[at & 255])
        return turns * env.num_envs

    return work


def learning(agent: duvn.Agent) -> Callable[[int], int]:
    """Trains."""

    def work(count: int) -> int:
        agent.learn(min(count, 500))
        return min(count, 500)

    return work


def threads(steps: int) -> dict[str, float]:
    """Two agents in two threads against one in one, by the clock."""

    def train(seed: int) -> None:
        duvn.Agent("duvn", "duvn/CartPole-v1", seed=seed).learn(steps)

    def together(count: int) -> float:
        workers = [threading.Thread(target=train, args=(seed,)) for seed in range(count)]
        begun = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return count * steps / (time.perf_counter() - begun)

    train(0)
    pairs = [(together(2), together(1)) for _ in range(TURNS)]
    a, b = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = [one / other for one, other in pairs]
    return {"ours": a, "theirs": b, "ratio": a / b, "least": min(ratios), "most": max(ratios)}


def main() -> None:
    """Measures and prints."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=2.0, help="for each side of each pair")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    seconds, found = given.seconds, {}
    for name in ("CartPole-v1", "MountainCar-v0", "Acrobot-v1", "FrozenLake-v1", "Taxi-v4"):
        found[f"make {name}, duvn / Gymnasium"] = ratio(single(f"duvn/{name}"), single(name), seconds)
    numpy_vector = gymnasium.make_vec("CartPole-v1", num_envs=32, vectorization_mode="vector_entry_point")
    sync = gymnasium.make_vec("CartPole-v1", num_envs=32, vectorization_mode="sync")
    ours = gymnasium.make_vec("duvn/CartPole-v1", num_envs=32)
    found["32 CartPoles, duvn / Gymnasium's NumPy vector"] = ratio(many(ours), many(numpy_vector), seconds)
    found["32 CartPoles, duvn / Gymnasium's sync vector"] = ratio(many(ours), many(sync), seconds)
    python = duvn.Agent("duvn", gymnasium.make("CartPole-v1"), seed=0)
    native = duvn.Agent("duvn", "duvn/CartPole-v1", seed=0)
    found["learning, Gymnasium's CartPole / native"] = ratio(learning(python), learning(native), seconds)
    found["two threads / one"] = threads(int(6000 * seconds))
    if given.json:
        print(json.dumps(found))
        return
    for name, row in found.items():
        print(
            f"{name:48} {row['ours']:12,.0f} / {row['theirs']:12,.0f} steps/s = {row['ratio']:6.2f}"
            f"  ({row['least']:.2f} to {row['most']:.2f})"
        )
    assert np.isfinite([row["ratio"] for row in found.values()]).all()


if __name__ == "__main__":
    main()
