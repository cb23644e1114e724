"""Environments against Gymnasium's, in turns on the same core: steps a CPU-second with random actions, resets included.

python benches/environments.py [--turns 7] [--duvn target/release/duvn]

Needs gymnasium[box2d]. Ours are measured by `duvn bench --only env-NAME`, which draws random actions and resets too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time

import gymnasium

TASKS = ["CartPole-v1", "MountainCar-v0", "FrozenLake-v1", "Taxi-v4", "Acrobot-v1", "LunarLander-v3"]


def theirs(task: str, seconds: float = 0.3) -> float:
    """Steps a CPU-second of Gymnasium's own environment."""
    env = gymnasium.make(task)
    env.action_space.seed(0)
    env.reset(seed=0)
    steps = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        for _ in range(100):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()
        steps += 100
    rate = steps / (time.process_time() - start)
    env.close()
    return rate


def ours(program: str, task: str) -> float:
    """Steps a CPU-second of duvn's environment."""
    command = [program, "bench", "--json", "--quick", "--only", f"env-{task}"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rate"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--duvn", default="target/release/duvn")
    parser.add_argument("--tasks", nargs="+", default=TASKS)
    arguments = parser.parse_args()
    print("| environment | ours, steps/s | Gymnasium, steps/s | median of the ratios (least to most) |")
    print("| --- | --- | --- | --- |")
    for task in arguments.tasks:
        try:
            gymnasium.make(task).close()
        except gymnasium.error.Error as error:
            print(f"| {task} | not measured: {error} | | |")
            continue
        pairs = [(ours(arguments.duvn, task), theirs(task)) for _ in range(arguments.turns)]
        ratios = sorted(our / their for our, their in pairs)
        our, their = (statistics.median(column) for column in zip(*pairs))
        spread = f"{statistics.median(ratios):.0f} ({ratios[0]:.0f} to {ratios[-1]:.0f})"
        print(f"| {task} | {our:,.0f} | {their:,.0f} | {spread} |", flush=True)


if __name__ == "__main__":
    main()
