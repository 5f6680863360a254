r"""The output set of an event-level source as sequences: in each step one window passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spec.event_outputs import Output, OutputSet
from spec.numbers import SpecError
from spec.randomized_response import Events


class BadOrder(SpecError):
    """Report an order of windows that leaves some out, or lets one datum's windows swap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSequences:
    r"""Be an output set as sequences: in each step one window passes, in the given order.

    `order` lists pairs of the position of a trigger datum and the position of its window.
    """

    outputs: OutputSet
    order: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        """Refuse an order in which the windows of some datum do not all pass in their order."""
        for datum, windows in enumerate(self.outputs.windows):
            passed = [window for other, window in self.order if other == datum]
            if passed != list(range(windows)):
                raise BadOrder(f"the windows of datum {datum} pass in the order {passed}")
        if len(self.order) != sum(self.outputs.windows):
            raise BadOrder(f"{self.order!r} has windows of a datum that is not there")

    def size(self) -> int:
        """Return the number of sequences, which is that of the outputs."""
        return self.outputs.size()

    def output(self, index: int) -> Events:
        """Return the sequence of the output with the given index."""
        return self.sequence(self.outputs.output(index))

    def __iter__(self) -> Iterator[Events]:
        """List the sequences in the order of the outputs."""
        return map(self.sequence, self.outputs)

    def sequence(self, output: Output) -> Events:
        """Return the output's counts in the order in which its windows pass."""
        return tuple(output[datum][window] for datum, window in self.order)

    def extends(self, prefix: tuple[int, ...]) -> bool:
        """Tell whether a sequence of the set begins with the given counts."""
        counts: list[tuple[int, ...]] = [()] * len(self.outputs.windows)
        for (datum, _), count in zip(self.order, prefix, strict=False):
            counts[datum] += (count,)
        return len(prefix) <= len(self.order) and self.outputs.extends(tuple(counts))
