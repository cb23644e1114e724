"""Reinforcement-learning agents that explore by their own uncertainty, and Gymnasium's environments in Rust.

>>> import duvn, gymnasium
>>> env = gymnasium.make("duvn/Chain-10")
>>> agent = duvn.Agent("duvn-deep", env, seed=0).learn(2000)
>>> action, _ = agent.predict(0)
"""

from . import _duvn, toml
from ._duvn import VERSION as __version__
from .agent import Agent, Beliefs
from .callbacks import BaseCallback, EvalCallback
from .envs import Env, VectorEnv, register_all
from .evaluation import evaluate_policy
from .lab import SweepError, SweepResult, merge, report, sweep
from .returns import Ire, ire, ire_figure

register_all()


def environments() -> list[str]:
    """The names of all environments; a family ends in -N."""
    return [entry["name"] for entry in _duvn.entries()]


def presets() -> list[str]:
    """The names of all agents."""
    return _duvn.presets()


__all__ = [
    "Agent",
    "BaseCallback",
    "Beliefs",
    "Env",
    "EvalCallback",
    "Ire",
    "SweepError",
    "SweepResult",
    "VectorEnv",
    "__version__",
    "environments",
    "evaluate_policy",
    "ire",
    "ire_figure",
    "merge",
    "presets",
    "register_all",
    "report",
    "sweep",
]
