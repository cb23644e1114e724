"""stable-baselines3 on our environments and with our agents. Needs PyTorch: pytest -m torch."""

import os
import pathlib
import re
import subprocess
import sys
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
    from stable_baselines3.common.evaluation import evaluate_policy

    knobs = {"PPO": {}, "DQN": {"learning_starts": 500, "learning_rate": 1e-3, "target_update_interval": 250}}
    model = getattr(sb3, algorithm)("MlpPolicy", "duvn/CartPole-v1", seed=0, **knobs[algorithm])
    env = gymnasium.make("duvn/CartPole-v1")
    before, _ = evaluate_policy(model, env, 10, warn=False)
    model.learn(10_240)
    after, _ = evaluate_policy(model, env, 10, warn=False)
    assert after > max(50, before), (before, after)


@pytest.fixture
def agent():
    return duvn.Agent("duvn-deep", gymnasium.make("duvn/Chain-5"), hidden=[16])


def test_its_evaluation_takes_our_agents(agent):
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.evaluation import evaluate_policy

    agent.learn(4000)
    mean, sd = evaluate_policy(agent, gymnasium.make("duvn/Chain-5"), 5, warn=False)
    assert (mean, sd) == duvn.evaluate_policy(agent, gymnasium.make("duvn/Chain-5"), 5) and mean == 1.0
    many = make_vec_env("duvn/Chain-5", n_envs=3, seed=0)
    assert evaluate_policy(agent, many, 6, deterministic=False)[0] >= 0.0


def test_its_callbacks_take_our_agents(agent, tmp_path, capsys):
    from stable_baselines3.common import callbacks

    class Count(callbacks.BaseCallback):
        def _on_step(self):
            return self.num_timesteps < 40

    counted = Count()
    agent.learn(100, callback=counted)
    assert (agent.num_timesteps, counted.n_calls) == (40, 40) and counted.training_env.num_envs == 1
    before = len(agent.episode_returns)
    agent.learn(10_000, callback=callbacks.StopTrainingOnMaxEpisodes(7))
    assert len(agent.episode_returns) == before + 7
    evaluation = callbacks.EvalCallback(
        gymnasium.make("duvn/Chain-5"),
        callback_on_new_best=callbacks.StopTrainingOnRewardThreshold(0.9, verbose=1),
        n_eval_episodes=2,
        eval_freq=50,
        best_model_save_path=str(tmp_path),
        verbose=0,
        warn=False,
    )
    every = callbacks.EveryNTimesteps(200, callbacks.LogEveryNTimesteps(100))
    kept = callbacks.CheckpointCallback(100, str(tmp_path / "kept"))
    agent.learn(5000, callback=callbacks.CallbackList([evaluation, every, kept]))
    assert evaluation.best_mean_reward == 1.0 and agent.num_timesteps < 5000
    best = duvn.Agent.load(tmp_path / "best_model")
    assert duvn.evaluate_policy(best, gymnasium.make("duvn/Chain-5"), 2)[0] == 1.0
    assert list((tmp_path / "kept").iterdir()) and "ep_rew_mean" in capsys.readouterr().err
    agent.learn(50, callback=callbacks.ProgressBarCallback())


def test_a_page_of_dqn_trains():
    """The loop of CleanRL's dqn.py: a vector environment of one, its replay buffer, the final observations."""
    import torch
    from stable_baselines3.common.buffers import ReplayBuffer
    from torch import nn

    def maker():
        return gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("duvn/CartPole-v1"))

    torch.manual_seed(1)
    random = np.random.default_rng(1)
    envs = gymnasium.vector.SyncVectorEnv([maker], autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
    space, actions = envs.single_observation_space, envs.single_action_space
    online, target = (
        nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, int(actions.n)))
        for _ in range(2)
    )
    target.load_state_dict(online.state_dict())
    optimiser = torch.optim.Adam(online.parameters(), lr=1e-3)
    replay = ReplayBuffer(10_000, space, actions, "cpu", handle_timeout_termination=False)
    returns, steps = [], 8000
    seen, _ = envs.reset(seed=1)
    for step in range(steps):
        if random.random() < max(1.0 - step / 3000, 0.05):
            taken = np.array([random.integers(actions.n)])
        else:
            taken = online(torch.as_tensor(seen)).argmax(1).numpy()
        after, reward, terminated, truncated, infos = envs.step(taken)
        real = after.copy()
        for at in np.flatnonzero(terminated | truncated):
            real[at] = infos["final_obs"][at]
            returns.append(float(infos["final_info"]["episode"]["r"][at]))
        replay.add(seen, real, taken, reward, terminated, [{}])
        seen = after
        if step > 500 and step % 2 == 0:
            data = replay.sample(64)
            with torch.no_grad():
                best = target(data.next_observations).max(1).values
                goal = data.rewards.flatten() + 0.99 * best * (1 - data.dones.flatten())
            loss = nn.functional.mse_loss(online(data.observations).gather(1, data.actions).squeeze(1), goal)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if step % 200 == 0:
                target.load_state_dict(online.state_dict())
    assert np.mean(returns[-10:]) > 2 * np.mean(returns[:20]), returns


@pytest.mark.skipif("DUVN_CLEANRL" not in os.environ, reason="DUVN_CLEANRL names no dqn.py (.ci/python-torch fetches it)")
def test_the_dqn_of_cleanrl_trains(tmp_path):
    """CleanRL's own file, with another id: 20,000 steps, of which it learns in the last 15,000."""
    script, old = os.environ["DUVN_CLEANRL"], pathlib.Path(__file__).parent / "old_vectors.py"
    knobs = "--total-timesteps 20000 --learning-starts 5000 --learning-rate 1e-3 --train-frequency 4"
    command = [sys.executable, old, script, "--env-id", "duvn:duvn/CartPole-v1", "--seed", "1", *knobs.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    returns = [float(one) for one in re.findall(r"episodic_return=\[?([0-9.]+)", done.stdout)]
    assert np.mean(returns[-10:]) > 3 * np.mean(returns[:50]), returns
