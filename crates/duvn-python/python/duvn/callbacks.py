"""Callbacks with the methods of stable-baselines3's, whose own are understood too."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any


class Logger:
    """Keeps values by name and prints them: the part of stable-baselines3's logger that callbacks use."""

    def __init__(self) -> None:
        self.name_to_value: dict[str, Any] = {}

    def record(self, key: str, value: Any, exclude: Any = None) -> None:
        """Keeps a value until the next dump."""
        self.name_to_value[key] = value

    def dump(self, step: int = 0) -> None:
        """Prints what was kept, to stderr."""
        values = "  ".join(
            f"{key.split('/')[-1]} {value:.4g}" if isinstance(value, float) else f"{key.split('/')[-1]} {value}"
            for key, value in self.name_to_value.items()
        )
        print(f"step {step}  {values}", file=sys.stderr)
        self.name_to_value.clear()


class BaseCallback:
    """What `Agent.learn` calls. Override ``_on_step`` and what else is of use; return False from it to stop."""

    def __init__(self, verbose: int = 0) -> None:
        self.verbose = verbose
        self.model: Any = None
        self.n_calls = 0
        self.num_timesteps = 0
        self.locals: dict[str, Any] = {}
        self.globals: dict[str, Any] = {}
        self.parent: Any = None

    @property
    def training_env(self) -> Any:
        """The environment of the agent."""
        return self.model.get_env()

    @property
    def logger(self) -> Logger:
        """The agent's logger."""
        logger: Logger = self.model.logger
        return logger

    def init_callback(self, model: Any) -> None:
        """Called once, before training."""
        self.model = model
        self._init_callback()

    def on_training_start(self, locals_: dict[str, Any], globals_: dict[str, Any]) -> None:
        """Called when training starts."""
        self.locals, self.globals = locals_, globals_
        self.num_timesteps = self.model.num_timesteps
        self._on_training_start()

    def on_rollout_start(self) -> None:
        """Called before the first step."""
        self._on_rollout_start()

    def on_step(self) -> bool:
        """Called after every step; False stops training."""
        self.n_calls += 1
        self.num_timesteps = self.model.num_timesteps
        return self._on_step()

    def on_rollout_end(self) -> None:
        """Called after the last step."""
        self._on_rollout_end()

    def on_training_end(self) -> None:
        """Called when training ends."""
        self._on_training_end()

    def update_locals(self, locals_: dict[str, Any]) -> None:
        """Tells what has just happened."""
        self.locals.update(locals_)

    def _init_callback(self) -> None: ...

    def _on_training_start(self) -> None: ...

    def _on_rollout_start(self) -> None: ...

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None: ...

    def _on_training_end(self) -> None: ...


class _Function(BaseCallback):
    """A function of the agent, or of stable-baselines3's locals and globals."""

    def __init__(self, function: Callable[..., bool | None]) -> None:
        super().__init__()
        self.function = function
        try:
            parameters = inspect.signature(function).parameters.values()
            plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            self.both = len([p for p in plain if p.default is p.empty]) >= 2
        except (TypeError, ValueError):
            self.both = False

    def _on_step(self) -> bool:
        answer = self.function(self.locals, self.globals) if self.both else self.function(self.model)
        return answer is not False


class _Several(BaseCallback):
    """One after the other."""

    def __init__(self, hooks: list[Any]) -> None:
        super().__init__()
        self.hooks = hooks

    def init_callback(self, model: Any) -> None:
        super().init_callback(model)
        for hook in self.hooks:
            hook.init_callback(model)

    def on_training_start(self, locals_: dict[str, Any], globals_: dict[str, Any]) -> None:
        for hook in self.hooks:
            hook.on_training_start(locals_, globals_)

    def on_rollout_start(self) -> None:
        for hook in self.hooks:
            hook.on_rollout_start()

    def on_step(self) -> bool:
        return all([hook.on_step() for hook in self.hooks])

    def on_rollout_end(self) -> None:
        for hook in self.hooks:
            hook.on_rollout_end()

    def on_training_end(self) -> None:
        for hook in self.hooks:
            hook.on_training_end()

    def update_locals(self, locals_: dict[str, Any]) -> None:
        for hook in self.hooks:
            hook.update_locals(locals_)


class EvalCallback(BaseCallback):
    """Evaluates every ``eval_freq`` steps in an environment of its own, and keeps what came of it in ``evaluations``."""

    def __init__(self, eval_env: Any, n_eval_episodes: int = 5, eval_freq: int = 10_000, seed: int = 1_000_000) -> None:
        super().__init__()
        self.eval_env = eval_env
        self.n_eval_episodes = n_eval_episodes
        self.eval_freq = eval_freq
        self.seed = seed
        #: Steps, mean return, standard deviation.
        self.evaluations: list[tuple[int, float, float]] = []

    def _on_step(self) -> bool:
        if self.n_calls % self.eval_freq == 0:
            from .evaluation import evaluate_policy

            mean, sd = evaluate_policy(self.model, self.eval_env, self.n_eval_episodes, seed=self.seed)
            self.evaluations.append((self.num_timesteps, mean, sd))
            self.logger.record("eval/mean_reward", mean)
        return True


def as_callback(callback: Any) -> Any:
    """An object with the methods of `BaseCallback`, or None."""
    if callback is None:
        return None
    if isinstance(callback, (list, tuple)):
        return _Several([as_callback(one) for one in callback])
    if all(hasattr(callback, name) for name in ("init_callback", "on_step", "on_training_end")):
        return callback
    if callable(callback):
        return _Function(callback)
    raise TypeError(
        f"callback is {type(callback).__name__}: write a function of the agent, or an object of a class made of "
        "duvn.BaseCallback"
    )
