"""Experiments: environments x agents x seeds, with the records and reports of the command line."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium

from . import _duvn, toml
from .plans import plan_of

#: Makes a Gymnasium environment. A function with a parameter ``seed`` is given the run's.
Maker = Callable[..., Any]


class SweepError(RuntimeError):
    """Some runs failed. ``result`` has them all."""

    def __init__(self, said: str, result: SweepResult) -> None:
        super().__init__(said)
        self.result = result


@dataclass(frozen=True)
class SweepResult:
    """What came of a sweep: one dictionary a run, with the keys of ``duvn train --json`` and its status."""

    out: pathlib.Path
    runs: list[dict[str, Any]]
    warnings: list[str] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """Whether no run is left."""
        return all(run["status"] == "done" for run in self.runs)

    def of(self, **wanted: Any) -> list[dict[str, Any]]:
        """The runs with these values, for example ``of(agent="duvn", env="Chain-10")``."""
        return [run for run in self.runs if all(run.get(key) == value for key, value in wanted.items())]

    def report(self) -> pathlib.Path:
        """Writes figures, tables and one page; gives the page."""
        return report(self.out)


@dataclass(frozen=True)
class _Seeded:
    make: Maker
    seeded: bool

    def __call__(self, seed: int) -> Any:
        return self.make(seed=seed) if self.seeded else self.make()


def own_environments(environments: dict[str, Maker] | None) -> list[tuple[Any, ...]]:
    """What the lab needs to know of the user's environments."""
    import inspect

    rows = []
    for name, make in (environments or {}).items():
        try:
            seeded = "seed" in inspect.signature(make).parameters
        except (TypeError, ValueError):
            seeded = False
        made = _Seeded(make, seeded)
        example = made(0)
        if not isinstance(example, gymnasium.Env):
            raise TypeError(f"{name} makes a {type(example).__name__}: write a function that gives a gymnasium.Env")
        plan = plan_of(example.observation_space, example.action_space)
        threshold = example.spec.reward_threshold if example.spec is not None else None
        rows.append((name, plan, made, None, threshold))
        example.close()
    return rows


def experiment_text(experiment: str | os.PathLike[str] | dict[str, Any]) -> str:
    """The TOML text of an experiment given as a file or a dictionary."""
    if isinstance(experiment, dict):
        return toml.dumps(experiment)
    return pathlib.Path(experiment).read_text()


def folder_of(experiment_name: str) -> pathlib.Path:
    """Where the command line puts an experiment of this name."""
    return pathlib.Path("results") / "-".join(part for part in re.split(r"[^\w.]+|_", experiment_name) if part)


def sweep(
    experiment: str | os.PathLike[str] | dict[str, Any],
    environments: dict[str, Maker] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    quick: bool = False,
    retry: bool = False,
    extend: bool = False,
    any_isa: bool = False,
    checkpoint_every: float = 20.0,
    progress: Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Runs an experiment, a TOML file or a dictionary like one; running it again finishes what is missing.

    ``environments`` are your own: ``{"MyEnv-v0": make_fn}``; the experiment names them like ours. Runs in environments of ours
    take a thread each; yours share the interpreter (`duvn.ray.sweep` gives every run a process). A run that was stopped goes on
    to the same bits in environments of ours, and with a new episode in yours.
    """
    rows = own_environments(environments)
    text = experiment_text(experiment)
    name, _ = _duvn.plan(text, quick, rows)
    folder = pathlib.Path(out) if out is not None else folder_of(name)
    said = "duvn.sweep(...)" if isinstance(experiment, dict) else f"duvn.sweep({os.fspath(experiment)!r})"
    threads = jobs if jobs is not None else os.cpu_count() or 1
    runs, warnings = _duvn.sweep(
        text,
        os.fspath(folder),
        threads,
        quick,
        checkpoint_every,
        rows,
        retry=retry,
        extend=extend,
        any_isa=any_isa,
        rerun=said,
        progress=progress,
    )
    return checked(SweepResult(folder, runs, warnings))


def checked(result: SweepResult) -> SweepResult:
    """Raises where runs failed."""
    failed = [run for run in result.runs if run["status"] in ("failed", "refused")]
    if failed:
        first = failed[0]
        raise SweepError(
            f"{len(failed)} of {len(result.runs)} runs failed; {first['env']} {first['agent']} seed {first['seed']}: "
            f"{first['error']}",
            result,
        )
    return result


def report(folder: str | os.PathLike[str]) -> pathlib.Path:
    """Writes figures, tables and one page from the records of a folder; gives the page."""
    return pathlib.Path(_duvn.report(os.fspath(folder)))


def merge(out: str | os.PathLike[str], shards: list[str | os.PathLike[str]]) -> tuple[int, int, int]:
    """Puts the records of shards together: how many runs are new, were there before, are unfinished."""
    return _duvn.merge(os.fspath(out), [os.fspath(shard) for shard in shards])
