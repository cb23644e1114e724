"""What the tests share."""

import json
import os
import pathlib
import subprocess

import pytest

import duvn

ROOT = pathlib.Path(__file__).parents[3]


def single_ids() -> list[str]:
    """One id of every environment."""
    from duvn import _duvn

    return [f"duvn/{entry['example']}" for entry in _duvn.entries() if "/" not in entry["name"]]


def experiment(name: str, environments: list, agents: list, *, episodes: int, seeds="0..2", hidden=8) -> dict:
    """An experiment on environments, by id or as they are written in a file, with agents, by preset or as written."""

    def entry(key: str, one) -> dict:
        return {key: one} if isinstance(one, str) else one

    return {
        "name": name,
        "seeds": seeds,
        "episodes": episodes,
        "settings": {"hidden": [hidden]},
        "environments": [entry("id", one) for one in environments],
        "agents": [entry("preset", one) for one in agents],
    }


@pytest.fixture(scope="session")
def cli() -> str:
    """The program `duvn`: DUVN_BIN, or what cargo has built."""
    named = os.environ.get("DUVN_BIN")
    candidates = [named] if named else [ROOT / "target" / kind / "duvn" for kind in ("debug", "release")]
    for candidate in candidates:
        if os.path.exists(candidate):
            return str(candidate)
    pytest.skip("the program duvn is not built: cargo build -p duvn")


@pytest.fixture
def train(cli):
    """Trains with the command line; gives the object that --json prints."""

    def run(*args: str) -> dict:
        env = {**os.environ, "DUVN_ISA": duvn._duvn.isa()}
        done = subprocess.run([cli, "train", *args, "--json"], capture_output=True, text=True, env=env, check=True)
        return json.loads(done.stdout.splitlines()[0])

    return run


def pytest_addoption(parser):
    parser.addoption("--steps", default="3000", help="steps to compare with Gymnasium, for each environment")
