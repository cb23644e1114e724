"""Agents on environments of ours and on any other."""

import copy
import gc
import json
import pickle
import subprocess
import sys
import threading

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import duvn

SMALL = {"hidden": [16]}


class Corridor(gymnasium.Env):
    """Five places in a row, counted from 3; reward 1 at the right end."""

    def __init__(self, fail_at=None):
        self.observation_space = gymnasium.spaces.Discrete(5, start=3)
        self.action_space = gymnasium.spaces.Discrete(2, start=1)
        self.fail_at, self.steps = fail_at, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.walked = 4, 0
        return self.at, {}

    def step(self, action):
        assert action in (1, 2)
        self.steps += 1
        if self.steps == self.fail_at:
            raise KeyError("the corridor is closed")
        self.at += 1 if action == 2 else -1
        self.walked += 1
        return self.at, float(self.at == 7), self.at in (3, 7), self.walked == 30, {}


@pytest.mark.parametrize("seed", [0, 3])
def test_it_learns_to_the_bits_of_the_command_line(train, seed):
    args = ["Chain-25", "--agent", "duvn-deep", "--seeds", str(seed), "--episodes", "60", "--set", "hidden=32,32"]
    by_cli = train(*args)
    by_id = duvn.Agent("duvn-deep", "duvn/Chain-25", seed=seed, hidden=[32, 32]).learn(total_episodes=60)
    made = gymnasium.make("duvn/Chain-25")
    by_env = duvn.Agent("duvn-deep", made, seed=seed, hidden=[32, 32]).learn(total_episodes=60)
    assert by_id.native and by_env.native and made.unwrapped.map_seed == seed
    assert by_cli["weights_sha256"] == by_id.weights_sha256 == by_env.weights_sha256
    assert by_cli["steps"] == by_id.num_timesteps


def test_actors_side_by_side_learn_to_the_bits_of_the_command_line(train):
    args = ["CartPole-v1", "--agent", "duvn-deep", "--seeds", "1", "--steps", "600", "--set", "actors=3"]
    by_cli = train(*args, "--set", "hidden=16", "--set", "trunk=16")
    knobs = {"hidden": [16], "trunk": [16]}
    vector = gymnasium.make_vec("duvn/CartPole-v1", num_envs=3)
    agent = duvn.Agent("duvn-deep", vector, seed=1, **knobs).learn(600)
    assert agent.native and agent.weights_sha256 == by_cli["weights_sha256"]
    alone = duvn.Agent("duvn-deep", "duvn/CartPole-v1", seed=1, actors=3, **knobs).learn(600)
    assert alone.weights_sha256 == by_cli["weights_sha256"]


def test_python_in_the_loop_changes_no_bit():
    class Wrapped(gymnasium.Wrapper):
        """Nothing, but Python has to be asked."""

    native = duvn.Agent("duvn", "duvn/CartPole-v1", seed=2, **SMALL).learn(400)
    for id in ("CartPole-v1", "duvn/CartPole-v1"):
        asked = duvn.Agent("duvn", Wrapped(gymnasium.make(id)), seed=2, **SMALL).learn(400)
        assert not asked.native and asked.weights_sha256 == native.weights_sha256, id
        assert asked.episode_returns == native.episode_returns


def test_steps_at_a_time_do_not_matter():
    whole = duvn.Agent("duvn-deep", "duvn/Chain-10", **SMALL).learn(300)
    parts = duvn.Agent("duvn-deep", "duvn/Chain-10", **SMALL)
    for _ in range(3):
        parts.learn(100)
    called = []
    asked = duvn.Agent("duvn-deep", "duvn/Chain-10", **SMALL)
    asked.learn(300, callback=lambda agent: called.append(agent.num_timesteps))
    assert whole.weights_sha256 == parts.weights_sha256 == asked.weights_sha256
    assert called == list(range(1, 301))


def test_an_environment_of_ones_own_is_learnt():
    agent = duvn.Agent("egreedy", Corridor(), seed=0, epsilon=0.3, **SMALL).learn(2000)
    assert np.mean(agent.episode_returns[-100:]) > 0.4
    actions, state = agent.predict(np.arange(4, 7))
    assert state is None and (actions == 2).all()
    action, _ = agent.predict(5)
    assert action == 2 and action.shape == ()
    assert duvn.evaluate_policy(agent, Corridor(), 3) == (1.0, 0.0)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_vector_environments_of_others_are_learnt(mode):
    env = SyncVectorEnv([Corridor] * 3, autoreset_mode=mode)
    agent = duvn.Agent("egreedy", env, seed=0, epsilon=0.3, **SMALL).learn(3000)
    assert not agent.native and agent.num_timesteps >= 3000
    assert np.mean(agent.episode_returns[-100:]) > 0.4
    # Every episode counts its own steps and no resets.
    assert all(length in (3, *range(5, 31, 2)) for ret, length in zip(agent.episode_returns, agent.episode_lengths) if ret)


