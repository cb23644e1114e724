"""The environments of duvn in Gymnasium: ``gymnasium.make("duvn/CartPole-v1")``, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from . import _duvn

#: Sizes of families that have an id of their own; every other size is ``make("duvn/Chain", size=37)``.
SIZES: tuple[int, ...] = (*range(0, 101), 120, 128, 150, 200, 250, 256, 300, 400, 500, 512, 1000)


def space_of(description: tuple[Any, ...]) -> spaces.Discrete | spaces.Box:
    """A Gymnasium space from the description of one."""
    if description[0] == "discrete":
        return spaces.Discrete(int(description[1]))
    return spaces.Box(description[1], description[2], dtype=np.float32)


def _written(value: Any) -> str:
    """A parameter as it stands in an id."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, np.ndarray)):
        rows = [row.decode() if isinstance(row, bytes) else row for row in value]
        if all(isinstance(row, str) for row in rows):
            return "/".join(rows)
        if rows and isinstance(rows[0], (list, tuple, np.ndarray)):
            letters = [[cell.decode() if isinstance(cell, bytes) else str(cell) for cell in row] for row in rows]
            return "/".join("".join(row) for row in letters)
        return "/".join(repr(float(row)) for row in rows)
    return str(value)


def full_id(name: str, size: int | None = None, **parameters: Any) -> str:
    """The id of the command line: ``full_id("FrozenLake-v1", map_name="8x8")`` is ``FrozenLake-v1?map_name=8x8``."""
    name = name.removeprefix("duvn/")
    if size is not None:
        name = f"{name}-{int(size)}"
    # None is Gymnasium's way of saying nothing.
    given = {key: value for key, value in parameters.items() if value is not None}
    if "desc" in given:
        # Gymnasium takes the map of its own over a named one.
        given.pop("map_name", None)
        given.pop("map", None)
    query = "&".join(f"{key}={_written(value)}" for key, value in given.items())
    return f"{name}?{query}" if query else name


