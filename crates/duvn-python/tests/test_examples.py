"""The examples run, and do what they say."""

import importlib.util
import os
import pathlib

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def picture(tmp_path):
    """Where a picture is to be; DUVN_PICTURES keeps it."""
    folder = pathlib.Path(os.environ.get("DUVN_PICTURES", tmp_path))
    yield lambda name: str(folder / f"{name}.png")


def test_own_environment(picture):
    path = picture("own_environment")
    assert load("own_environment").main(path) > 0.9
    assert pathlib.Path(path).stat().st_size > 5000


def test_uncertainties(picture):
    path = picture("uncertainties")
    assert load("uncertainties").main(path) < 1.0
    assert pathlib.Path(path).stat().st_size > 5000


def test_compare_presets(picture):
    path = picture("compare_presets")
    found = load("compare_presets").main(path)
    assert found["duvn-deep"] > found["egreedy"]
    assert pathlib.Path(path).stat().st_size > 5000


def test_on_ray(picture):
    ray = pytest.importorskip("ray")
    path = picture("on_ray")
    try:
        assert load("on_ray").main(path) >= 7
    finally:
        # Other tests start a Ray of their own.
        ray.shutdown()
    assert pathlib.Path(path).stat().st_size > 5000


@pytest.mark.torch
def test_to_pytorch(picture):
    path = picture("to_pytorch")
    assert load("to_pytorch").main(path) < 1e-3
    assert pathlib.Path(path).stat().st_size > 5000


def test_optuna_search():
    pytest.importorskip("optuna")
    assert load("optuna_search").main(2) >= 0.0