def test_errors_of_an_environment_come_through():
    agent = duvn.Agent("egreedy", Corridor(fail_at=20), **SMALL)
    with pytest.raises(KeyError, match="the corridor is closed"):
        agent.learn(100)

    class NoReset(Corridor):
        def reset(self, *, seed=None, options=None):
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        duvn.Agent("egreedy", NoReset(), **SMALL).learn(10)


def test_knobs_are_checked_in_the_words_of_the_command_line(cli):
    for knobs, set_ in [({"gama": 0.9}, "gama=0.9"), ({"keep": 2.0}, "keep=2.0"), ({"members": 3}, "members=3")]:
        with pytest.raises(ValueError) as error:
            duvn.Agent("duvn", "duvn/Toy", **knobs)
        done = subprocess.run([cli, "train", "Toy", "--agent", "duvn", "--set", set_], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.strip() == f"duvn: {error.value}"
    with pytest.raises(ValueError, match="did you mean|there is no"):
        duvn.Agent("duvm", "duvn/Toy")


def test_spaces_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="FlattenObservation"):
        duvn.Agent("duvn", gymnasium.make("Blackjack-v1"))
    with pytest.raises(ValueError, match="Discrete"):
        duvn.Agent("duvn", gymnasium.make("Pendulum-v1"))
    with pytest.raises(ValueError, match="make_vec"):
        duvn.Agent("duvn", gymnasium.make("CartPole-v1"), actors=3)
    with pytest.raises(TypeError, match="gymnasium.Env"):
        duvn.Agent("duvn", 3)


RESUME = """
import sys, duvn
agent = duvn.Agent.load(sys.argv[1])
agent.learn(int(sys.argv[2]))
print(agent.weights_sha256, agent.num_timesteps)
"""


