"""Agents, with the habits of stable-baselines3."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from . import _duvn
from .callbacks import BaseCallback, Logger, as_callback
from .envs import Env, VectorEnv, full_id, space_of
from .plans import Plan, plan_of
from .progress import Progress

#: An SB3-style callback, a list of them, or a function of the agent that stops training by returning False.
Callback: TypeAlias = "BaseCallback | list[Any] | Callable[..., bool | None] | Any | None"
Floats: TypeAlias = npt.NDArray[np.float64]

#: Without a callback, the native loop comes back to Python this often, for Ctrl-C and the progress bar.
SLICE_SECONDS = 0.1


@dataclass(frozen=True)
class Beliefs:
    """What an agent believes: one row a state, one column an action (no rows where one state was asked for)."""

    #: The mean of the return.
    mean: Floats
    #: Return uncertainty: the mean standard deviation of the return.
    sigma: Floats
    #: Parametric uncertainty: the standard deviation of the mean over draws of the parameters.
    spread: Floats
    #: How likely the policy takes the action.
    probability: Floats


@dataclass(frozen=True)
class _Native:
    """An environment of ours, as the command line would name it."""

    id: str
    map_seed: int
    count: int


def _written(value: Any) -> str:
    """A knob as the command line has it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_written(one) for one in value)
    return str(value)


def _native(env: Any, seed: int) -> _Native | None:
    """What the command line would call this environment; None where Python is needed to step it."""
    limit = None
    while isinstance(env, (OrderEnforcing, PassiveEnvChecker, TimeLimit)):
        if isinstance(env, TimeLimit):
            limit = env._max_episode_steps if limit is None else min(limit, env._max_episode_steps)
        env = env.env
    if type(env) is VectorEnv:
        if env.map_seed is None:
            _remap_vector(env, seed)
        return _Native(env.full_id, env.map_seed or 0, env.num_envs)
    if type(env) is not Env:
        return None
    if env.map_seed is None:
        _remap(env, seed)
    id = env.full_id
    if limit is not None and (env.time_limit is None or limit < env.time_limit):
        if "time_limit=" in id or "max_episode_steps=" in id:
            return None
        id += ("&" if "?" in id else "?") + f"time_limit={limit}"
    return _Native(id, env.map_seed or 0, 1)


def _remap(env: Env, seed: int) -> None:
    """Gives an environment without a map_seed the agent's seed, as the command line does. Its layout is then the one that
    the agent learns in."""
    name, render_mode, _, parameters = env._made
    env._made = (name, render_mode, seed, parameters)
    env.map_seed = seed
    if seed != 0:
        fresh = Env(name, render_mode=render_mode, map_seed=seed, **parameters)
        env.remake(fresh.full_id, seed)


def _remap_vector(env: VectorEnv, seed: int) -> None:
    name, count, mode, _, render_mode, parameters = env._made
    env._made = (name, count, mode, seed, render_mode, parameters)
    env.map_seed = seed
    if seed != 0:
        env._core = _duvn.VectorCore(full_id(name, **parameters), seed, count, mode)


def _made(id: str, seed: int) -> Any:
    """The environment of this id; one of ours has the layout that the command line would give it."""
    kwargs: dict[str, Any] = {"map_seed": seed} if id.split(":")[-1].startswith("duvn/") else {}
    try:
        return gymnasium.make(id, **kwargs)
    except gymnasium.error.NameNotFound as unknown:
        if f"duvn/{id}" in gymnasium.registry:
            raise gymnasium.error.NameNotFound(f"there is no environment {id!r}: write 'duvn/{id}'") from unknown
        raise


def _count(what: str, given: Any, otherwise: int) -> int:
    """A number of steps or episodes that was asked for."""
    if given is None:
        return otherwise
    if given < 0 or int(given) != given:
        raise ValueError(f"{what} is {given}: write a whole number from 0")
    return int(given)


