"""stable-baselines3 on our environments and with our agents. Needs PyTorch: pytest -m torch."""

import warnings

import gymnasium
import numpy as np
import pytest

import duvn
from conftest import single_ids

pytestmark = pytest.mark.torch
sb3 = pytest.importorskip("stable_baselines3")


@pytest.mark.parametrize("id", single_ids())
@pytest.mark.parametrize("mode", [None, "rgb_array", "ansi"])
def test_the_checker_of_stable_baselines3_passes(id, mode):
    from stable_baselines3.common.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make(id, render_mode=mode), skip_render_check=mode != "rgb_array")


@pytest.mark.parametrize("algorithm", ["PPO", "DQN"])
def test_its_algorithms_train(algorithm):
    model = getattr(sb3, algorithm)("MlpPolicy", "duvn/CartPole-v1", seed=0)
    model.learn(2048)
    from stable_baselines3.common.evaluation import evaluate_policy

    mean, _ = evaluate_policy(model, gymnasium.make("duvn/CartPole-v1"), 3, warn=False)
    assert mean > 5


def test_its_evaluation_and_callbacks_take_our_agents():
    from stable_baselines3.common.callbacks import BaseCallback, StopTrainingOnMaxEpisodes
    from stable_baselines3.common.evaluation import evaluate_policy

    class Count(BaseCallback):
        def _on_step(self):
            return self.num_timesteps < 40

    agent = duvn.Agent("duvn-deep", gymnasium.make("duvn/Chain-5"), hidden=[16])
    counted = Count()
    agent.learn(100, callback=counted)
    assert (agent.num_timesteps, counted.n_calls) == (40, 40)
    agent.learn(total_episodes=150)
    mean, sd = evaluate_policy(agent, gymnasium.make("duvn/Chain-5"), 5, warn=False)
    assert (mean, sd) == duvn.evaluate_policy(agent, gymnasium.make("duvn/Chain-5"), 5) and np.isfinite(mean)
    assert StopTrainingOnMaxEpisodes is not None
