"""Sweeps on a Ray cluster: one task a run.

A task works in a folder of its own on its worker's disk. Every ``checkpoint_every`` seconds it stops cleanly, sends the folder to
a keeper beside the driver, and goes on. Where a worker is killed, Ray tries the task again, elsewhere if need be, and it goes on
from what the keeper has. The driver puts the folders together. No disk is shared, and no record is written by two hosts.
"""

from __future__ import annotations

import io
import os
import pathlib
import shutil
import tarfile
import tempfile
from typing import Any

import ray

from . import _duvn
from .lab import Maker, SweepResult, checked, experiment_text, folder_of, merge, own_environments


def _pack(folder: str) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        archive.add(folder, arcname=".")
    return held.getvalue()


def _unpack(packed: bytes, folder: str) -> None:
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)


class _Keeper:
    """Holds the last good folder of every run, and who works on it."""

    def __init__(self) -> None:
        self.folders: dict[int, bytes] = {}
        self.workers: dict[int, list[int]] = {}

    def put(self, place: int, packed: bytes) -> None:
        self.folders[place] = packed

    def get(self, place: int) -> bytes | None:
        return self.folders.get(place)

    def begin(self, place: int, process: int) -> int:
        self.workers.setdefault(place, []).append(process)
        return len(self.workers[place])

    def attempts(self) -> dict[int, list[int]]:
        return self.workers


def _work(
    text: str, quick: bool, place: int, count: int, environments: dict[str, Maker], every: float, isa: str, keeper: Any
) -> tuple[dict[str, Any], bytes, list[str]]:
    if _duvn.isa() != isa:
        raise RuntimeError(
            f"this worker computes with {_duvn.isa()}, the driver with {isa}, which gives other bits: "
            f"set DUVN_ISA={isa} for all, or portable where some machine lacks it"
        )
    ray.get(keeper.begin.remote(place, os.getpid()))
    folder = tempfile.mkdtemp(prefix="duvn-ray-")
    try:
        packed = ray.get(keeper.get.remote(place))
        if packed is not None:
            _unpack(packed, folder)
        rows = own_environments(environments)
        warnings: list[str] = []
        while True:
            runs, said = _duvn.sweep(
                text, folder, 1, quick, every, rows, shard=f"{place}/{count}", seconds=every, retry=True
            )
            warnings += said
            packed = _pack(folder)
            if runs[0]["status"] not in ("stopped", "left"):
                return runs[0], packed, warnings
            ray.get(keeper.put.remote(place, packed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(
    experiment: str | os.PathLike[str] | dict[str, Any],
    environments: dict[str, Maker] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    quick: bool = False,
    checkpoint_every: float = 20.0,
    max_retries: int = 10,
    num_cpus: float = 1.0,
    progress: Any = None,
    _notes: dict[str, Any] | None = None,
) -> SweepResult:
    """`duvn.sweep` with every run as a task of a Ray cluster, and the same records and report.

    Call ``ray.init`` before to name a cluster; else a local one is started. Runs that ``out`` has already are left as they are.
    """
    if not ray.is_initialized():
        ray.init()
    rows = own_environments(environments)
    text = experiment_text(experiment)
    name, planned = _duvn.plan(text, quick, rows)
    folder = pathlib.Path(out) if out is not None else folder_of(name)
    keeper: Any = ray.remote(num_cpus=0)(_Keeper).remote()
    task = ray.remote(num_cpus=num_cpus, max_retries=max_retries)(_work)
    given = environments or {}
    waiting = {
        task.remote(text, quick, run["place"], len(planned), given, checkpoint_every, _duvn.isa(), keeper): run
        for run in planned
    }
    total = len(waiting)
    ends: dict[str, dict[str, Any]] = {}
    warnings: list[str] = []
    with tempfile.TemporaryDirectory(prefix="duvn-ray-merge-") as shards:
        while waiting:
            ready, _ = ray.wait(list(waiting), num_returns=1)
            run = waiting.pop(ready[0])
            try:
                end, packed, said = ray.get(ready[0])
            except ray.exceptions.RayError as error:
                ends[run["id"]] = {**run, "status": "failed", "error": str(error)}
                continue
            ends[run["id"]] = end
            warnings += said
            shard = os.path.join(shards, str(run["place"]))
            _unpack(packed, shard)
            merge(folder, [shard])
            shutil.rmtree(shard, ignore_errors=True)
            if progress is not None:
                progress(total - len(waiting), total)
    if _notes is not None:
        _notes["attempts"] = ray.get(keeper.attempts.remote())
    ray.kill(keeper)
    return checked(SweepResult(folder, [ends[run["id"]] for run in planned], warnings))
