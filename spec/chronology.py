r"""Sources in reverse chronological order, without looking through all of them.

Both ARA clients try sources from the newest to the oldest. Most sources belong to other
destinations and never match, so each source is filed twice: under its destination, and under
`ANYWHERE` with all the others. The paper's matching rules ask for equal destinations, and the file
of the destination is all they need. Under any other matching rule every source is tried.

A file is a chain: it names its newest source, and for each source the one before it.

Paper: none (keeps each step's time independent of the history).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from immutables import Map

ANYWHERE: Final = None

File: TypeAlias = str | None
Name: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronology:
    """Hold the newest source of each file, and the source before each source.

    Paper: none (a data structure).
    """

    newest: Map[File, Name] = Map()
    older: Map[tuple[File, Name], Name] = Map()

    def newest_first(self, file: File) -> Iterator[Name]:
        """List the sources of a file in reverse chronological order."""
        name = self.newest.get(file)
        while name is not None:
            yield name
            name = self.older.get((file, name))

    def with_newest(self, destination: str, name: Name) -> Chronology:
        """File a source as the newest one."""
        newest, older = self.newest, self.older
        for file in (destination, ANYWHERE):
            if file in newest:
                older = older.set((file, name), newest[file])
            newest = newest.set(file, name)
        return Chronology(newest=newest, older=older)

    def without_newest(self, destination: str, gone: Callable[[Name], bool]) -> Chronology:
        """Skip the newest sources as far as they are gone for good.

        Each is skipped once, so that they do not slow down later steps.
        """
        newest = self.newest
        for file in (destination, ANYWHERE):
            left = next((name for name in self.newest_first(file) if not gone(name)), None)
            if left is None and file in newest:
                newest = newest.delete(file)
            elif left is not None and left != newest[file]:
                newest = newest.set(file, left)
        return self if newest is self.newest else Chronology(newest=newest, older=self.older)
