"""Sweeps with environments of ours and of one's own, and exploration difficulty."""

import subprocess

import gymnasium
import numpy as np
import pytest

import duvn
from conftest import experiment
from test_agent import Corridor

GREEDY = {"name": "greedy", "preset": "egreedy", "settings": {"epsilon": 0.1}}
CHAINS = experiment("python chains", ["Chain-5", {"id": "Toy", "episodes": 15}], ["duvn", GREEDY], episodes=25)


def test_a_dictionary_gives_the_records_of_the_command_line(cli, tmp_path):
    result = duvn.sweep(CHAINS, out=tmp_path / "python", jobs=2)
    assert result.done and len(result.runs) == 8 and len(result.of(agent="greedy", env="Toy")) == 2
    file = tmp_path / "chains.toml"
    file.write_text(duvn.toml.dumps(CHAINS))
    by_cli = [cli, "--isa", duvn._duvn.isa(), "sweep", file, "--out", tmp_path / "cli"]
    subprocess.run(by_cli, check=True, capture_output=True)
    for place in ("python", "cli"):
        subprocess.run([cli, "export", tmp_path / place, "--csv"], check=True, capture_output=True)
    tables = [sorted(folder.rglob("*.csv")) for folder in (tmp_path / "python", tmp_path / "cli")]
    names = [[path.name for path in paths] for paths in tables]
    assert names[0] == names[1] and names[0]
    episodes = [next(path for path in paths if "episode" in path.name).read_text() for paths in tables]
    assert episodes[0] == episodes[1]
    again = duvn.sweep(CHAINS, out=tmp_path / "python")
    assert [run["weights_sha256"] for run in again.runs] == [run["weights_sha256"] for run in result.runs]
    page = result.report()
    assert "Chain-5" in page.read_text()
    checked = subprocess.run([cli, "check", tmp_path / "python"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_ones_own_environment_has_records_and_a_report(tmp_path):
    environments, agents = ["Corridor-v0", "Chain-5"], ["duvn-deep", "egreedy"]
    corridor = experiment("corridor", environments, agents, episodes=80, seeds="0..3", hidden=16)
    said = []
    result = duvn.sweep(
        corridor, {"Corridor-v0": Corridor}, out=tmp_path, jobs=2, progress=lambda done, total: said.append((done, total))
    )
    assert len(result.runs) == 12 and result.done and said[-1][1] == 12
    deep = result.of(env="Corridor-v0", agent="duvn-deep")
    assert [(run["seed"], run["episodes"]) for run in deep] == [(0, 80), (1, 80), (2, 80)]
    # The same run, made by hand.
    agent = duvn.Agent("duvn-deep", Corridor(), seed=deep[1]["seed"], hidden=[16]).learn(total_episodes=80)
    assert agent.weights_sha256 == deep[1]["weights_sha256"]
    assert "Corridor-v0" in result.report().read_text()


def test_failures_are_told_and_recorded(tmp_path):
    broken = experiment("broken", ["Broken-v0"], ["egreedy"], episodes=50, seeds="0")
    with pytest.raises(duvn.SweepError, match="the corridor is closed") as error:
        duvn.sweep(broken, {"Broken-v0": lambda: Corridor(fail_at=20)}, out=tmp_path)
    assert error.value.result.runs[0]["status"] == "failed"
    with pytest.raises(ValueError, match="line"):
        duvn.sweep({**broken, "environments": [{"id": "Nowhere-v0"}]}, out=tmp_path)
    with pytest.raises(ValueError, match="another name"):
        duvn.sweep(broken, {"CartPole-v1": Corridor}, out=tmp_path)
    with pytest.raises(TypeError, match="gymnasium.Env"):
        duvn.sweep(broken, {"Broken-v0": dict}, out=tmp_path)


def seeded_chain(seed):
    return gymnasium.make("duvn/Chain-6", map_seed=seed)


def test_a_maker_is_given_the_seed_of_its_run(tmp_path):
    seeded = experiment("seeded", ["Own-v0", "Chain-6"], ["duvn"], episodes=30)
    runs = duvn.sweep(seeded, {"Own-v0": seeded_chain}, out=tmp_path).runs
    weights = {(run["env"], run["seed"]): run["weights_sha256"] for run in runs}
    for seed in (0, 1):
        assert weights["Own-v0", seed] == weights["Chain-6", seed]


def make_lake():
    return gymnasium.make("FrozenLake-v1")


def test_exploration_difficulty_of_anything(tmp_path):
    ours = duvn.ire("duvn/FrozenLake-v1", traces=2000)
    theirs = duvn.ire(make_lake, traces=2000, jobs=2)
    assert np.array_equal(ours.returns, theirs.returns) and ours.entropy_nats == theirs.entropy_nats
    spread = duvn.ire(make_lake, traces=2000, jobs=2, processes=True)
    assert np.array_equal(ours.returns, spread.returns)
    toy = duvn.ire("duvn/Toy", traces=5000)
    assert abs(toy.entropy_nats - np.log(4)) < 0.01 and abs(toy.mean - 1.5) < 0.1
    # Observations of any kind, and continuous actions.
    assert duvn.ire("Blackjack-v1", traces=100).traces == 100
    rounds = duvn.ire(make_lake, traces=50, minutes=0.005)
    assert rounds.traces > 50 and rounds.traces % 50 == 0
    assert np.array_equal(rounds.returns, duvn.ire(make_lake, traces=rounds.traces).returns)
    assert np.isfinite(duvn.ire("Pendulum-v1", traces=5, max_steps=20).mean)
    for ending, first in (("svg", b"<svg"), ("png", b"\x89PNG")):
        path = tmp_path / f"ire.{ending}"
        duvn.ire_figure([ours, toy], path, footer="2,000 and 5,000 traces")
        assert path.read_bytes().startswith(first)
    with pytest.raises(ValueError, match="at least one trace"):
        duvn.ire("duvn/Toy", traces=0)


def test_the_difficulty_is_that_of_the_command_line(cli):
    import json

    said = subprocess.run([cli, "ire", "Chain-4", "--traces", "3000", "--json"], capture_output=True, text=True, check=True)
    line = json.loads(said.stdout)
    found = duvn.ire("duvn/Chain-4", traces=3000)
    assert (line["mean"], line["sd"], line["entropy_nats"]) == (found.mean, found.sd, found.entropy_nats)