class _Single(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A single environment as callbacks of stable-baselines3 know theirs: as many at once, of which there is one."""

    num_envs = 1


def _autoreset(env: Any) -> str:
    mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
    return str(mode.value if isinstance(mode, AutoresetMode) else mode)


class Agent:
    """An agent that explores by its own uncertainty, on any Gymnasium environment with discrete actions.

    ``preset`` is a name such as ``"duvn-deep"`` (`duvn.presets` lists them), ``env`` an environment, a vector environment
    (one actor for each of its environments) or an id; further keywords are knobs, as ``--set`` of the command line has
    them. On environments of ours the whole loop runs in native code without the GIL, to the same bits as the command line.
    """

    def __init__(self, preset: str, env: Any, *, seed: int = 0, **knobs: Any) -> None:
        if not isinstance(preset, str):
            raise TypeError(f'preset is {type(preset).__name__}: write the name of an agent first, as in Agent("duvn-deep", env)')
        if seed is None or seed < 0:
            raise ValueError(f"the seed is {seed}: write a whole number from 0")
        self.preset = preset
        self.seed = int(seed)
        if isinstance(env, str):
            env = _made(env, self.seed)
        plan = self._look_at(env)
        actors = int(knobs.get("actors", 1))
        if isinstance(env, GymnasiumVectorEnv):
            if knobs.get("actors", env.num_envs) != env.num_envs:
                raise ValueError(f"actors is {actors}, but the vector environment has {env.num_envs}: leave actors out")
            actors = env.num_envs
        if actors != 1:
            knobs["actors"] = actors
        assignments = [f"{key}={_written(value)}" for key, value in knobs.items()]
        self._core = _duvn.AgentCore(preset, assignments, plan, self.seed)
        self._attach(env, plan, actors)
        self._begin()

    def _begin(self) -> None:
        self.logger = Logger()
        self.num_timesteps = int(self._core.counters[0])
        self.ep_info_buffer: deque[dict[str, Any]] = deque(maxlen=100)
        self.episode_returns: list[float] = []
        self.episode_lengths: list[int] = []

    def _look_at(self, env: Any) -> Plan:
        self.env: Any = env
        self._training_env: Any = env
        if isinstance(env, GymnasiumVectorEnv):
            self.observation_space, self.action_space = env.single_observation_space, env.single_action_space
        elif isinstance(env, gymnasium.Env):
            self.observation_space, self.action_space = env.observation_space, env.action_space
            self._training_env = _Single(env)
        else:
            raise TypeError(
                f"env is {type(env).__name__}: write a gymnasium.Env, a gymnasium.vector.VectorEnv or an id "
                "(for stable-baselines3's vector environments, hand over the single one)"
            )
        return plan_of(self.observation_space, self.action_space)

    def _attach(self, env: Any, plan: Plan, actors: int) -> None:
        native = _native(env, self.seed)
        self._native = native
        if native is not None:
            count = max(native.count, actors)
            self._core.attach_native([native.id] * count, native.map_seed, self.seed)
        elif isinstance(env, GymnasiumVectorEnv):
            self._core.attach_vector(env, plan, _autoreset(env), self.seed)
        elif actors > 1:
            raise ValueError(
                f"actors={actors} needs {actors} environments: write gymnasium.make_vec(id, num_envs={actors}) "
                "or gymnasium.vector.SyncVectorEnv"
            )
        else:
            self._core.attach_foreign([env], plan, self.seed)

    def __repr__(self) -> str:
        where = "no environment" if self.env is None else str(self.env)
        if self.env is None and self._native is not None:
            where = self._native.id
        return f"<duvn.Agent {self.preset}, seed {self.seed}, {self.num_timesteps} steps, {where}>"

    def __reduce__(self) -> Any:
        raise TypeError("an agent is not pickled or copied: write agent.save(path) and duvn.Agent.load(path)")

    @property
    def native(self) -> bool:
        """Whether training runs without Python."""
        return self._native is not None

    def get_env(self) -> Any:
        """The environment that it was made with, which says ``num_envs``; ``env`` is the one that was handed over."""
        return self._training_env

    def get_vec_normalize_env(self) -> None:
        """None: nothing is normalised outside the agent. Callbacks of stable-baselines3 ask for it."""

    def learn(
        self,
        total_timesteps: int | None = None,
        callback: Callback = None,
        log_interval: int | None = None,
        progress_bar: bool = False,
        *,
        total_episodes: int | None = None,
        reset_num_timesteps: bool = True,
        tb_log_name: str = "",
    ) -> Agent:
        """Learns for so many more environment steps, or episodes, whichever end first.

        ``callback`` is an object with stable-baselines3's methods, a list of them, or a function of the agent; it is called
        after every step, and training stops where it returns False. ``log_interval`` prints a line every so many episodes.
        """
        del reset_num_timesteps, tb_log_name  # For the habits of stable-baselines3: steps are never counted anew.
        if total_timesteps is None and total_episodes is None:
            raise ValueError("learn for how long? write learn(10_000) or learn(total_episodes=300)")
        steps = _count("total_timesteps", total_timesteps, 2**63)
        episodes = _count("total_episodes", total_episodes, 2**63)
        hook = as_callback(callback)
        self._total_timesteps = self.num_timesteps + steps
        shown = Progress(total_timesteps, total_episodes) if progress_bar else None
        started, first, done = time.monotonic(), self.num_timesteps, 0
        self._begun = (started, first)
        if hook is not None:
            hook.init_callback(self)
            hook.on_training_start({"self": self, "total_timesteps": self._total_timesteps}, {})
            hook.on_rollout_start()
        try:
            while self.num_timesteps - first < steps and done < episodes:
                left = steps - (self.num_timesteps - first)
                if hook is None:
                    ended = self._core.run(left, episodes - done, SLICE_SECONDS)
                else:
                    ended = self._core.run(1, episodes - done, SLICE_SECONDS)
                self.num_timesteps = int(self._core.counters[0])
                for ret, length in ended:
                    done += 1
                    self._ended(ret, length, time.monotonic() - started)
                    if log_interval and len(self.episode_returns) % log_interval == 0:
                        self.dump_logs()
                if shown is not None:
                    shown.at(self.num_timesteps - first, done)
                if hook is not None and not self._ask(hook, ended):
                    break
        finally:
            if shown is not None:
                shown.close()
        if hook is not None:
            hook.on_rollout_end()
            hook.on_training_end()
        return self

    def _ended(self, ret: float, length: int, seconds: float) -> None:
        self.episode_returns.append(ret)
        self.episode_lengths.append(length)
        self.ep_info_buffer.append({"r": ret, "l": length, "t": seconds})

    def _ask(self, hook: Any, ended: list[tuple[float, int]]) -> bool:
        infos = [{"episode": {"r": ret, "l": length}} for ret, length in ended] or [{}]
        hook.update_locals({"self": self, "infos": infos, "dones": [bool(info) for info in infos]})
        return bool(hook.on_step())

    def dump_logs(self) -> None:
        """Prints how it goes, and what callbacks have recorded, as every ``log_interval`` episodes."""
        started, first = self._begun
        speed = (self.num_timesteps - first) / max(time.monotonic() - started, 1e-9)
        self.logger.record("time/episodes", len(self.episode_returns))
        self.logger.record("time/fps", int(speed))
        if self.episode_returns:
            self.logger.record("rollout/ep_rew_mean", float(np.mean(self.episode_returns[-100:])))
            self.logger.record("rollout/ep_len_mean", float(np.mean(self.episode_lengths[-100:])))
        self.logger.dump(self.num_timesteps)

    def _rows(self, observations: Any) -> tuple[Any, bool]:
        """Observations one a row, and whether there was but one."""
        array = np.asarray(observations)
        space = self.observation_space
        if isinstance(space, gymnasium.spaces.Discrete):
            rows = (array.astype(np.int64) - int(space.start)).reshape(-1)
            if ((rows < 0) | (rows >= int(space.n))).any():
                raise ValueError(f"an observation is outside {space}")
            return rows, array.ndim == 0
        shape = space.shape or ()
        if array.shape[array.ndim - len(shape) :] != shape:
            raise ValueError(f"observations have the shape {array.shape}: write {shape}, or (n, ...) of it")
        width = int(np.prod(shape))
        numbers = np.ascontiguousarray(array, dtype=np.float32).reshape(-1, width)
        if np.isnan(numbers).any():
            raise ValueError("an observation has a NaN in it")
        return numbers, array.ndim == len(shape)

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[Any, None]:
        """The action of the best mean for one observation or many; with ``deterministic=False``, what the agent would do in
        training. Nothing is learnt."""
        rows, single = self._rows(observation)
        begun = None
        if not deterministic:
            begun = [False] * len(rows) if episode_start is None else [bool(one) for one in episode_start]
        actions = self._core.predict(rows, begun) + int(getattr(self.action_space, "start", 0))
        return (actions[0] if single else actions), None

    def beliefs(self, observations: Any, draws: int = 30) -> Beliefs:
        """What is believed of every action in these states, over so many draws of the parameters. Looking changes nothing."""
        rows, single = self._rows(observations)
        tables = self._core.beliefs(rows, draws)
        return Beliefs(*(table[0] if single else table for table in tables))

    def inspect(self, observation: Any, draws: int = 200) -> Beliefs:
        """What is believed of every action in one state."""
        rows, single = self._rows(observation)
        if not single:
            raise ValueError("inspect takes one observation: write beliefs(...) for many")
        return self.beliefs(observation, draws)

    def outputs(self, observations: Any) -> tuple[Floats, Floats]:
        """Mean and sigma that the network itself puts out, at the mean of its parameters and without local uncertainty: what
        `duvn.torch` and `duvn.onnx` give."""
        rows, _ = self._rows(observations)
        mean, sigma = self._core.outputs(rows)
        return mean, sigma

    def get_parameters(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights by name."""
        return self._core.weights()

    @property
    def weights_sha256(self) -> str:
        """The fingerprint of the weights, as ``duvn train --json`` prints it."""
        return self._core.weights_sha256

    @property
    def config(self) -> dict[str, str]:
        """Every knob, as it would be written."""
        return dict(self._core.config)

    @property
    def loss(self) -> float:
        """The mean loss of the last update."""
        return float(self._core.counters[2])

    def save(
        self, path: str | os.PathLike[str], *, keep: str = "everything", pickle_env: bool = False
    ) -> None:
        """Writes the agent to a file, which `load` and the Rust library read.

        With everything in it, training goes on from it to the same bits. An environment that cannot be frozen then begins a
        new episode, which a warning says; ``pickle_env=True`` freezes it with pickle. ``keep="knowledge"`` leaves out what it
        remembers: a far smaller file, to act with.
        """
        if keep not in ("everything", "knowledge"):
            raise ValueError(f"keep is {keep!r}: write 'everything' or 'knowledge'")
        notes = {
            "preset": self.preset,
            "seed": self.seed,
            "native": None if self._native is None else vars(self._native),
            "pickled": bool(pickle_env and self._native is None),
            "returns": self.episode_returns[-100:],
            "lengths": self.episode_lengths[-100:],
        }
        exact = self._core.save(os.fspath(path), keep == "everything", json.dumps(notes), pickle_env)
        if keep == "everything" and not exact:
            warnings.warn(
                "this environment cannot be frozen in mid-episode: training will go on from this file with a new episode, "
                "so not to the same bits (save(..., pickle_env=True) freezes an environment that pickle can)",
                stacklevel=2,
            )

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], env: Any = None, *, allow_pickle: bool = False
    ) -> Agent:
        """The agent in a file, to go on in ``env``, or in an environment of ours as it was saved. Environments that were
        pickled are loaded with ``allow_pickle=True`` alone: pickle runs code, so only do it for files that you trust."""
        agent = cls.__new__(cls)
        agent._core = _duvn.AgentCore.load(os.fspath(path))
        notes = json.loads(agent._core.notes or "{}")
        agent.preset = notes.get("preset", "")
        agent.seed = int(notes.get("seed", 0))
        agent._begin()
        agent.episode_returns = [float(ret) for ret in notes.get("returns", [])]
        agent.episode_lengths = [int(length) for length in notes.get("lengths", [])]
        native = notes.get("native")
        if notes.get("pickled") and agent._core.has_places and not allow_pickle and env is not None:
            raise ValueError(
                f"{os.fspath(path)} has a pickled environment in it, and pickle runs code: write "
                "Agent.load(path, env, allow_pickle=True) if you trust the file"
            )
        if env is None and native is not None:
            saved = _Native(**native)
            observations, actions = agent._core.spaces()
            agent.env = agent._training_env = None
            agent._native = saved
            agent.observation_space = space_of(observations)
            agent.action_space = gymnasium.spaces.Discrete(actions)
            agent._core.attach_native([saved.id] * agent._core.actors, saved.map_seed, agent.seed)
            return agent
        if env is None:
            observations, actions = agent._core.spaces()
            agent.env = agent._training_env = agent._native = None
            agent.observation_space = space_of(observations)
            agent.action_space = gymnasium.spaces.Discrete(actions)
            return agent
        agent.set_env(env)
        return agent

    def set_env(self, env: Any) -> None:
        """Goes on in another environment with the same spaces. Only for an agent that has none."""
        if isinstance(env, str):
            env = _made(env, self.seed)
        plan = self._look_at(env)
        observations, actions = self._core.spaces()
        width = plan[0][1] if plan[0][0] == "discrete" else len(plan[0][1])
        known = observations[1] if observations[0] == "discrete" else len(observations[1])
        if (plan[0][0], width, plan[2][1]) != (observations[0], known, actions):
            raise ValueError(
                f"the agent was made for {space_of(observations)} and {actions} actions; this environment has "
                f"{self.observation_space} and {self.action_space}"
            )
        native = _native(env, self.seed)
        if native is None and isinstance(env, GymnasiumVectorEnv):
            self._core.drop_places()
        self._attach(env, plan, self._core.actors)
