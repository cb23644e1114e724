"""A sweep on a local Ray whose workers are killed equals one without Ray."""

import os
import signal
import threading

import pytest

import duvn
from conftest import experiment
from test_agent import Corridor

ray = pytest.importorskip("ray")

EXPERIMENT = experiment("ray", ["Chain-20"], ["duvn-deep", "egreedy"], episodes=400, hidden=32)


@pytest.fixture(scope="module")
def cluster():
    here = os.path.dirname(__file__)
    ray.init(num_cpus=2, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": here}})
    yield
    ray.shutdown()


def test_killed_workers_change_nothing(cluster, tmp_path):
    import duvn.ray

    local = duvn.sweep(EXPERIMENT, out=tmp_path / "local", jobs=2)
    killed, over, notes = [], threading.Event(), {}

    def kill():
        # Those that work on runs are killed again and again, while they work; the keeper knows who they are.
        while not over.wait(0.6) and len(killed) < 4:
            attempts = ray.get(notes["keeper"].attempts.remote()) if "keeper" in notes else {}
            for process in [tries[-1] for tries in attempts.values() if tries[-1] not in killed][:1]:
                try:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
                except ProcessLookupError:
                    pass

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        far = duvn.ray.sweep(EXPERIMENT, out=tmp_path / "ray", checkpoint_every=0.3, max_retries=20, _notes=notes)
    finally:
        over.set()
        killer.join()
    assert killed and sum(len(attempts) for attempts in notes["attempts"].values()) > len(far.runs)
    key = "weights_sha256", "episodes", "steps", "mean_return_last_100", "solved_episode"
    assert [[run[name] for name in key] for run in far.runs] == [[run[name] for name in key] for run in local.runs]
    assert far.done and "Chain-20" in far.report().read_text()
    # The records are the same as well, and merging them again adds nothing.
    assert duvn.merge(tmp_path / "local", [tmp_path / "ray"])[0] == 0


def test_ones_own_environment_and_failures(cluster, tmp_path):
    import duvn.ray

    own = experiment("own", ["Corridor-v0"], ["egreedy"], episodes=20)
    far = duvn.ray.sweep(own, {"Corridor-v0": Corridor}, out=tmp_path / "own")
    near = duvn.sweep(own, {"Corridor-v0": Corridor}, out=tmp_path / "near")
    assert [run["weights_sha256"] for run in far.runs] == [run["weights_sha256"] for run in near.runs]
    with pytest.raises(duvn.SweepError, match="corridor is closed"):
        duvn.ray.sweep(own, {"Corridor-v0": Broken}, out=tmp_path / "broken", max_retries=1)


def Broken():
    return Corridor(fail_at=10)
