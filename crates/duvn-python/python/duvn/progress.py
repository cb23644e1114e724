"""A progress bar: tqdm's where it is installed, else a line on stderr."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any


class Progress:
    """Shows steps, or episodes where only those are limited."""

    def __init__(self, steps: int | None, episodes: int | None) -> None:
        self.by_steps = steps is not None
        self.total = int(steps if steps is not None else episodes or 0)
        self.last = 0
        self.shown = 0.0
        self.bar: Any = None
        try:
            tqdm = importlib.import_module("tqdm")
            self.bar = tqdm.tqdm(total=self.total, unit="step" if self.by_steps else "episode")
        except ImportError:
            pass

    def at(self, steps: int, episodes: int) -> None:
        """Says how far it is."""
        now = min(steps if self.by_steps else episodes, self.total)
        if self.bar is not None:
            self.bar.update(now - self.last)
        elif time.monotonic() - self.shown > 1.0:
            self.shown = time.monotonic()
            print(f"\r{now} of {self.total}", end="", file=sys.stderr, flush=True)
        self.last = now

    def close(self) -> None:
        """Ends the line."""
        if self.bar is not None:
            self.bar.close()
        elif self.shown:
            print(file=sys.stderr)
