"""Writes the golden trajectories that tests/golden.rs replays. Run by hand:

    pip install 'gymnasium[toy-text]>=1.3' bsuite
    python generate.py

A file is gzip. Inside: lines `key=value` up to an empty line, then episodes, all little-endian:
seeded (u8), seed (u64), steps (u32), draws (u32), the draws (f64), steps + 1 observations (u32, or
f32 times the width), the actions (u8, or f32 times the width), the rewards (f64), and the flags
(u8: 1 terminated, 2 truncated). `draws` are the start of a CartPoleSwingup episode.
"""

import gzip
import pathlib
import struct
import warnings
from collections import deque
from importlib.metadata import version

import gymnasium
import numpy as np
from bsuite.experiments.cartpole_swingup.cartpole_swingup import CartpoleSwingup

HERE = pathlib.Path(__file__).parent
SEEDS = [0, 1, 2, 3, 42, 123456789, 2**32 + 5, 2**63 + 12345]
VERSIONS = ", ".join(f"{name} {version(name)}" for name in ("gymnasium", "bsuite", "numpy"))
chance = np.random.default_rng(2017)


class File:
    def __init__(self, env_id, observation, action, **more):
        self.id, self.vector_seen, self.vector_action = env_id, observation[0] == "vector", action[0] == "vector"
        fields = {"id": env_id, "versions": VERSIONS, "observation": "{} {}".format(*observation),
                  "action": "{} {}".format(*action), **more}
        self.parts = ["".join(f"{k}={v}\n" for k, v in fields.items()).encode() + b"\n"]
        self.steps = self.ends = self.cuts = 0
        self.best = -np.inf

    def episode(self, seed, seen, actions, rewards, flags, draws=()):
        pack = lambda kind, values: np.asarray(values, dtype=kind).tobytes()
        self.parts += [
            struct.pack("<BQII", seed is not None, seed or 0, len(actions), len(draws)),
            pack("<f8", draws),
            pack("<f4" if self.vector_seen else "<u4", seen),
            pack("<f4" if self.vector_action else "u1", actions),
            pack("<f8", rewards),
            pack("u1", flags),
        ]
        self.steps += len(actions)
        self.ends += sum(f & 1 for f in flags)
        self.cuts += sum(f >> 1 for f in flags)
        self.best = max(self.best, sum(rewards)) if rewards else self.best

    def write(self):
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in self.id) + ".gz"
        packed = gzip.compress(b"".join(self.parts), 9, mtime=0)
        (HERE / name).write_bytes(packed)
        print(f"{name:60} {self.steps:6} steps {self.ends:4} ends {self.cuts:4} cuts {len(packed):8} bytes, best {self.best:.4g}")
        return len(packed)


def random(env, seen, t):
    space = env.action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(chance.integers(space.n))
    return chance.uniform(space.low, space.high).astype(np.float32)


def sequence(*actions):
    return lambda env, seen, t: actions[min(t, len(actions) - 1)]


def balance(env, seen, t):
    x, x_dot, theta, theta_dot = seen
    return int(theta + 0.4 * theta_dot + 0.02 * x + 0.06 * x_dot > 0)


def pump(env, seen, t):
    return 2 if seen[1] >= 0 else 0


def pump_continuous(env, seen, t):
    return np.array([1.0 if seen[1] >= 0 else -1.0], dtype=np.float32)


def swing(env, seen, t):
    return 2 if seen[4] < 0 else 0


def brake_or_pump(env, seen, t):
    cos, sin, speed = seen
    torque = -10 * sin - 2 * speed if cos > 0.9 else np.sign(speed) * 2
    return np.array([np.clip(torque, -2, 2)], dtype=np.float32)


def shortest(env, seen, t):
    """The first action of a shortest path to an end that pays (only for deterministic tables)."""
    table, queue, known = env.unwrapped.P, deque([(seen, None)]), {seen}
    while queue:
        state, first = queue.popleft()
        for action, [(_, after, reward, done)] in table[state].items():
            start = action if first is None else first
            if done and reward >= -1 and not (reward == 0):
                return start
            if not done and after not in known:
                known.add(after)
                queue.append((after, start))


def hit_below(limit):
    return lambda env, seen, t: int(seen[0] < limit)


def gym_file(env_id, name, kwargs, plan, flatten=None):
    env = gymnasium.make(name, disable_env_checker=True, **kwargs)
    vector = isinstance(env.observation_space, gymnasium.spaces.Box)
    seen_kind = ("vector", env.observation_space.shape[0]) if vector else \
        ("index", flatten and 704 or env.observation_space.n)
    discrete = isinstance(env.action_space, gymnasium.spaces.Discrete)
    action_kind = ("index", env.action_space.n) if discrete else ("vector", env.action_space.shape[0])
    file = File(env_id, seen_kind, action_kind)
    keep = flatten or (lambda seen: seen)
    for seed, policy in plan:
        seen, _ = env.reset(seed=seed)
        trace, actions, rewards, flags = [keep(seen)], [], [], []
        while policy and not (flags and flags[-1]):
            action = policy(env, seen, len(actions))
            seen, reward, terminated, truncated, _ = env.step(action)
            trace.append(keep(seen))
            actions.append(action)
            rewards.append(reward)
            flags.append(terminated + 2 * truncated)
        file.episode(seed, trace, actions, rewards, flags)
    return file.write()


