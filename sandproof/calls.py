"""Which changed rule a child is running, told to its parent through shared memory."""

from __future__ import annotations

import mmap
import struct

_LAYOUT = struct.Struct("=Q32sB")


class Calls:
    """Note in shared memory which changed rule is running: how many calls, which, symbolically."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _LAYOUT.size)
        self._calls = 0

    def enter(self, rule: str, symbolic: bool) -> None:
        """Note that a rule is called, or with an empty name that none is."""
        self._calls += 1
        _LAYOUT.pack_into(self._memory, 0, self._calls, rule.encode(), symbolic)

    @property
    def now(self) -> tuple[int, str, bool]:
        """Return the number of calls so far, the rule that is running if one is, and how."""
        calls, rule, symbolic = _LAYOUT.unpack_from(self._memory)
        return calls, rule.rstrip(b"\0").decode(), bool(symbolic)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
