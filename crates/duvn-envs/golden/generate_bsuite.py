"""Writes the golden trajectories of bsuite's tasks, in the format of generate.py, for tests/golden.rs. Run by hand:

    pip install 'gymnasium[toy-text]>=1.4' bsuite
    python generate_bsuite.py

bsuite takes its seeds when an environment is made: an episode with a seed is the first one of a new environment.
"""

import numpy as np
from bsuite.environments.bandit import SimpleBandit
from bsuite.environments.cartpole import Cartpole
from bsuite.environments.catch import Catch
from bsuite.environments.deep_sea import DeepSea
from bsuite.environments.discounting_chain import DiscountingChain
from bsuite.environments.mountain_car import MountainCar
from bsuite.environments.umbrella_chain import UmbrellaChain
from bsuite.utils.wrappers import RewardNoise, RewardScale

from bsuite import sweep

from generate import HERE, File

chance = np.random.default_rng(2019)
SEEDS = [0, 42, 2**32 - 1]


def random(env, step):
    return int(chance.integers(env.action_spec().num_values))


def mostly_right(env, step):
    right = int(env._action_mapping[env._row, env._column])
    return 1 - right if chance.random() < 0.1 else right


def follow(env, step):
    board = np.asarray(step.observation)
    ball = np.argwhere(board[:-1] == 1)
    paddle = int(np.argmax(board[-1]))
    return 1 + int(np.sign(ball[0][1] - paddle)) if len(ball) else 1


def balance(env, step):
    x, x_dot, sin, _, theta_dot, _ = step.observation.ravel()
    push = 3 * x + 6 * x_dot + 34 * sin + 7.5 * theta_dot
    return 2 if push > 0.5 else 0 if push < -0.5 else 1


def pump(env, step):
    return 2 if step.observation.ravel()[1] >= 0 else 0


def numbers(step):
    return step.observation.ravel()


def cell(step):
    where = np.flatnonzero(step.observation)
    return int(where[0]) if len(where) else step.observation.size


def record(env_id, make, policies, see, kinds, seeds=SEEDS):
    file = File(env_id, *kinds)
    for seed in seeds:
        env = make(seed)
        for number, policy in enumerate(policies):
            step = env.reset()
            trace, actions, rewards, flags = [see(step)], [], [], []
            while not step.last():
                actions.append(policy(env, step))
                step = env.step(actions[-1])
                trace.append(see(step))
                rewards.append(step.reward)
                flags.append(int(step.last()))
            file.episode(seed if number == 0 else None, trace, actions, rewards, flags)
    return file.write()


def our_id(name, settings):
    """The registry's id of a setting of bsuite's sweep."""
    task, _, kind = name.rpartition("_")
    settings = {key: value for key, value in settings.items() if key != "seed"}
    level = {"noise": "reward_noise", "scale": "reward_scale"}.get(kind)
    if level:
        settings[level] = f"{settings.pop(f'{kind}_scale' if kind == 'noise' else 'reward_scale'):g}"
    else:
        task = name
    base = {"bandit": "Bandit", "cartpole": "CartPoleBsuite", "catch": "Catch", "discounting_chain": "DiscountingChain",
            "mountain_car": "MountainCarBsuite"}.get(task)
    if task == "cartpole_swingup":
        base = f"CartPoleSwingup-{round(settings.pop('height_threshold') * 20)}"
        settings.pop("x_reward_threshold")
    elif task.startswith("deep_sea"):
        base = f"{'DeepSeaStochastic' if 'stochastic' in task else 'DeepSea'}-{settings.pop('size')}"
    elif task == "umbrella_distract":
        base = f"UmbrellaDistract-{settings.pop('n_distractor')}"
    elif task == "umbrella_length":
        assert settings.pop("n_distractor") == 20
        base = f"UmbrellaLength-{settings.pop('chain_length')}"
    query = "&".join(f"{key}={value}" for key, value in settings.items())
    return f"{base}?{query}" if query else base


def sweep_list():
    """Every setting of bsuite's sweep that is in the registry: bsuite's id, episodes, tags, our id."""
    import importlib
    names = dict.fromkeys(bsuite_id.split("/")[0] for bsuite_id in sweep.SWEEP)
    lines = []
    for name in sorted(names):
        if name.split("_")[0] in ("memory", "mnist"):
            continue
        module = importlib.import_module(f"bsuite.experiments.{name}.sweep")
        for number, settings in enumerate(module.SETTINGS):
            assert sweep.SETTINGS[f"{name}/{number}"] == settings
            lines.append(f"{name}/{number} {module.NUM_EPISODES} {','.join(module.TAGS)} {our_id(name, settings)}\n")
    (HERE / "bsuite_sweep.txt").write_text("".join(lines))
    print(f"{len(lines)} settings")


def main():
    sweep_list()
    total = 0
    index, vector = lambda n: ("index", n), lambda n: ("vector", n)
    for seed in (0, 7):
        total += record(f"Bandit?mapping_seed={seed}", lambda _: SimpleBandit(seed), [random] * 40, lambda step: 0,
                        (index(1), index(11)), [0])
        total += record(f"DiscountingChain?mapping_seed={seed}", lambda _: DiscountingChain(seed), [random] * 8, numbers,
                        (vector(2), index(5)), [0])
    total += record("Bandit?mapping_seed=1&reward_noise=0.3",
                    lambda seed: RewardNoise(SimpleBandit(1), 0.3, seed), [random] * 20, lambda step: 0,
                    (index(1), index(11)))
    for n in (1, 10, 24):
        total += record(f"DeepSea-{n}?mapping_seed=42", lambda seed: DeepSea(n, mapping_seed=42, seed=seed),
                        [mostly_right, random, mostly_right], cell, (index(n * n + 1), index(2)))
        total += record(f"DeepSeaStochastic-{n}?mapping_seed=42",
                        lambda seed: DeepSea(n, deterministic=False, mapping_seed=42, seed=seed),
                        [mostly_right, random] * 8, cell, (index(n * n + 1), index(2)))
    total += record("Catch", lambda seed: Catch(seed=seed), [random, follow] * 8, numbers, (vector(50), index(3)))
    total += record("Catch?reward_noise=3", lambda seed: RewardNoise(Catch(seed=seed), 3.0, seed), [random, follow] * 2,
                    numbers, (vector(50), index(3)))
    total += record("Catch?reward_scale=0.001", lambda seed: RewardScale(Catch(seed=seed), 0.001, seed),
                    [random, follow] * 2, numbers, (vector(50), index(3)))
    total += record("CartPoleBsuite", lambda seed: Cartpole(seed=seed), [random, balance, random], numbers,
                    (vector(6), index(3)), SEEDS[:2])
    total += record("CartPoleBsuite?reward_noise=0.1", lambda seed: RewardNoise(Cartpole(seed=seed), 0.1, seed),
                    [random], numbers, (vector(6), index(3)))
    total += record("MountainCarBsuite", lambda seed: MountainCar(seed=seed), [pump, random, pump], numbers,
                    (vector(3), index(3)))
    for n in (1, 5):
        total += record(f"UmbrellaLength-{n}", lambda seed: UmbrellaChain(n, 20, seed), [random] * 8, numbers,
                        (vector(23), index(2)))
        total += record(f"UmbrellaDistract-{n}", lambda seed: UmbrellaChain(20, n, seed), [random] * 4, numbers,
                        (vector(3 + n), index(2)))
    print(f"{total} bytes in all")


main()
