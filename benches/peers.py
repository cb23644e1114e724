"""Whole agents of other projects against ours, in turns on one core: steps a second of CPU time of one thread.

    pip install bsuite==0.3.5 jax==0.4.25 jaxlib==0.4.25 dm-haiku==0.0.12 optax==0.2.1 rlax==0.1.6 \\
        chex==0.1.85 numpy==1.23.5 'scipy<1.13' pandas==1.5.3
    taskset -c 1 python benches/peers.py boot_dqn

    pip install stable-baselines3==2.9.0 'gymnasium[box2d]==1.4.0'
    taskset -c 1 python benches/peers.py sb3

`boot_dqn` is bsuite's own with its defaults on DeepSea-20, against our `bootdqn`: both have 20 members of 2 x 50
units with a prior of the same size, batches of 128 and one update of every member a step. `sb3` is
stable-baselines3's DQN on LunarLander-v3 with two layers of 256, batches of 128 and one update a step, against our
`dqn` with the same network, the same updates and the same targets. What comes before the first update is not
counted.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

BATCH, STARTS = 128, 1000
SAME = {
    "trunk": "[256,256]",
    "hidden": "[]",
    "layer_norm": "false",
    "batch": BATCH,
    "lambda": 0,
    "decider": "target",
    "error_clip": 1,
    "learning_starts": STARTS,
}


def boot_dqn():
    """bsuite's agent; gives a function that makes so many steps and tells the CPU seconds that they took."""
    from bsuite.baselines.jax import boot_dqn
    from bsuite.environments import deep_sea

    env = deep_sea.DeepSea(20)
    agent = boot_dqn.default_agent(env.observation_spec(), env.action_spec())
    at = env.reset()

    def steps(count):
        nonlocal at
        begun = time.process_time()
        for _ in range(count):
            action = agent.select_action(at)
            after = env.step(action)
            agent.update(at, action, after)
            at = env.reset() if after.last() else after
        return time.process_time() - begun

    steps(200)
    return steps


def sb3():
    """The same for stable-baselines3's."""
    import gymnasium
    import torch
    from stable_baselines3 import DQN

    torch.set_num_threads(1)
    model = DQN(
        "MlpPolicy",
        gymnasium.make("LunarLander-v3"),
        policy_kwargs={"net_arch": [256, 256]},
        batch_size=BATCH,
        train_freq=1,
        gradient_steps=1,
        learning_starts=STARTS,
        target_update_interval=250,
        buffer_size=100_000,
        device="cpu",
        seed=0,
    )

    def steps(count):
        begun = time.process_time()
        model.learn(count, reset_num_timesteps=False, log_interval=10**9)
        return time.process_time() - begun

    steps(STARTS + 200)
    return steps


def our_bootdqn(given):
    """Steps a second of our `bootdqn`."""
    command = [given.duvn, "bench", "--json", "--quick", "--isa", given.isa, "--only", "loop-bootdqn-DeepSea-20"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rate"]


def our_dqn(given):
    """Steps a second of our `dqn`: what 4,000 steps take longer than the first 1,200."""

    def seconds(steps):
        command = [given.duvn, "train", "LunarLander-v3", "--agent", "dqn", "--isa", given.isa, "--steps", str(steps)]
        for key, value in SAME.items():
            command += ["--set", f"{key}={value}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--jobs", "1", "--quiet"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return 2800 / (seconds(4000) - seconds(1200))


PEERS = {"boot_dqn": (boot_dqn, our_bootdqn, 50), "sb3": (sb3, our_dqn, 300)}


def main():
    """Measures both in turns and prints the median of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=list(PEERS))
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--isa", default="avx2")
    parser.add_argument("--duvn", default="target/release/duvn")
    given = parser.parse_args()
    make, measure, count = PEERS[given.peer]
    steps = make()
    theirs, ours = [], []
    for _ in range(given.turns):
        theirs.append(count / steps(count))
        ours.append(measure(given))
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    print(f"{given.peer} {statistics.median(theirs):,.0f} steps/s, duvn ({given.isa}) {statistics.median(ours):,.0f}")
    print(f"median of the ratios {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})")


if __name__ == "__main__":
    main()
