"""Load what an agent has learnt into PyTorch.

python crates/duvn-python/examples/to_pytorch.py [picture.png]
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import matplotlib.pyplot as plt
import numpy as np
import torch

import duvn
import duvn.torch


def main(picture: str = "to_pytorch.png") -> float:
    """Draws the values of MountainCar as PyTorch computes them; gives the largest difference from the agent's own."""
    agent = duvn.Agent("duvn-deep", "duvn/MountainCar-v0", seed=0, hidden=[32], trunk=[32]).learn(3000)
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "car.safetensors"
        agent.save(path)
        module = duvn.torch.load(path)
    position, velocity = np.meshgrid(np.linspace(-1.2, 0.6, 60), np.linspace(-0.07, 0.07, 60))
    states = np.stack([position.ravel(), velocity.ravel()], axis=1).astype(np.float32)
    with torch.no_grad():
        mean, sigma = module(torch.from_numpy(states))
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    best = mean.argmax(dim=1, keepdim=True)
    for axis, values, title in ((axes[0], mean, "mean of the best action"), (axes[1], sigma, "sigma of the best action")):
        shown = values.gather(1, best).numpy().reshape(60, 60)
        drawn = axis.pcolormesh(position, velocity, shown, shading="auto")
        figure.colorbar(drawn, ax=axis)
        axis.set(title=title, xlabel="position", ylabel="velocity")
    figure.suptitle("MountainCar after 3,000 steps, in PyTorch")
    figure.savefig(picture, dpi=120)
    plt.close(figure)
    return float(np.abs(mean.numpy() - agent.outputs(states)[0]).max())


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