def plan(*policies, seeds=SEEDS):
    """For each seed: two resets in a row, then every policy, the first from the seed's second episode."""
    return [(seed if i == 0 or i == 2 else None, policy)
            for seed in seeds for i, policy in enumerate((None, *policies))]


class Recorder:
    """Stands in for a bsuite task's RandomState and keeps what it gave."""

    def __init__(self):
        self.draws = []

    def uniform(self, low, high):
        self.draws.append(float(chance.uniform(low, high)))
        return self.draws[-1]


def bsuite_file(env_id, env, episodes, policy):
    """An episode's draws are its start. (generate_bsuite.py records the tasks that draw as bsuite does.)"""
    file = File(env_id, ("vector", 8), ("index", 3))
    see = lambda step: step.observation.ravel()
    for number in range(episodes):
        env._rng = recorder = Recorder()
        step = env.reset()
        trace, actions, rewards, flags = [see(step)], [], [], []
        while not step.last():
            actions.append(policy(env, number, len(actions)))
            step = env.step(actions[-1])
            trace.append(see(step))
            rewards.append(step.reward)
            flags.append(int(step.last()))
        file.episode(None, trace, actions, rewards, flags, recorder.draws)
    return file.write()


def up_and_hold(env, number, t):
    """Pumps the pole up and then balances it; some episodes are random, some idle to the time's end."""
    state = env._state
    if number % 4 == 2:
        return int(chance.integers(3))
    if number % 4 == 3:
        return 1
    theta = (state.theta + np.pi) % (2 * np.pi) - np.pi
    if abs(theta) < 0.5 and abs(state.theta_dot) < 3.5:
        push = state.x + 2.2 * state.x_dot + 34 * theta + 7.5 * state.theta_dot
    else:
        energy = 0.5 * state.theta_dot**2 - 14.7 * (1 - np.cos(theta))
        away = np.sign(state.theta_dot * np.cos(theta)) or 1
        push = (-12 if energy < 0.2 else 12 if energy > 1 else 0) * away - 5.2 * state.x - 3.9 * state.x_dot
    return 2 if push > 5 else 0 if push < -5 else 1


def main():
    warnings.simplefilter("ignore")
    total = 0
    lake = sequence(1, 1, 2, 2, 1, 2)
    hand = lambda seen: (seen[0] * 11 + seen[1]) * 2 + seen[2]
    for arguments in [
        ("CartPole-v1", "CartPole-v1", {}, plan(random, balance, random, sequence(1))),
        ("CartPole-v0", "CartPole-v0", {}, plan(random, balance, seeds=SEEDS[:3])),
        ("MountainCar-v0", "MountainCar-v0", {}, plan(random, pump, sequence(0), pump)),
        ("MountainCarContinuous-v0", "MountainCarContinuous-v0", {},
         plan(random, pump_continuous, pump_continuous, seeds=SEEDS[:4])),
        # Its starts alone are seen in float32: many of them, to meet NumPy's own rounding.
        ("Acrobot-v1", "Acrobot-v1", {}, plan(random, swing, swing) + [(seed, None) for seed in range(1000, 3000)]),
        ("Pendulum-v1", "Pendulum-v1", {}, plan(random, brake_or_pump, brake_or_pump)),
        ("FrozenLake-v1", "FrozenLake-v1", {}, plan(*[random, lake, sequence(0)] * 4)),
        ("FrozenLake-v1?slippery=false", "FrozenLake-v1", {"is_slippery": False},
         plan(random, lake, random, sequence(0))),
        ("FrozenLake-v1?map=8x8", "FrozenLake-v1", {"map_name": "8x8"}, plan(*[random, sequence(2)] * 4)),
        ("FrozenLake-v1?map=8x8&slippery=false", "FrozenLake-v1", {"map_name": "8x8", "is_slippery": False},
         plan(random, shortest, random, sequence(3))),
        ("FrozenLake8x8-v1", "FrozenLake8x8-v1", {}, plan(random, sequence(3, 2), random)),
        ("FrozenLake-v1?slippery=false&time_limit=6", "FrozenLake-v1",
         {"is_slippery": False, "max_episode_steps": 6}, plan(lake, random)),
        ("Taxi-v4", "Taxi-v4", {}, plan(*[random, shortest, shortest] * 3)),
        ("CliffWalking-v1?time_limit=300", "CliffWalking-v1", {"max_episode_steps": 300},
         plan(random, sequence(0, *[1] * 11, 2), sequence(1))),
        ("CliffWalking-v1", "CliffWalking-v1", {}, plan(shortest, random, seeds=SEEDS[:2])),
        ("CliffWalkingSlippery-v1?time_limit=300", "CliffWalkingSlippery-v1", {"max_episode_steps": 300},
         plan(random, sequence(0, *[1] * 11, 2), random)),
        ("Blackjack-v1", "Blackjack-v1", {}, plan(*[random, hit_below(17), hit_below(20), sequence(1)] * 10), hand),
        ("Blackjack-v1?sab=false&natural=true", "Blackjack-v1", {"sab": False, "natural": True},
         plan(*[random, hit_below(17), hit_below(12)] * 10), hand),
    ]:
        total += gym_file(*arguments)

    for k in (0, 10, 19):
        env = CartpoleSwingup(height_threshold=k / 20, x_reward_threshold=1 - k / 20)
        total += bsuite_file(f"CartPoleSwingup-{k}", env, 4, up_and_hold)
    print(f"{total} bytes in all, from {VERSIONS}")


if __name__ == "__main__":
    main()
