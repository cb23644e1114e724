"""The paper's Fig. 4 with Atari's Montezuma's Revenge, whose rewards are far away, and Breakout, whose rewards are near.

pip install ale-py, then: python crates/duvn-python/examples/ire_atari.py [picture.png] [minutes] [jobs]
"""

from __future__ import annotations

import sys
from typing import Any

import ale_py
import gymnasium

import duvn


def make(game: str) -> Any:
    """A game as its makers recommend it, without its picture: nobody looks at it here."""
    gymnasium.register_envs(ale_py)
    return gymnasium.make(f"ALE/{game}-v5", obs_type="ram")


def montezuma() -> Any:
    """A key, a ladder and a skull before the first reward."""
    return make("MontezumaRevenge")


def breakout() -> Any:
    """A reward for every brick."""
    return make("Breakout")


def main(picture: str = "ire_atari.png", minutes: float = 30.0, jobs: int | None = None) -> list[duvn.Ire]:
    """Samples as many traces as the time allows, half of it for each game, and draws them beside tasks of ours."""
    names = ("Chain-10", "CartPole-v1", "MountainCar-v0")
    found = [duvn.ire(f"duvn/{name}", traces=20_000, jobs=jobs, name=name) for name in names]
    for game in (montezuma, breakout):
        sampled = duvn.ire(game, traces=32, jobs=jobs, processes=True, minutes=minutes / 2, name=game.__name__)
        found.append(sampled)
    said = ", ".join(f"{one.env} {one.traces:,}" for one in found)
    duvn.ire_figure(found, picture, footer=f"Traces of at most 500 steps: {said}.")
    for one in found:
        print(f"{one.env}: mean {one.mean:.3f}, sd {one.sd:.3f}, entropy {one.entropy_nats:.3f} nats, {one.traces} traces")
    return found


if __name__ == "__main__":
    main(
        sys.argv[1] if len(sys.argv) > 1 else "ire_atari.png",
        float(sys.argv[2]) if len(sys.argv) > 2 else 30.0,
        int(sys.argv[3]) if len(sys.argv) > 3 else None,
    )
