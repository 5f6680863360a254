"""Which changed rule a child is running, told to its parent through shared memory."""

from __future__ import annotations

import mmap
import struct

from sandproof.about import rule_names

_LAYOUT = struct.Struct("=QBB")


class Calls:
    """Note in shared memory which changed rule is running: how many calls, which, symbolically."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _LAYOUT.size)
        self._calls = 0

    def enter(self, rule: int, symbolic: bool) -> None:
        """Note that a rule is called."""
        self._calls += 1
        _LAYOUT.pack_into(self._memory, 0, self._calls, rule, symbolic)

    @property
    def now(self) -> tuple[int, int, bool]:
        """Return the number of calls so far, the rule that is running or 0, and how."""
        calls, rule, symbolic = _LAYOUT.unpack_from(self._memory)
        return calls, rule, bool(symbolic)

    def rule(self) -> str:
        """Name the rule that is running, if one is."""
        number = self.now[1]
        return rule_names()[number - 1] if number else ""

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
