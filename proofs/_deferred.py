"""Checks that are made when they are run, so that a plan need not import what they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from spec.verdicts import Check, Control, Evidence, Shape


class DeferredControls(Sequence[Control]):
    """Be the controls of a check that is made when they are first asked for."""

    def __init__(self, made: Callable[[], Check]) -> None:
        self._made = made

    def __len__(self) -> int:
        return len(self._made().controls)

    @overload
    def __getitem__(self, place: int) -> Control: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Control]: ...

    def __getitem__(self, place: int | slice) -> Control | Sequence[Control]:
        return self._made().controls[place]


def deferred(
    claim: str,
    name: str,
    made: Callable[[], Check],
    evidence: Evidence,
    shape: Shape = Shape.NONE,
) -> Check:
    """Return a check that can be planned at once, and is made when it is run.

    So that what it runs need not be imported before. What is said of it must be so of the one made.
    """
    return Check(
        claim=claim,
        name=name,
        run=lambda rules: made().run(rules),
        controls=DeferredControls(made),
        evidence=evidence,
        shape=shape,
    )