class Env(_duvn.EnvCore, gymnasium.Env[Any, Any]):
    """One environment. ``step`` is native: no line of Python runs in it.

    ``map_seed`` seeds what an environment draws once and for all (the right actions of a Chain); without it, 0, or the
    seed of the first `Agent` that is made with it, as in the command line.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 30}

    def __new__(
        cls, name: str, render_mode: str | None = None, map_seed: int | None = None, **parameters: Any
    ) -> Env:
        made: Env = _duvn.EnvCore.__new__(cls, full_id(name, **parameters), map_seed or 0)
        return made

    def __init__(
        self, name: str, render_mode: str | None = None, map_seed: int | None = None, **parameters: Any
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"there is no render_mode {render_mode!r}: write 'rgb_array' or 'ansi'")
        self.metadata = dict(self.metadata)
        self.render_mode = render_mode
        self.map_seed = map_seed
        self._made = (name, render_mode, map_seed, parameters)
        self._seeded = False
        seen, done = self.spaces()
        self.observation_space = space_of(seen)
        self.action_space = space_of(done)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode. The first one without a seed is seeded by the system, as in Gymnasium."""
        gymnasium.Env.reset(self, seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self._seeded = True
        return self.begin(seed), {}

    def render(self) -> Any:
        """A picture (height x width x 3) or a text, by ``render_mode``."""
        if self.render_mode == "rgb_array":
            return self.pixels()
        return self.text() if self.render_mode == "ansi" else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_again, (type(self), self._made), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_made"}
        return {"frozen": self.freeze(), "attributes": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        self.thaw(state["frozen"])

    def __repr__(self) -> str:
        return f"<duvn {self.full_id}>"

    def __str__(self) -> str:
        return repr(self)


def _make_again(cls: type[Env], made: tuple[Any, ...]) -> Env:
    name, render_mode, map_seed, parameters = made
    return cls(name, render_mode=render_mode, map_seed=map_seed, **parameters)


def final_infos(last: list[tuple[int, Any]], count: int) -> dict[str, Any]:
    """What Gymnasium tells of the episodes that a step ended where the next ones begin at once."""
    final = np.full(count, fill_value=None, dtype=object)
    mask = np.zeros(count, dtype=np.bool_)
    for at, observation in last:
        final[at] = observation
        mask[at] = True
    return {"final_obs": final, "_final_obs": mask, "final_info": {}, "_final_info": mask.copy()}


class VectorEnv(GymnasiumVectorEnv[Any, Any, Any]):
    """Many environments of one kind, stepped together in native code, with Gymnasium's three ways of resetting."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 30}

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        map_seed: int | None = None,
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        mode = autoreset_mode if isinstance(autoreset_mode, AutoresetMode) else AutoresetMode(autoreset_mode)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"there is no render_mode {render_mode!r}: write 'rgb_array' or 'ansi'")
        self._made = (name, num_envs, mode.value, map_seed, render_mode, parameters)
        self._core = _duvn.VectorCore(full_id(name, **parameters), map_seed or 0, num_envs, mode.value)
        self.num_envs = num_envs
        self.autoreset_mode = mode
        self.map_seed = map_seed
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self._seeded = False
        seen, done = self._core.spaces()
        self.single_observation_space = space_of(seen)
        self.single_action_space = space_of(done)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def full_id(self) -> str:
        """The id of the command line."""
        return self._core.full_id

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes everywhere, or where ``options["reset_mask"]`` is true."""
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, (int, np.integer)):
            seeds = [int(seed) + at for at in range(self.num_envs)]
        else:
            seeds = [None if one is None else int(one) for one in seed]
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {len(seeds)} seeds for {self.num_envs} environments: write one for each")
        if not self._seeded:
            system = np.random.default_rng()
            seeds = [int(system.integers(2**63)) if one is None else one for one in seeds]
        self._seeded = True
        mask = None
        if options is not None and "reset_mask" in options:
            mask = options["reset_mask"]
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask must be a NumPy array of {self.num_envs} booleans")
            if not mask.any():
                raise ValueError("reset_mask names no environment: write True for at least one")
            mask = mask.tolist()
        return self._core.begin(seeds, mask), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Acts everywhere."""
        return self._core.step(actions)

    def render(self) -> tuple[Any, ...] | None:
        """A picture or a text of each environment."""
        if self.render_mode is None:
            return None
        name, _, _, map_seed, render_mode, parameters = self._made
        frozen, _ = self._core.freeze()
        single = Env(name, render_mode=render_mode, map_seed=map_seed, **parameters)
        pictures = []
        for state in frozen:
            single.thaw(state)
            pictures.append(single.render())
        return tuple(pictures)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = {key: value for key, value in self.__dict__.items() if key not in ("_core", "_made")}
        return _make_vector_again, (type(self), self._made), {"frozen": self._core.freeze(), "attributes": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        self._core.thaw(*state["frozen"])


def _make_vector_again(cls: type[VectorEnv], made: tuple[Any, ...]) -> VectorEnv:
    name, num_envs, mode, map_seed, render_mode, parameters = made
    return cls(name, num_envs, mode, map_seed=map_seed, render_mode=render_mode, **parameters)


def _vector_entry(name: str, num_envs: int = 1, max_episode_steps: int | None = None, **kwargs: Any) -> VectorEnv:
    if max_episode_steps is not None:
        kwargs["time_limit"] = max_episode_steps
    return VectorEnv(name, num_envs, **kwargs)


def _register(id: str, name: str, threshold: float | None) -> None:
    if id in gymnasium.registry:
        return
    # gymnasium.register looks through all that is registered, which takes long for a thousand ids; this is what it does then.
    gymnasium.registry[id] = EnvSpec(
        id=id,
        entry_point="duvn.envs:Env",
        vector_entry_point="duvn.envs:_vector_entry",
        reward_threshold=threshold,
        # Both are done in native code.
        order_enforce=False,
        disable_env_checker=True,
        kwargs={"name": name},
    )


def register_all() -> None:
    """Makes every environment known to Gymnasium under ``duvn/``. Importing duvn does it."""
    for entry in _duvn.entries():
        if entry["sizes"] is None:
            _register(f"duvn/{entry['name']}", entry["name"], entry["reward_threshold"])
            continue
        least, most = entry["sizes"]
        _register(f"duvn/{entry['family']}", entry["family"], None)
        for size in SIZES:
            if least <= size <= most:
                name = f"{entry['family']}-{size}"
                _register(f"duvn/{name}", name, None)
