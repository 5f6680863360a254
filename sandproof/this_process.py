"""What this process may use, and whether it is a child that does a task."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

CHILD = "SANDPROOF_CHILD"
"""The environment variable that is set in a child."""


def in_child() -> bool:
    """Tell whether this process is a child that does a task."""
    return os.environ.get(CHILD) == "1"


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Look for no garbage meanwhile: what is imported or written down stays, and there is much."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
