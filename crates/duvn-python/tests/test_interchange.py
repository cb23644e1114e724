"""What was learnt, in other programs."""

import gymnasium
import numpy as np
import pytest

import duvn

AGENTS = [
    ("egreedy", "duvn/Chain-6", {"hidden": [16, 16]}),
    ("duvn", "duvn/CartPole-v1", {"hidden": [16]}),
    ("duvn", "duvn/MountainCar-v0", {"hidden": [16], "inputs": "scaled"}),
    ("duvn", "duvn/MountainCar-v0", {"hidden": [16], "inputs": "running"}),
    ("bootdqn", "duvn/LunarLander-v3", {"hidden": [8], "members": 2, "inputs": "running"}),
    ("dqn", "duvn/CartPole-v1", {"hidden": [16], "trunk": [24, 16], "inputs": "running"}),
    ("duvn-deep", "duvn/CartPole-v1", {"hidden": [16], "trunk": [16]}),
    ("dqn", "duvn/Acrobot-v1", {"hidden": [16], "trunk": [24, 16]}),
    ("bootdqn", "duvn/CartPole-v1", {"hidden": [8], "members": 3}),
    ("duvn-deep", "duvn/Chain-6", {"hidden": [16]}),
    ("duvn", "duvn/CartPole-v1", {"hidden": [16], "activation": "elu"}),
    ("bootdqn", "duvn/Chain-6", {"hidden": [8], "members": 2, "activation": "tanh"}),
]


def trained(preset, id, knobs):
    """An agent, and states that it has seen or might see."""
    agent = duvn.Agent(preset, id, seed=1, **knobs).learn(300)
    space = agent.observation_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return agent, np.arange(int(space.n))
    env = gymnasium.make(id)
    env.action_space.seed(0)
    seen = [env.reset(seed=0)[0]]
    while len(seen) < 50:
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        seen.append(env.reset()[0] if terminated or truncated else observation)
    return agent, np.array(seen)


@pytest.mark.parametrize("preset, id, knobs", AGENTS, ids=lambda value: str(value))
def test_onnx_says_what_the_agent_says(preset, id, knobs, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    import duvn.onnx

    agent, seen = trained(preset, id, knobs)
    agent.save(tmp_path / "agent")
    duvn.onnx.export(tmp_path / "agent", tmp_path / "agent.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "agent.onnx")
    given = seen.astype(np.int64 if seen.ndim == 1 else np.float32)
    mean, sigma, action = session.run(None, {"observation": given})
    expected, spread = agent.outputs(seen)
    scale = max(1.0, np.abs(expected).max())
    assert np.abs(mean - expected).max() < 1e-5 * scale and np.abs(sigma - spread).max() < 1e-5 * scale
    assert (expected[np.arange(len(seen)), action] >= expected.max(1) - 1e-5 * scale).all()


def test_what_is_far_from_all_that_was_seen_counts_as_ten_deviations():
    from duvn.network import learnt

    agent, seen = trained("dqn", "duvn/CartPole-v1", {"hidden": [16], "trunk": [16], "inputs": "running"})
    what = learnt(agent)
    assert what.most == 10
    assert np.isfinite(what.middle).all() and (what.half > 0).all()
    far, edge = 1e6 * np.ones((1, 4), np.float32), (what.middle + 10.001 * what.half)[None]
    assert (agent.outputs(far)[0] == agent.outputs(edge)[0]).all()
    assert (agent.outputs(seen[:1])[0] != agent.outputs(edge)[0]).any()


def test_what_is_no_mean_and_sigma_stays_here():
    from duvn.network import learnt

    for preset, knobs in (("c51", {"atoms": 2}), ("qrdqn", {"quantiles": 2}), ("mixture", {}), ("dqn", {"apart": True})):
        with pytest.raises(ValueError, match="a mean or a Gaussian"):
            learnt(duvn.Agent(preset, "duvn/CartPole-v1", **knobs))


@pytest.mark.torch
@pytest.mark.parametrize("preset, id, knobs", AGENTS, ids=lambda value: str(value))
def test_pytorch_says_what_the_agent_says(preset, id, knobs, tmp_path):
    torch = pytest.importorskip("torch")
    import duvn.torch

    agent, seen = trained(preset, id, knobs)
    agent.save(tmp_path / "agent")
    module = duvn.torch.load(tmp_path / "agent")
    assert isinstance(module, torch.nn.Module)
    with torch.no_grad():
        mean, sigma = module(torch.from_numpy(seen))
    expected, spread = agent.outputs(seen)
    scale = max(1.0, np.abs(expected).max())
    assert np.abs(mean.numpy() - expected).max() < 1e-5 * scale
    assert np.abs(sigma.numpy() - spread).max() < 1e-5 * scale


def test_minari_keeps_episodes(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    for needed in ("minari", "h5py", "jax"):
        pytest.importorskip(needed)
    import duvn.minari

    agent = duvn.Agent("egreedy", "duvn/CartPole-v1", hidden=[8]).learn(200)
    for policy in (None, agent, lambda observation: np.int64(0)):
        name = f"duvn/cartpole/test{id(policy)}-v0"
        dataset = duvn.minari.collect(name, "duvn/CartPole-v1", policy, episodes=3, max_steps=30)
        assert dataset.total_episodes == 3
        again = dataset.recover_environment()
        assert again.unwrapped.full_id == "CartPole-v1"
        for number, episode in enumerate(dataset.iterate_episodes()):
            # The dataset is what the environment that it names gives for these seeds and actions.
            answers = [again.reset(seed=number), *(again.step(action) for action in episode.actions)]
            assert np.array_equal(episode.observations, [answer[0] for answer in answers])
            assert np.array_equal(episode.rewards, [answer[1] for answer in answers[1:]])
            assert len(episode.observations) == len(episode.actions) + 1 <= 31
