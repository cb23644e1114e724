"""stable-baselines3's DQN with rl-zoo's settings, beside `dqn` and `duvn-deep`: steps and CPU time until a task is solved.

python benches/sb3_dqn.py run --agent sb3 --seeds 100 101 102 [--tasks CartPole-v1] [--out docs/results/sb3-dqn-runs.csv]
python benches/sb3_dqn.py run --agent dqn duvn-deep --seeds 100 101 102
python benches/sb3_dqn.py table

All agents run on one thread: stable-baselines3 on Gymnasium's environments, presets of ours by the command line (cargo build
--release) on our environments, which give the same numbers.
A task is solved once the mean of the last 100 training returns is at its threshold; a run ends then. Every finished run is
one line of the file; runs that it has already are left out, so that the script can be stopped and started again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

FIELDS = ["task", "agent", "seed", "budget", "steps", "episodes", "solved_step", "mean_return_last_100", "cpu_seconds"]
# The threshold, and the steps within which it is to be reached.
TASKS = {
    "CartPole-v1": (475.0, 100_000),
    "Acrobot-v1": (-100.0, 100_000),
    "MountainCar-v0": (-110.0, 150_000),
    "LunarLander-v3": (200.0, 100_000),
}
# rl-zoo's settings. `anneal`: the steps in which epsilon falls (the zoo's share of the zoo's own number of steps).
LANDER = {
    "learning_rate": 6.3e-4,
    "batch_size": 128,
    "buffer_size": 50_000,
    "learning_starts": 0,
    "gamma": 0.99,
    "target_update_interval": 250,
    "train_freq": 4,
    "gradient_steps": -1,
    "anneal": 12_000,
    "exploration_final_eps": 0.1,
}
ZOO: dict[str, dict[str, Any]] = {
    "CartPole-v1": {
        "learning_rate": 2.3e-3,
        "batch_size": 64,
        "buffer_size": 100_000,
        "learning_starts": 1000,
        "gamma": 0.99,
        "target_update_interval": 10,
        "train_freq": 256,
        "gradient_steps": 128,
        "anneal": 8_000,
        "exploration_final_eps": 0.04,
    },
    "Acrobot-v1": LANDER,
    "MountainCar-v0": {
        "learning_rate": 4e-3,
        "batch_size": 128,
        "buffer_size": 10_000,
        "learning_starts": 1000,
        "gamma": 0.98,
        "target_update_interval": 600,
        "train_freq": 16,
        "gradient_steps": 8,
        "anneal": 24_000,
        "exploration_final_eps": 0.07,
    },
    "LunarLander-v3": LANDER,
}


class Tally:
    """Training returns: the last 100, and when their mean reached the threshold."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.last: deque[float] = deque(maxlen=100)
        self.episodes = 0

    def add(self, earned: float) -> bool:
        """Takes an episode's return; tells whether the task is solved."""
        self.last.append(earned)
        self.episodes += 1
        return len(self.last) == 100 and self.mean() >= self.threshold

    def mean(self) -> float:
        """Of the last 100 training returns, or of all where there are fewer."""
        return statistics.fmean(self.last) if self.last else float("nan")


def sb3(task: str, seed: int, budget: int) -> dict[str, Any]:
    """One run of stable-baselines3."""
    import gymnasium
    import torch
    from stable_baselines3 import DQN
    from stable_baselines3.common.callbacks import BaseCallback

    torch.set_num_threads(1)
    tally = Tally(TASKS[task][0])
    solved: list[int] = []

    class Watch(BaseCallback):
        """Counts returns, and stops once solved."""

        def _on_step(self) -> bool:
            for info in self.locals["infos"]:
                if "episode" in info and tally.add(float(info["episode"]["r"])):
                    solved.append(self.num_timesteps)
            return not solved

    settings = dict(ZOO[task])
    settings["exploration_fraction"] = settings.pop("anneal") / budget
    begun = time.process_time()
    model = DQN(
        "MlpPolicy",
        gymnasium.make(task),
        seed=seed,
        device="cpu",
        policy_kwargs={"net_arch": [256, 256]},
        **settings,
    )
    model.learn(budget, callback=Watch(), log_interval=10**9)
    return outcome(model.num_timesteps, tally, solved, begun)


