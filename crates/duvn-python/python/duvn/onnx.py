"""What an agent has learnt, as ONNX: ``duvn.onnx.export("agent.safetensors", "agent.onnx")``.

The model takes ``observation`` (indices as int64, or rows of float32) and gives ``mean`` and ``sigma``, rows x actions, and
``action``, the one of the best mean.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .agent import Agent
from .network import EPSILON, Learnt, Weights, head, learnt, output, trunk


class _Graph:
    """Nodes and constants, with fresh names."""

    def __init__(self, activation: str) -> None:
        self.activation = {"relu": "Relu", "elu": "Elu", "tanh": "Tanh"}[activation]
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(self, kind: str, inputs: list[str], name: str | None = None, **attributes: Any) -> str:
        name = name or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def hidden(self, x: str, layers: list[tuple[Any, Any, Any]]) -> str:
        for weight, bias, gain in layers:
            x = self.node("MatMul", [x, self.constant(weight)])
            if gain is None:
                x = self.node("Add", [x, self.constant(bias)])
            else:
                inputs = [x, self.constant(gain), self.constant(bias)]
                x = self.node("LayerNormalization", inputs, axis=-1, epsilon=EPSILON)
            x = self.node(self.activation, [x])
        return x

    def network(self, x: str, weights: Weights, actions: int) -> str:
        x = self.hidden(x, trunk(weights))
        axis = self.constant(np.array([1], np.int64))
        heads = []
        for action in range(actions):
            weight, bias = output(weights, action)
            z = self.node("MatMul", [self.hidden(x, head(weights, action)), self.constant(weight)])
            heads.append(self.node("Unsqueeze", [self.node("Add", [z, self.constant(bias)]), axis]))
        return self.node("Concat", heads, axis=1)


def _sigma(graph: _Graph, z: str, what: Learnt) -> str:
    z = graph.node("Add", [z, graph.constant(np.float32(what.bias))])
    z = graph.node("Softplus" if what.link == "softplus" else "Abs", [z])
    return graph.node("Add", [z, graph.constant(np.float32(what.floor))])


def model(agent: Agent | str | os.PathLike[str]) -> Any:
    """The ONNX model of an agent, or of one in a file."""
    what = learnt(agent)
    graph = _Graph(what.activation)
    if what.states is not None:
        seen = helper.make_tensor_value_info("observation", TensorProto.INT64, ["rows"])
        depth, values = graph.constant(np.int64(what.states)), graph.constant(np.array([0, 1], np.float32))
        x = graph.node("OneHot", ["observation", depth, values], axis=-1)
    else:
        seen = helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["rows", what.width])
        x = graph.node("Sub", ["observation", graph.constant(what.middle)])
        x = graph.node("Div", [x, graph.constant(what.half)])
        if what.most < np.inf:
            x = graph.node("Clip", [x, graph.constant(np.float32(-what.most)), graph.constant(np.float32(what.most))])
        if what.constant:
            pads = graph.constant(np.array([0, 0, 0, 1], np.int64))
            x = graph.node("Pad", [x, pads, graph.constant(np.float32(1.0))])
    means, sigmas = [], []
    first, second = graph.constant(np.int64(0)), graph.constant(np.int64(1))
    for weights, prior in what.networks:
        z = graph.network(x, weights, what.actions)
        if prior is not None:
            added = graph.network(x, prior[0], what.actions)
            z = graph.node("Add", [z, graph.node("Mul", [added, graph.constant(np.array(prior[1], np.float32))])])
        means.append(graph.node("Gather", [z, first], axis=2))
        if what.outputs == 2:
            sigmas.append(_sigma(graph, graph.node("Gather", [z, second], axis=2), what))
    graph.node("Mean", means, "mean")
    if sigmas:
        graph.node("Mean", sigmas, "sigma")
    else:
        graph.node("Mul", ["mean", graph.constant(np.float32(0.0))], "sigma")
    graph.node("ArgMax", ["mean"], "action", axis=1, keepdims=0)
    given = [
        helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["rows", what.actions]),
        helper.make_tensor_value_info("sigma", TensorProto.FLOAT, ["rows", what.actions]),
        helper.make_tensor_value_info("action", TensorProto.INT64, ["rows"]),
    ]
    made = helper.make_graph(graph.nodes, "duvn", [seen], given, graph.constants)
    whole = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], producer_name="duvn")
    whole.ir_version = 8
    onnx.checker.check_model(whole)
    return whole


def export(agent: Agent | str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Writes the ONNX model of an agent, or of one in a file."""
    onnx.save(model(agent), os.fspath(path))
