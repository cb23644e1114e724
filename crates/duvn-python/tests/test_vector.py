"""Many environments at once."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import duvn
from conftest import single_ids

MODES = list(AutoresetMode)


def equal(a, b):
    """Whether two answers are the same, infos included."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(equal(one, other) for one, other in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.shape == b.shape and all(equal(one, other) for one, other in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def hold_equal(ours, theirs, steps):
    """The same seeds and actions give the same answers, infos included."""
    mode, seeds = ours.metadata["autoreset_mode"], [7, 8, 2**40, 9][: ours.num_envs]
    theirs.action_space.seed(5)
    assert equal(ours.reset(seed=seeds), theirs.reset(seed=seeds))
    for _ in range(steps):
        actions = theirs.action_space.sample()
        a, b = ours.step(actions), theirs.step(actions)
        assert equal(a, b)
        over = a[2] | a[3]
        if mode == AutoresetMode.DISABLED and over.any():
            masks = [{"reset_mask": over.copy()} for _ in range(2)]
            assert equal(ours.reset(options=masks[0]), theirs.reset(options=masks[1]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", single_ids())
def test_it_equals_gymnasiums_sync_vector_environment(id, mode):
    ours = gymnasium.make_vec(id, num_envs=3, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: gymnasium.make(id)] * 3, autoreset_mode=mode)
    assert isinstance(ours, duvn.VectorEnv) and ours.metadata["autoreset_mode"] == mode
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert (ours.single_observation_space, ours.single_action_space) == (
        theirs.single_observation_space,
        theirs.single_action_space,
    )
    hold_equal(ours, theirs, 150)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["CartPole-v1", "MountainCar-v0", "Acrobot-v1", "Pendulum-v1", "LunarLander-v3"])
def test_it_equals_gymnasiums_sync_vector_of_gymnasiums_own(name, mode):
    ours = gymnasium.make_vec(f"duvn/{name}", num_envs=4, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: gymnasium.make(name)] * 4, autoreset_mode=mode)
    hold_equal(ours, theirs, 600)


def test_it_is_copied_in_mid_episode():
    env = duvn.VectorEnv("CartPole-v1", 3)
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(30):
        env.step(env.action_space.sample())
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        original = copy.deepcopy(env)
        for _ in range(40):
            actions = original.action_space.sample()
            assert equal(original.step(actions), twin.step(actions))


def test_limits_and_what_is_wrong():
    env = gymnasium.make_vec("duvn/CartPole-v1", num_envs=2, max_episode_steps=5, autoreset_mode="Disabled")
    env.reset(seed=0)
    for _ in range(5):
        *_, truncations, _ = env.step([0, 1])
    assert truncations.all()
    with pytest.raises(ValueError, match="reset_mask"):
        env.step([0, 1])
    with pytest.raises(ValueError, match="names no environment"):
        env.reset(options={"reset_mask": np.zeros(2, bool)})
    with pytest.raises(ValueError, match="one for each"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=0)
    with pytest.raises(ValueError, match="whole number from 0 to 1"):
        env.step([0, 2])
    with pytest.raises(ValueError, match="3 actions for 2"):
        env.step([0, 1, 1])
    with pytest.raises(ValueError, match="num_envs"):
        duvn.VectorEnv("CartPole-v1", 0)


def test_pictures_of_each():
    env = duvn.VectorEnv("FrozenLake-v1", 2, render_mode="ansi", is_slippery=False)
    env.reset(seed=0)
    env.step([2, 1])
    right, down = env.render()
    assert right != down and "\x1b[7m" in right
