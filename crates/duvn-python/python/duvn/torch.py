"""What an agent has learnt, in PyTorch: ``duvn.torch.load("agent.safetensors")`` is an ``nn.Module``.

It takes observations as they are (indices, or rows of numbers) and gives the mean and the sigma of every action's return, as
`Agent.outputs` does. Linear layers hold the transposed weights: ours are [in, out].
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import nn

from .agent import Agent
from .network import EPSILON, Learnt, Weights, head, learnt, output, trunk


def _linear(weight: Any, bias: Any) -> nn.Linear:
    layer = nn.Linear(weight.shape[0], weight.shape[1], bias=bias is not None)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weight.T.copy()))
        if bias is not None:
            layer.bias.copy_(torch.from_numpy(bias.copy()))
    return layer


#: By the name of the knob.
_ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "elu": nn.ELU, "tanh": nn.Tanh}


def _hidden(layers: list[tuple[Any, Any, Any]], activation: str) -> nn.Sequential:
    modules: list[nn.Module] = []
    for weight, bias, gain in layers:
        if gain is None:
            modules.append(_linear(weight, bias))
        else:
            # The layer's bias is the offset after the normalisation.
            modules.append(_linear(weight, None))
            norm = nn.LayerNorm(weight.shape[1], eps=EPSILON)
            with torch.no_grad():
                norm.weight.copy_(torch.from_numpy(gain.copy()))
                norm.bias.copy_(torch.from_numpy(bias.copy()))
            modules.append(norm)
        modules.append(_ACTIVATIONS[activation]())
    return nn.Sequential(*modules)


class Network(nn.Module):
    """A trunk that all actions share, and a head for each."""

    def __init__(self, weights: Weights, actions: int, activation: str) -> None:
        super().__init__()
        self.trunk = _hidden(trunk(weights), activation)
        self.heads = nn.ModuleList(
            nn.Sequential(_hidden(head(weights, action), activation), _linear(*output(weights, action)))
            for action in range(actions)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """rows x actions x outputs."""
        x = self.trunk(x)
        return torch.stack([one(x) for one in self.heads], dim=1)


class Values(nn.Module):
    """Mean and sigma of every action's return."""

    def __init__(self, what: Learnt) -> None:
        super().__init__()
        self.what = what
        self.networks = nn.ModuleList(Network(weights, what.actions, what.activation) for weights, _ in what.networks)
        priors = [prior for _, prior in what.networks if prior is not None]
        self.priors = nn.ModuleList(Network(weights, what.actions, what.activation) for weights, _ in priors)
        self.priors.requires_grad_(False)
        self.register_buffer("factors", torch.tensor(priors[0][1] if priors else [0.0] * what.outputs))
        self.register_buffer("centre", torch.from_numpy(what.middle.copy()))
        self.register_buffer("extent", torch.from_numpy(what.half.copy()))

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and sigma, rows x actions each."""
        if self.what.states is not None:
            x = nn.functional.one_hot(observations.long().reshape(-1), self.what.states).float()
        else:
            x = (observations.float().reshape(-1, self.what.width) - self.centre) / self.extent
            if self.what.most < float("inf"):
                x = x.clamp(-self.what.most, self.what.most)
            if self.what.constant:
                x = torch.cat([x, torch.ones_like(x[:, :1])], dim=1)
        means, sigmas = [], []
        for number, network in enumerate(self.networks):
            z = network(x)
            if len(self.priors):
                z = z + self.priors[number](x) * self.factors
            means.append(z[..., 0])
            sigmas.append(self._sigma(z))
        return torch.stack(means).mean(0), torch.stack(sigmas).mean(0)

    def _sigma(self, z: torch.Tensor) -> torch.Tensor:
        if self.what.outputs == 1:
            return torch.zeros_like(z[..., 0])
        shifted = z[..., 1] + self.what.bias
        linked = nn.functional.softplus(shifted) if self.what.link == "softplus" else shifted.abs()
        return self.what.floor + linked


def load(agent: Agent | str | os.PathLike[str]) -> Values:
    """The networks of an agent, or of one in a file, in evaluation mode."""
    module = Values(learnt(agent))
    module.eval()
    return module
