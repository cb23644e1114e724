"""How hard exploration is: the returns of a random policy and their entropy (the paper's App. B)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from . import _duvn
from .agent import _native
from .plans import blind_plan


@dataclass(frozen=True)
class Ire:
    """An initial return distribution in a few numbers, and the returns themselves."""

    env: str
    traces: int
    mean: float
    sd: float
    #: The initial return entropy.
    entropy_nats: float
    returns: npt.NDArray[np.float64]
    max_steps: int


def ire(
    env: str | Callable[[], Any],
    traces: int = 50_000,
    max_steps: int = 500,
    seed: int = 0,
    jobs: int | None = None,
    *,
    name: str | None = None,
    processes: bool = False,
    minutes: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ire:
    """Samples the returns of the uniform random policy in any Gymnasium environment.

    ``env`` is an id or a function that makes an environment. Trace i depends on ``seed`` and i alone, so ``jobs`` changes
    nothing. Environments of ours run in native threads; others share the interpreter, unless ``processes=True`` gives each
    job a process of its own (``env`` must then be an id or a function that pickle knows). With ``minutes``, rounds of so many
    traces go on until that time is over.
    """
    if isinstance(env, str):
        id = env
        make: Callable[[], Any] = _Make(id)
        name = name or id
    else:
        make, name = env, name or getattr(env, "__name__", "environment").strip("<>")
    example = make()
    native = _native(example, seed) if isinstance(example, gymnasium.Env) else None
    threads = jobs or os.cpu_count() or 1

    def sample(first: int) -> npt.NDArray[np.float64]:
        if native is not None:
            return _duvn.ire(native.id, [], traces, max_steps, seed, threads, progress, first)
        if processes and threads > 1:
            return _in_processes(make, first, traces, max_steps, seed, threads)
        return _returns(make, example, first, traces, max_steps, seed, threads, progress)

    end = None if minutes is None else time.monotonic() + 60.0 * minutes
    returns = sample(0)
    while end is not None and time.monotonic() < end:
        returns = np.concatenate([returns, sample(len(returns))])
    return _summed(name, returns, max_steps)


@dataclass(frozen=True)
class _Make:
    id: str

    def __call__(self) -> Any:
        return gymnasium.make(self.id)


def _summed(name: str, returns: npt.NDArray[np.float64], max_steps: int) -> Ire:
    mean, sd, entropy = _duvn.ire_summary(returns)
    return Ire(name, len(returns), mean, sd, entropy, returns, max_steps)


def _returns(
    make: Callable[[], Any], example: Any, first: int, traces: int, max_steps: int, seed: int, threads: int, progress: Any
) -> npt.NDArray[np.float64]:
    plan = blind_plan(example.action_space)
    own = ("ire-environment", plan, lambda _seed: make(), None, None)
    return _duvn.ire("ire-environment", [own], traces, max_steps, seed, threads, progress, first)


def _share(task: tuple[Callable[[], Any], int, int, int, int]) -> npt.NDArray[np.float64]:
    make, first, traces, max_steps, seed = task
    return _returns(make, make(), first, traces, max_steps, seed, 1, None)


def _in_processes(
    make: Callable[[], Any], first: int, traces: int, max_steps: int, seed: int, jobs: int
) -> npt.NDArray[np.float64]:
    import multiprocessing

    edges = [first + traces * part // jobs for part in range(jobs + 1)]
    tasks = [(make, a, b - a, max_steps, seed) for a, b in zip(edges, edges[1:], strict=False) if b > a]
    # Spawned, because a fork would take over locks that threads hold.
    with multiprocessing.get_context("spawn").Pool(len(tasks)) as pool:
        return np.concatenate(pool.map(_share, tasks))


def ire_figure(
    results: Sequence[Ire], path: str | os.PathLike[str], footer: str | None = None
) -> None:
    """Draws the paper's Fig. 4 of these into a file, SVG or PNG by its ending."""
    rows = [(one.env, np.ascontiguousarray(one.returns, dtype=np.float64), one.max_steps) for one in results]
    _duvn.ire_figure(rows, os.fspath(path), footer)
