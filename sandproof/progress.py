"""What a run shows while it works, and how it is interrupted."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType


@contextmanager
def terminable() -> Iterator[None]:
    """Let a request to terminate end like an interrupt: children are ended, results are printed."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Progress:
    """Show on a terminal what is running."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.started = time.monotonic()
        self.width = 0

    def __call__(self, done: int, total: int, names: Sequence[str]) -> None:
        """Replace the line that is shown."""
        if not self.shown:
            return
        seconds = time.monotonic() - self.started
        # A longer line would wrap, and could not be replaced.
        most = os.get_terminal_size(sys.stderr.fileno()).columns - 1
        line = f"[{done}/{total}] {seconds:.0f} s  {', '.join(names)}"[:most]
        print("\r" + line.ljust(self.width), end="", file=sys.stderr, flush=True)
        self.width = len(line)

    def clear(self) -> None:
        """Remove the line."""
        if self.shown and self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)
            self.width = 0
