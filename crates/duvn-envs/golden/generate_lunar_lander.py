"""Writes lunar_lander.bin.gz, the trajectories that tests/lunar_lander.rs compares with.

Run by hand:  pip install "gymnasium[box2d]"  and  python generate_lunar_lander.py [EPISODES_PER_POLICY [FILE]]

The file is a gzip stream of little-endian records, one an episode:
    u8 policy, u8 seeded, u64 seed, u32 steps, 8 f32 first observation,
    then a step: u8 action, 8 f32 observation, f64 reward, u8 flags (1 terminated, 2 truncated).
An episode that is not seeded goes on with the random numbers of the one before.
"""

import gzip
import struct
import sys

import gymnasium
import numpy as np
from Box2D import b2 as _box2d  # noqa: F401  (fails early where Box2D is missing)
from importlib.metadata import version


def random_actions(rng, _state, _t):
    return int(rng.integers(4))


def idle(_rng, _state, _t):
    return 0


def towards(x, state, height):
    """A simple controller: tilt towards x, hold a height, kill the speed."""
    tilt = np.clip((state[0] - x) * 0.5 + state[2], -0.4, 0.4)
    turn = (tilt - state[4]) * 0.5 - state[5]
    lift = (height - state[1]) * 0.5 - state[3] * 0.5
    if state[6] or state[7]:
        turn, lift = 0.0, -state[3] * 0.5
    if lift > abs(turn) and lift > 0.05:
        return 2
    return 3 if turn < -0.05 else 1 if turn > 0.05 else 0


def land(_rng, state, _t):
    return towards(0.0, state, 0.55 * abs(state[0]))


def land_on_a_slope(_rng, state, _t):
    return towards(0.6, state, 0.55 * abs(state[0] - 0.6) - 0.2)


def hover(_rng, state, _t):
    return towards(0.0, state, 0.8)


def hop(rng, state, t):
    """Lands, then pushes itself about on the ground."""
    return land(rng, state, t) if not (state[6] or state[7]) else int(rng.choice([0, 1, 2, 3], p=[0.4, 0.2, 0.2, 0.2]))


def leave(_rng, state, _t):
    """Flies out of the view."""
    return towards(3.0, state, 0.5)


POLICIES = [random_actions, idle, land, land_on_a_slope, hover, hop, leave]
EPISODES = [16, 6, 6, 6, 1, 6, 2]


def main():
    counts = [int(sys.argv[1])] * len(POLICIES) if len(sys.argv) > 1 else EPISODES
    path = sys.argv[2] if len(sys.argv) > 2 else "lunar_lander.bin.gz"
    env = gymnasium.make("LunarLander-v3", disable_env_checker=True)
    ends = {}
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as out:
        for policy, count in zip(range(len(POLICIES)), counts):
            for episode in range(count):
                seed = 1000 * policy + episode
                seeded = episode % 3 != 2
                state, _ = env.reset(seed=seed if seeded else None)
                rng = np.random.default_rng([policy, episode])
                steps = [state.astype("<f4").tobytes()]
                ended, t = False, 0
                while not ended:
                    action = POLICIES[policy](rng, state, t)
                    state, reward, terminated, truncated, _ = env.step(action)
                    ended, t = terminated or truncated, t + 1
                    steps.append(struct.pack("<B", action) + state.astype("<f4").tobytes())
                    steps.append(struct.pack("<dB", float(reward), terminated | truncated << 1))
                out.write(struct.pack("<BBQI", policy, seeded, seed, t) + b"".join(steps))
                end = "time limit" if not terminated else "rest" if reward > 0 else "crash or out of view"
                if end.startswith("crash") and abs(state[0]) >= 1:
                    end = "out of view"
                key = (POLICIES[policy].__name__, end)
                ends[key] = ends.get(key, 0) + 1
    for name in ("gymnasium", "Box2D", "numpy"):
        print(name, version(name))
    for (name, end), count in sorted(ends.items()):
        print(f"{name}: {count} x {end}")


if __name__ == "__main__":
    main()
