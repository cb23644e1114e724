"""Every environment in Gymnasium."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import duvn
from conftest import single_ids

IDS = single_ids()


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("mode", [None, "rgb_array", "ansi"])
def test_gymnasiums_checker_passes(id, mode):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make(id, render_mode=mode).unwrapped)


def play(env, actions, seed=None):
    """What an environment answers."""
    seen = [env.reset(seed=seed)[0]] if seed is not None else []
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        seen.append((observation, reward, terminated, truncated))
        if terminated or truncated:
            seen.append(env.reset()[0])
    return seen


def same(a, b):
    assert len(a) == len(b)
    for one, other in zip(a, b, strict=True):
        if isinstance(one, tuple):
            assert one[1:] == other[1:]
            one, other = one[0], other[0]
        assert np.array_equal(one, other)


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_episode_goes_on_as_the_original(id, copied):
    env = gymnasium.make(id)
    env.action_space.seed(3)
    env.reset(seed=3)
    for _ in range(7):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    twin = copied(env)
    assert [env.action_space.sample() for _ in range(3)] is not None
    twin_space = twin.action_space
    for _ in range(3):
        twin_space.sample()
    actions = [env.action_space.sample() for _ in range(60)]
    same(play(env, actions), play(twin, actions))


GYMNASIUM = [
    ("CartPole-v1", {}),
    ("CartPole-v1", {"sutton_barto_reward": True}),
    ("CartPole-v0", {}),
    ("MountainCar-v0", {}),
    ("MountainCar-v0", {"goal_velocity": 0.02}),
    ("MountainCarContinuous-v0", {}),
    ("MountainCarContinuous-v0", {"goal_velocity": 0.01}),
    ("Acrobot-v1", {}),
    ("Pendulum-v1", {}),
    ("Pendulum-v1", {"g": 9.81}),
    ("LunarLander-v3", {}),
    ("LunarLander-v3", {"enable_wind": True, "wind_power": 10.0, "turbulence_power": 1.0}),
    ("LunarLander-v3", {"continuous": True, "gravity": -11.5, "enable_wind": True}),
    ("LunarLanderContinuous-v3", {}),
    ("LunarLanderContinuous-v3", {"gravity": -7.5}),
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"map_name": "8x8", "is_slippery": False}),
    ("FrozenLake-v1", {"desc": ["SFF", "FHF", "FFG"]}),
    ("FrozenLake-v1", {"success_rate": 0.7}),
    ("FrozenLake8x8-v1", {}),
    ("Taxi-v4", {}),
    ("Taxi-v4", {"is_rainy": True}),
    ("Taxi-v4", {"fickle_passenger": True}),
    ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True}),
    ("CliffWalking-v1", {}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("CliffWalkingSlippery-v1", {}),
    ("Blackjack-v1", {}),
    ("Blackjack-v1", {"sab": True}),
    ("Blackjack-v1", {"natural": True, "sab": False}),
]


def index_of(observation):
    """Blackjack's tuple is an index in ours."""
    if isinstance(observation, tuple):
        total, dealer, ace = (int(part) for part in observation)
        return (total * 11 + dealer) * 2 + ace
    return observation


def bits(observation):
    """An observation to the bit: -0.0 is not 0.0, and a float32 no float64."""
    if isinstance(observation, np.ndarray):
        return observation.dtype, observation.shape, observation.tobytes()
    return int(index_of(observation))


def hold_equal(ours, theirs, steps, seed=11):
    """The same seeds and actions give the same answers."""
    assert ours.action_space == theirs.action_space
    assert isinstance(theirs.observation_space, gymnasium.spaces.Tuple) or ours.observation_space == theirs.observation_space
    theirs.action_space.seed(seed)
    assert bits(ours.reset(seed=seed)[0]) == bits(theirs.reset(seed=seed)[0])
    for _ in range(steps):
        action = theirs.action_space.sample()
        a, b = ours.step(action), theirs.step(action)
        assert bits(a[0]) == bits(b[0]) and a[1:4] == tuple(b[1:4])
        if a[2] or a[3]:
            assert bits(ours.reset()[0]) == bits(theirs.reset()[0])


@pytest.mark.parametrize("name, parameters", GYMNASIUM, ids=lambda value: str(value))
def test_steps_equal_gymnasiums(name, parameters, request):
    steps = int(request.config.getoption("--steps"))
    hold_equal(gymnasium.make(f"duvn/{name}", **parameters), gymnasium.make(name, **parameters), steps)


def test_every_id_that_gymnasium_has_is_compared():
    ours = {id.removeprefix("duvn/") for id in IDS}
    assert {name for name, _ in GYMNASIUM} == ours & set(gymnasium.registry)


@pytest.mark.parametrize("size, p, seed", [(8, 0.8, 0), (5, 0.6, 7), (12, 0.9, 2**40)])
def test_random_lakes_are_gymnasiums(size, p, seed, request):
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    drawn = generate_random_map(size=size, p=p, seed=seed)
    for parameters in ({"map_name": "random", "map_size": size, "p": p, "map_seed": seed}, {"desc": drawn}):
        theirs = gymnasium.make("FrozenLake-v1", desc=drawn)
        hold_equal(gymnasium.make("duvn/FrozenLake-v1", **parameters), theirs, 1000)


def test_families_have_sizes_and_maps():
    a, b = (gymnasium.make("duvn/Chain-25", map_seed=seed) for seed in (0, 1))
    assert a.observation_space == gymnasium.make("duvn/Chain", size=25).observation_space

    def right(env):
        actions = []
        for _ in range(25):
            for action in (0, 1):
                env.reset(seed=0)
                done = False
                for known in [*actions, action]:
                    _, reward, done, _, _ = env.step(known)
                if not done or reward == 1:
                    actions.append(action)
                    break
        return actions

    assert len(right(a)) == 25 and right(a) == right(a) and right(a) != right(b)


def test_what_cannot_be_made_is_said_in_a_sentence():
    with pytest.raises(ValueError, match="map=4x4 or map=8x8"):
        gymnasium.make("duvn/FrozenLake-v1", map_name="5x5")
    with pytest.raises(ValueError, match="render_mode"):
        duvn.Env("CartPole-v1", render_mode="human")
    env = duvn.Env("CartPole-v1")
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    for action in (2, -1, 0.5, "left"):
        with pytest.raises(ValueError, match="a whole number from 0 to 1"):
            env.step(action)
    with pytest.raises(ValueError, match="NaN"):
        lander = duvn.Env("Pendulum-v1")
        lander.reset(seed=0)
        lander.step(np.array([np.nan]))


def test_episodes_without_a_seed_differ():
    first = {duvn.Env("CartPole-v1").reset()[0].tobytes() for _ in range(3)}
    assert len(first) == 3


def test_pictures_and_texts_show_what_happens():
    cart = gymnasium.make("duvn/CartPole-v1", render_mode="rgb_array")
    cart.reset(seed=0)
    before = cart.render()
    assert before.shape == (400, 600, 3) and before.dtype == np.uint8
    for _ in range(5):
        cart.step(0)
    assert (cart.render() != before).any()
    lake = gymnasium.make("duvn/FrozenLake-v1", render_mode="ansi", is_slippery=False)
    lake.reset(seed=0)
    lake.step(2)
    assert lake.render() == "S\x1b[7mF\x1b[0mFF\nFHFH\nFFFH\nHFFG\n"
    lake = gymnasium.make("duvn/FrozenLake-v1", render_mode="rgb_array")
    lake.reset(seed=0)
    assert lake.render().min() < 128 and lake.render().max() == 255