@pytest.mark.parametrize("preset", ["duvn", "duvn-deep", "bootdqn"])
def test_a_new_process_goes_on_to_the_same_bits(preset, tmp_path):
    knobs = {"hidden": [8], **({"members": 3} if preset == "bootdqn" else {})}
    whole = duvn.Agent(preset, "duvn/CartPole-v1", seed=4, **knobs).learn(500)
    half = duvn.Agent(preset, "duvn/CartPole-v1", seed=4, **knobs).learn(237)
    path = tmp_path / "agent.safetensors"
    half.save(path)
    done = subprocess.run([sys.executable, "-c", RESUME, path, "263"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [whole.weights_sha256, "500"]
    assert half.learn(263).weights_sha256 == whole.weights_sha256, "saving changed nothing"


def test_an_environment_that_cannot_be_frozen_begins_anew_and_says_so(tmp_path):
    agent = duvn.Agent("duvn", gymnasium.make("CartPole-v1"), **SMALL).learn(100)
    with pytest.warns(UserWarning, match="cannot be frozen"):
        agent.save(tmp_path / "agent")
    again = duvn.Agent.load(tmp_path / "agent", gymnasium.make("CartPole-v1"))
    assert again.learn(50).num_timesteps == 150


def test_pickle_freezes_what_it_can(tmp_path):
    whole = duvn.Agent("duvn", gymnasium.make("CartPole-v1"), seed=5, **SMALL).learn(300)
    half = duvn.Agent("duvn", gymnasium.make("CartPole-v1"), seed=5, **SMALL).learn(145)
    half.save(tmp_path / "agent", pickle_env=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        duvn.Agent.load(tmp_path / "agent", gymnasium.make("CartPole-v1"))
    again = duvn.Agent.load(tmp_path / "agent", gymnasium.make("CartPole-v1"), allow_pickle=True).learn(155)
    assert again.weights_sha256 == whole.weights_sha256


def test_slips_of_the_pen_are_answered_with_what_to_write():
    env = Corridor()
    with pytest.raises(TypeError, match='Agent\\("duvn-deep", env\\)'):
        duvn.Agent(env, "duvn-deep")
    with pytest.raises(gymnasium.error.NameNotFound, match="write 'duvn/Chain-10'"):
        duvn.Agent("dqn", "Chain-10")
    for seed in (None, -1):
        with pytest.raises(ValueError, match="seed is"):
            duvn.Agent("dqn", env, seed=seed)
    agent = duvn.Agent("egreedy", env, hidden=[8])
    for steps in (-5, 10.5):
        with pytest.raises(ValueError, match=f"total_timesteps is {steps}"):
            agent.learn(steps)
    assert agent.learn(1e2).num_timesteps == 100
    with pytest.raises(ValueError, match="NaN"):
        duvn.Agent("egreedy", "duvn/CartPole-v1", hidden=[8]).predict(np.full(4, np.nan))
    assert "egreedy, seed 0, 100 steps" in repr(agent)
    for way in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="agent.save"):
            way(agent)


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        duvn.Agent.load(tmp_path / "nothing")
    (tmp_path / "bad").write_bytes(b"no agent")
    with pytest.raises(ValueError, match="damaged"):
        duvn.Agent.load(tmp_path / "bad")
    agent = duvn.Agent("duvn", "duvn/Chain-5", **SMALL)
    agent.save(tmp_path / "chain")
    with pytest.raises(ValueError, match="was made for"):
        duvn.Agent.load(tmp_path / "chain", gymnasium.make("CartPole-v1"))
    agent.save(tmp_path / "small", keep="knowledge")
    assert duvn.Agent.load(tmp_path / "small").predict(0)[0] == agent.predict(0)[0]


def test_looking_changes_nothing_and_beliefs_are_tables():
    a = duvn.Agent("duvn", "duvn/Chain-10", **SMALL).learn(200)
    b = duvn.Agent("duvn", "duvn/Chain-10", **SMALL).learn(200)
    beliefs = a.beliefs(np.arange(11), draws=10)
    for table in (beliefs.mean, beliefs.sigma, beliefs.spread, beliefs.probability):
        assert table.shape == (11, 2) and np.isfinite(table).all()
    assert np.allclose(beliefs.probability.sum(1), 1) and (beliefs.sigma > 0).all() and (beliefs.spread >= 0).all()
    one = a.inspect(3, draws=10)
    assert one.mean.shape == (2,) and np.allclose(one.mean, beliefs.mean[3])
    a.predict(np.arange(11), deterministic=False)
    assert a.learn(100).weights_sha256 == b.learn(100).weights_sha256
    with pytest.raises(ValueError, match="outside"):
        a.predict(11)


def test_exploring_predictions_vary_and_best_ones_do_not():
    agent = duvn.Agent("egreedy", "duvn/CartPole-v1", epsilon=0.5, **SMALL)
    seen = np.zeros((200, 4), np.float32)
    assert len(set(agent.predict(seen)[0].tolist())) == 1
    assert len(set(agent.predict(seen, deterministic=False)[0].tolist())) == 2


class Recorder(duvn.BaseCallback):
    def __init__(self):
        super().__init__()
        self.calls = []

    def _on_training_start(self):
        self.calls.append("start")

    def _on_step(self):
        self.logger.record("custom/steps", self.num_timesteps)
        return self.num_timesteps < 50

    def _on_training_end(self):
        self.calls.append("end")


def test_callbacks_are_called_and_stop_training():
    agent, recorder = duvn.Agent("egreedy", "duvn/Chain-5", **SMALL), Recorder()
    agent.learn(1000, callback=recorder)
    assert (agent.num_timesteps, recorder.n_calls, recorder.calls) == (50, 50, ["start", "end"])
    assert recorder.model is agent and recorder.training_env is agent.get_env()
    ended = []

    def by_locals(locals_, globals_):
        ended.extend(info["episode"] for info in locals_["infos"] if "episode" in info)
        return len(ended) < 3

    agent.learn(1000, callback=by_locals)
    assert len(ended) == 3
    evaluation = duvn.EvalCallback(gymnasium.make("duvn/Chain-5"), n_eval_episodes=2, eval_freq=40)
    agent.learn(100, callback=[evaluation, lambda agent: None])
    assert len(evaluation.evaluations) == 2
    with pytest.raises(TypeError, match="BaseCallback"):
        agent.learn(10, callback=3)


def test_progress_and_log_lines(capsys):
    duvn.Agent("egreedy", "duvn/Chain-5", **SMALL).learn(200, progress_bar=True, log_interval=20)
    said = capsys.readouterr().err
    assert "ep_rew_mean" in said and "200" in said
    with pytest.raises(ValueError, match="for how long"):
        duvn.Agent("egreedy", "duvn/Chain-5", **SMALL).learn()


def test_two_threads_train_at_once_to_the_bits_of_one():
    def train(seed, into):
        into[seed] = duvn.Agent("duvn", "duvn/CartPole-v1", seed=seed, **SMALL).learn(500).weights_sha256

    alone, together = {}, {}
    for seed in (0, 1):
        train(seed, alone)
    threads = [threading.Thread(target=train, args=(seed, together)) for seed in (0, 1)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert alone == together


def test_an_agent_that_learns_elsewhere_says_it_is_busy():
    agent, began = duvn.Agent("duvn", "duvn/CartPole-v1"), threading.Event()
    stop = []

    def learn():
        began.set()
        agent.learn(3000)
        stop.append(True)

    thread = threading.Thread(target=learn)
    thread.start()
    began.wait()
    busy = 0
    while not stop:
        try:
            agent.predict(np.zeros(4))
        except RuntimeError as error:
            assert "busy" in str(error)
            busy += 1
    thread.join()
    assert busy > 0


def test_nothing_is_left_behind():
    for _ in range(3):
        agent = duvn.Agent("duvn", Corridor(), **SMALL).learn(50)
    assert agent.num_timesteps == 50
    del agent
    gc.collect()


def test_it_knows_what_there_is():
    assert "duvn-deep" in duvn.presets() and "Chain-N" in duvn.environments()
    assert json.dumps(duvn.Agent("duvn", "duvn/Toy", gamma=0.5).config).find('"gamma": "0.5"') > 0
