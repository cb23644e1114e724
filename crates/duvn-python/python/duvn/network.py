"""What an agent has learnt, as plain arrays: the common ground of `duvn.torch` and `duvn.onnx`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _duvn
from .agent import Agent

Weights = dict[str, npt.NDArray[np.float32]]

#: Added to the variance of a row by layer normalisation.
EPSILON = 1e-5


@dataclass(frozen=True)
class Learnt:
    """Networks whose mean outputs are the mean and the sigma of every action's return."""

    #: Weights by name, and those of the fixed random network that is added, with the factors on its outputs.
    networks: list[tuple[Weights, tuple[Weights, list[float]] | None]]
    actions: int
    #: 1 (mean) or 2 (mean and sigma) numbers an action.
    outputs: int
    #: The number of states where observations are indices, else None.
    states: int | None
    #: Numbers of an observation.
    width: int
    #: (x - middle) / half of every component of a box; 0 and 1 where it stays as it is.
    middle: npt.NDArray[np.float32]
    half: npt.NDArray[np.float32]
    #: How far from 0 a component can be after that; infinity where there is no limit.
    most: float
    #: Whether a constant 1 stands behind the numbers of a box.
    constant: bool
    #: What a hidden unit makes of its sum: relu, elu or tanh.
    activation: str
    #: sigma = floor + link(z + bias).
    link: str
    bias: float
    floor: float


def _layers(weights: Weights, prefix: str) -> list[tuple[Any, Any, Any]]:
    """Weight [in, out], bias, and gain or None, of every hidden layer under a prefix."""
    layers, index = [], 0
    while f"{prefix}.{index}.weight" in weights:
        name = f"{prefix}.{index}"
        layers.append((weights[f"{name}.weight"], weights[f"{name}.bias"], weights.get(f"{name}.gain")))
        index += 1
    return layers


def trunk(weights: Weights) -> list[tuple[Any, Any, Any]]:
    """The hidden layers that all actions share."""
    return _layers(weights, "trunk")


def head(weights: Weights, action: int) -> list[tuple[Any, Any, Any]]:
    """The hidden layers of one action."""
    return _layers(weights, f"head.{action}")


def output(weights: Weights, action: int) -> tuple[Any, Any]:
    """Weight and bias of one action's last layer."""
    return weights[f"head.{action}.output.weight"], weights[f"head.{action}.output.bias"]


def learnt(agent: Agent | str | os.PathLike[str]) -> Learnt:
    """The networks of an agent, or of one in a file."""
    core = agent._core if isinstance(agent, Agent) else _duvn.AgentCore.load(os.fspath(agent))
    networks = core.networks()
    if not networks:
        raise ValueError("this agent's posterior is more than networks: write another posterior to take it elsewhere")
    config = dict(core.config)
    observations, actions = core.spaces()
    outputs = int(output(networks[0][0], 0)[1].shape[0])
    if config.get("returns") not in ("mean", "gaussian") or config.get("apart") == "true":
        raise ValueError(
            "only agents whose return is a mean or a Gaussian can be taken elsewhere: this one has "
            f"returns={config.get('returns')}, apart={config.get('apart')}"
        )
    states = int(observations[1]) if observations[0] == "discrete" else None
    width = states if states is not None else len(observations[1])
    middle, half = np.zeros(width, np.float32), np.ones(width, np.float32)
    if states is None and config.get("inputs") == "scaled":
        low, high = np.asarray(observations[1]), np.asarray(observations[2])
        with np.errstate(over="ignore", invalid="ignore"):
            bounded = (high - low) < 1e6
            middle = np.where(bounded, np.float32(0.5) * (low + high), 0).astype(np.float32)
            half = np.where(bounded, np.float32(0.5) * (high - low), 1).astype(np.float32)
    most, running = np.inf, core.running()
    if running is not None:
        # A component that never changed has an infinite deviation: it is seen as 0.
        middle, half, most = np.float32(running[0]), np.float32(running[1]), running[2]
    return Learnt(
        networks=networks,
        actions=actions,
        outputs=outputs,
        states=states,
        width=width,
        middle=middle,
        half=np.maximum(half, np.finfo(np.float32).tiny),
        most=most,
        constant=states is None and config.get("layer_norm") == "true",
        activation=config.get("activation", "relu"),
        link=config.get("sigma_link", "softplus"),
        bias=float(config.get("sigma_bias", 0.0)),
        floor=float(config.get("sigma_floor", 0.0)),
    )
