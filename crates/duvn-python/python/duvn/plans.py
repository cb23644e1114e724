"""How the spaces of a Gymnasium environment are those of an agent."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

#: Observations, where their numbers begin, actions, where theirs begin, the shape of an action.
Plan = tuple[tuple[Any, ...], int, tuple[Any, ...], int, tuple[int, ...]]

_WRAPPERS = {
    spaces.Dict: "gymnasium.wrappers.FlattenObservation",
    spaces.Tuple: "gymnasium.wrappers.FlattenObservation",
    spaces.MultiDiscrete: "gymnasium.wrappers.FlattenObservation",
    spaces.MultiBinary: "gymnasium.wrappers.FlattenObservation",
}


def _described(space: Any, what: str) -> tuple[tuple[Any, ...], int]:
    if isinstance(space, spaces.Discrete):
        return ("discrete", int(space.n)), int(space.start)
    if isinstance(space, spaces.Box):
        low = np.ascontiguousarray(space.low, dtype=np.float32).reshape(-1)
        high = np.ascontiguousarray(space.high, dtype=np.float32).reshape(-1)
        return ("box", low, high), 0
    wrapper = next((name for kind, name in _WRAPPERS.items() if isinstance(space, kind)), None)
    hint = f": wrap it in {wrapper}" if wrapper else ""
    raise ValueError(f"the {what} space is {space}; agents take Discrete and Box{hint}")


def blind_plan(action_space: Any) -> Plan:
    """The plan of an environment whose observations nobody looks at."""
    if isinstance(action_space, spaces.Discrete):
        return ("none",), 0, ("discrete", int(action_space.n)), int(action_space.start), ()
    if isinstance(action_space, spaces.Box):
        actions, _ = _described(action_space, "action")
        return ("none",), 0, actions, 0, tuple(int(side) for side in action_space.shape)
    raise ValueError(f"the action space is {action_space}: write an environment with a Discrete or Box one")


def plan_of(observation_space: Any, action_space: Any) -> Plan:
    """The plan of an environment with these spaces; agents need discrete actions."""
    observations, first = _described(observation_space, "observation")
    if isinstance(action_space, spaces.Discrete):
        return observations, first, ("discrete", int(action_space.n)), int(action_space.start), ()
    raise ValueError(
        f"the action space is {action_space}: these agents need Discrete(n) with n from 1 to 256; "
        "for a few values of a Box, wrap the environment in gymnasium.wrappers.TransformAction"
    )