def ours(agent: str, task: str, seed: int, budget: int, program: Path) -> dict[str, Any]:
    """One run of a preset of ours, with its defaults, by the command line. CPU seconds are those of the whole process."""
    command = [program, "train", task, "--agent", agent, "--seeds", str(seed), "--steps", str(budget)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = used.ru_utime + used.ru_stime
    options = ["--until-solved", "--jobs", "1", "--quiet", "--json"]
    done = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)
    return {
        "steps": found["steps"],
        "episodes": found["episodes"],
        "solved_step": "" if found["solved_episode"] is None else found["steps"],
        "mean_return_last_100": round(found["mean_return_last_100"], 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime - begun, 2),
    }


def outcome(steps: int, tally: Tally, solved: list[int], begun: float) -> dict[str, Any]:
    """What is recorded of a run."""
    return {
        "steps": steps,
        "episodes": tally.episodes,
        "solved_step": solved[0] if solved else "",
        "mean_return_last_100": round(tally.mean(), 2),
        "cpu_seconds": round(time.process_time() - begun, 2),
    }


def run(given: argparse.Namespace) -> None:
    """Makes the runs that are missing, one after the other."""
    done = {(row["task"], row["agent"], int(row["seed"])) for row in rows(given.out)}
    fresh = not given.out.exists()
    with given.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        for seed in given.seeds:
            for task in given.tasks:
                for agent in given.agent:
                    if (task, agent, seed) in done:
                        continue
                    budget = given.steps or TASKS[task][1]
                    if agent == "sb3":
                        found = sb3(task, seed, budget)
                    else:
                        found = ours(agent, task, seed, budget, given.program)
                    row = {"task": task, "agent": agent, "seed": seed, "budget": budget, **found}
                    writer.writerow(row)
                    file.flush()
                    print(row, file=sys.stderr, flush=True)


def rows(path: Path) -> list[dict[str, str]]:
    """What is recorded."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def table(given: argparse.Namespace) -> None:
    """Prints a table in Markdown: solved runs, steps, means of the last 100 returns, CPU seconds a 10,000 steps."""
    found = rows(given.out)
    print("| task | agent | solved | steps, median (least to most) | mean of the last 100 | CPU s a run | CPU ms a step |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for task in TASKS:
        for agent in dict.fromkeys(row["agent"] for row in found):
            mine = [row for row in found if (row["task"], row["agent"]) == (task, agent)]
            if not mine:
                continue
            steps = [int(row["solved_step"]) for row in mine if row["solved_step"]]
            between = f"{statistics.median(steps):,.0f} ({min(steps):,} to {max(steps):,})" if steps else "-"
            means = [float(row["mean_return_last_100"]) for row in mine]
            seconds = [float(row["cpu_seconds"]) for row in mine]
            each = 1000 * sum(seconds) / sum(int(row["steps"]) for row in mine)
            print(
                f"| {task} | {agent} | {len(steps)}/{len(mine)} | {between} | {statistics.median(means):.1f} "
                f"({min(means):.1f} to {max(means):.1f}) | {statistics.median(seconds):.1f} "
                f"({min(seconds):.1f} to {max(seconds):.1f}) | {each:.3f} |"
            )


def main() -> None:
    """Reads the command line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["run", "table"])
    arguments.add_argument("--agent", nargs="+", default=["sb3"], help="sb3, or presets of ours")
    arguments.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    arguments.add_argument("--seeds", nargs="+", type=int, default=[100, 101, 102])
    arguments.add_argument("--steps", type=int, help="instead of the task's budget")
    arguments.add_argument("--out", type=Path, default=Path("docs/results/sb3-dqn-runs.csv"))
    arguments.add_argument("--program", type=Path, default=Path("target/release/duvn"), help="for presets of ours")
    given = arguments.parse_args()
    run(given) if given.what == "run" else table(given)


if __name__ == "__main__":
    main()
