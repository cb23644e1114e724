"""Runs bsuite's own agents on the settings of `duvn bsuite`, and writes their scores by bsuite's own rules.

    pip install --no-deps -r benches/bsuite-requirements.txt
    python benches/bsuite_agents.py FOLDER --agents dqn boot_dqn > docs/results/bsuite-reference.csv

Settings and lengths are those of `duvn bsuite` without `--full`: 45 settings, a tenth of the episodes. Runs that are in
the folder are not run again; `--only` names experiments. The agents have the defaults of bsuite.baselines.jax. Python
3.11; the pins do not resolve together any more, hence `--no-deps`. For one thread: OMP_NUM_THREADS=1
XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1".
"""

import argparse
import contextlib
import importlib
import pathlib
import sys
import time

import bsuite
import jax
import numpy
from bsuite import sweep
from bsuite.baselines import experiment as loop
from bsuite.baselines.jax import boot_dqn, dqn
from bsuite.logging import csv_load

AGENTS = {"dqn": dqn, "boot_dqn": boot_dqn}

# The settings of the shortened version, and its share of the episodes: crates/duvn-lab/src/bsuite/plan.rs.
SHORTER = 10
LEVELS = [0, 8, 16]
SETTINGS = {
    "bandit": [0],
    "bandit_noise": LEVELS,
    "bandit_scale": LEVELS,
    "catch": [0],
    "catch_noise": LEVELS,
    "catch_scale": LEVELS,
    "deep_sea": [0, 5, 10],
    "deep_sea_stochastic": [0, 5, 10],
    "discounting_chain": [0, 2, 4],
    "umbrella_length": [0, 9, 17],
    "umbrella_distract": [0, 9, 17],
    "cartpole_swingup": [0, 10],
    "cartpole": [0],
    "cartpole_noise": LEVELS,
    "cartpole_scale": LEVELS,
    "mountain_car": [0],
    "mountain_car_noise": LEVELS,
    "mountain_car_scale": LEVELS,
}


def run(agent, setting, folder, repeat):
    """One run, from its start to its end; `folder` has its record once it is over."""
    done = folder / (setting.replace("/", "-") + ".done")
    if done.exists():
        return
    env = bsuite.load_and_record_to_csv(setting, results_dir=str(folder), overwrite=True)
    seed = int(setting.split("/")[1]) + 100 * repeat
    # The agents draw actions, masks and batches from NumPy's own generator.
    numpy.random.seed(seed)
    learner = AGENTS[agent].default_agent(env.observation_spec(), env.action_spec(), seed=seed)
    started = time.process_time()
    loop.run(learner, env, num_episodes=max(1, env.bsuite_num_episodes // SHORTER))
    done.write_text(f"{time.process_time() - started:.1f} s\n")
    print(f"{agent} {setting} {done.read_text().strip()}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--agents", nargs="+", choices=list(AGENTS), default=list(AGENTS))
    parser.add_argument("--every", action="store_true", help="every setting, as with duvn bsuite --full --episodes N")
    parser.add_argument("--repeat", type=int, default=0, help="with other random numbers, in a folder of their own")
    parser.add_argument("--only", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    arguments = parser.parse_args()
    versions = f"bsuite {bsuite.__version__}" if hasattr(bsuite, "__version__") else "bsuite 0.3.5"
    print(f"# {versions}, jax {jax.__version__}, numpy {numpy.__version__}: a tenth of the episodes")
    print("agent,experiment,score,runs,episodes")
    for agent in arguments.agents:
        folder = arguments.folder / (f"{agent}-{arguments.repeat}" if arguments.repeat else agent)
        folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.only:
            every = getattr(sweep, name.upper())
            settings = list(every) if arguments.every else [f"{name}/{number}" for number in SETTINGS[name]]
            for setting in settings:
                assert setting in sweep.SWEEP, setting
                # bsuite has its own words on standard output.
                with contextlib.redirect_stdout(sys.stderr):
                    run(agent, setting, folder, arguments.repeat)
            frame = csv_load.load_one_result_set(str(folder))
            own = frame[frame.bsuite_id.isin(settings)]
            analysis = importlib.import_module(f"bsuite.experiments.{name}.analysis")
            episodes = max(1, sweep.EPISODES[settings[0]] // SHORTER)
            print(f"bsuite's {agent},{name},{analysis.score(own):.4f},{len(settings)},{episodes}", flush=True)


if __name__ == "__main__":
    main()
