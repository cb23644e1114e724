"""A sweep on a local Ray whose workers are killed equals one without Ray."""

import os
import signal
import threading

import pytest

import duvn
from conftest import experiment
from test_agent import Corridor

ray = pytest.importorskip("ray")
import duvn.ray  # noqa: E402 (it needs Ray)

EXPERIMENT = experiment("ray", ["Chain-20"], ["duvn-deep", "egreedy"], episodes=400, hidden=32)


@pytest.fixture(scope="module")
def cluster():
    here = os.path.dirname(__file__)
    ray.init(num_cpus=2, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": here}})
    yield
    ray.shutdown()


class Murderous(duvn.ray._Keeper):
    """Kills three workers: one before it has begun, one while it waits for its first folder to be taken, and one somewhere
    in its work. The first two wait for an answer, so that they cannot have ended by then."""

    def __init__(self):
        super().__init__()
        self.kills = ["begins", "sends", "works"]

    def begin(self, place, process):
        super().begin(place, process)
        if self.is_due("begins"):
            os.kill(process, signal.SIGKILL)

    def put(self, place, packed):
        super().put(place, packed)
        process = self.workers[place][-1]
        if self.is_due("sends"):
            os.kill(process, signal.SIGKILL)
        elif self.is_due("works"):
            threading.Timer(0.02, self.kill_if_there, [process]).start()

    def is_due(self, moment):
        due = self.kills[:1] == [moment]
        self.kills = self.kills[due:]
        return due

    def kill_if_there(self, process):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def test_killed_workers_change_nothing(cluster, tmp_path, monkeypatch):
    local = duvn.sweep(EXPERIMENT, out=tmp_path / "local", jobs=2)
    monkeypatch.setattr(duvn.ray, "_Keeper", Murderous)
    notes = {}
    far = duvn.ray.sweep(EXPERIMENT, out=tmp_path / "ray", checkpoint_every=0.05, max_retries=20, _notes=notes)
    assert sum(len(attempts) for attempts in notes["attempts"].values()) >= len(far.runs) + 2
    key = "weights_sha256", "episodes", "steps", "mean_return_last_100", "solved_episode"
    assert [[run[name] for name in key] for run in far.runs] == [[run[name] for name in key] for run in local.runs]
    assert far.done and "Chain-20" in far.report().read_text()
    # The records are the same as well, and merging them again adds nothing.
    assert duvn.merge(tmp_path / "local", [tmp_path / "ray"])[0] == 0


def test_ones_own_environment_and_failures(cluster, tmp_path):
    own = experiment("own", ["Corridor-v0"], ["egreedy"], episodes=20)
    far = duvn.ray.sweep(own, {"Corridor-v0": Corridor}, out=tmp_path / "own")
    near = duvn.sweep(own, {"Corridor-v0": Corridor}, out=tmp_path / "near")
    assert [run["weights_sha256"] for run in far.runs] == [run["weights_sha256"] for run in near.runs]
    with pytest.raises(duvn.SweepError, match="corridor is closed"):
        duvn.ray.sweep(own, {"Corridor-v0": Broken}, out=tmp_path / "broken", max_retries=1)


def Broken():
    return Corridor(fail_at=10)
