r"""The output set $\mathcal{O}$ of an event-level source: every combination of reports it can send.

A source lists trigger data. Each trigger datum has reporting windows and summary buckets. An output
says, per trigger datum and per window, how many reports are sent. A datum sends at most one report
per bucket, and the source sends at most so many reports in total. Which buckets are meant follows
from the counts: they are reported in increasing order.

The set is counted without listing it. A datum with $w$ windows sends $j$ reports in
$\binom{j+w-1}{j}$ ways, so the sizes are the coefficients of a product of one polynomial per datum,
cut off at the maximum.

The set is also an enumeration. Outputs are in lexicographic order of their counts, where the last
window comes first and within a window the last datum. Without bucket limits this is the
combinatorial number system, and the indices are those of the shipped API.

Paper: Sec. 2.2; Sec. 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from spec.numbers import SpecError, whole

if TYPE_CHECKING:
    from spec.event_client import EventSource
    from spec.rules import AtEventSource

Output: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSet:
    r"""Be the set $\mathcal{O}$: counts per trigger datum and window within the limits.

    `windows` and `buckets` hold one number per trigger datum.
    """

    maximum_reports: int
    windows: tuple[int, ...]
    buckets: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.windows) != len(self.buckets):
            raise BadOutputSet(
                f"{len(self.windows)} data have windows, {len(self.buckets)} buckets"
            )
        for name, values in (
            ("maximum_reports", (self.maximum_reports,)),
            ("windows", self.windows),
            ("buckets", self.buckets),
        ):
            for value in values:
                if whole(value, name) < 0:
                    raise BadOutputSet(f"{name} must not be negative, not {value}")

    def size(self) -> int:
        r"""Return $|\mathcal{O}|$ without listing the set."""
        return sum(self._ways())

    def output(self, index: int) -> Output:
        """Return the output with the given index."""
        if not 0 <= whole(index, "index") < self.size():
            raise NoSuchOutput(f"index {index} is not below the number of outputs, {self.size()}")
        rest, ways, counts = self, self._ways(), []
        for datum, _ in self._cells():
            others = _divided(ways, rest._own_ways(datum))
            for count in range(rest.maximum_reports + 1):
                after = rest.after(datum, count)
                ways = after._ways_with(datum, others)
                if index < sum(ways):
                    break
                index -= sum(ways)
            rest = after
            counts.append(count)
        return self._arranged(tuple(counts))

    def __iter__(self) -> Iterator[Output]:
        """List the outputs in the order of their indices."""
        cells = self._cells()

        def fill(counts: tuple[int, ...], left: int, room: tuple[int, ...]) -> Iterator[Output]:
            if len(counts) == len(cells):
                yield self._arranged(counts)
                return
            datum, _ = cells[len(counts)]
            for count in range(min(left, room[datum]) + 1):
                less = (*room[:datum], room[datum] - count, *room[datum + 1 :])
                yield from fill((*counts, count), left - count, less)

        return fill((), self.maximum_reports, self.buckets)

    def __contains__(self, output: object) -> bool:
        """Tell whether an output has the right shape and stays within the limits."""
        return (
            isinstance(output, tuple)
            and all(isinstance(counts, tuple) for counts in output)
            and tuple(map(len, output)) == self.windows
            and all(type(count) is int and count >= 0 for counts in output for count in counts)
            and all(sum(counts) <= most for counts, most in zip(output, self.buckets, strict=True))
            and sum(map(sum, output)) <= self.maximum_reports
        )

    def extends(self, prefix: Output) -> bool:
        """Tell whether an output of the set begins with the given counts.

        A prefix holds, per trigger datum, the counts of the windows that have passed. Fewer reports
        never leave the set, so if any output begins like this then the one that adds none does.
        """
        if len(prefix) != len(self.windows):
            return False
        pairs = zip(prefix, self.windows, strict=True)
        return tuple((*counts, *[0] * (windows - len(counts))) for counts, windows in pairs) in self

    def after(self, datum: int, count: int) -> OutputSet:
        """Return what remains possible once a window of the datum has sent `count` reports."""
        windows, buckets = list(self.windows), list(self.buckets)
        windows[datum] -= 1
        buckets[datum] -= count
        return OutputSet(
            maximum_reports=self.maximum_reports - count,
            windows=tuple(windows),
            buckets=tuple(buckets),
        )

    def _cells(self) -> list[tuple[int, int]]:
        """List the pairs of datum and window, the last window first and then the last datum."""
        pairs = [(w, datum) for datum, windows in enumerate(self.windows) for w in range(windows)]
        return [(datum, window) for window, datum in sorted(pairs, reverse=True)]

    def _arranged(self, counts: tuple[int, ...]) -> Output:
        """Return counts that are listed by cell as an output."""
        by_cell = dict(zip(self._cells(), counts, strict=True))
        return tuple(
            tuple(by_cell[datum, window] for window in range(windows))
            for datum, windows in enumerate(self.windows)
        )

    def _own_ways(self, datum: int) -> list[int]:
        """Return in how many ways one datum sends each number of reports."""
        return _ways_to_send(self.windows[datum], min(self.buckets[datum], self.maximum_reports))

    def _ways_with(self, datum: int, others: list[int]) -> list[int]:
        """Return in how many ways a datum and the others send each number of reports."""
        return _multiplied(others, self._own_ways(datum), self.maximum_reports)

    def _ways(self) -> list[int]:
        """Return in how many ways all data send each number of reports."""
        ways = [1]
        for datum in range(len(self.windows)):
            ways = self._ways_with(datum, ways)
        return ways


def _ways_to_send(windows: int, most: int) -> list[int]:
    """Return in how many ways so many windows share each number of reports."""
    if windows == 0:
        return [1]
    return [comb(reports + windows - 1, reports) for reports in range(most + 1)]


def _multiplied(left: list[int], right: list[int], degree: int) -> list[int]:
    """Return the product of two polynomials, cut off above a degree."""
    length = min(len(left) + len(right) - 1, degree + 1)
    product = [0] * length
    for i, a in enumerate(left[:length]):
        for j, b in enumerate(right[: length - i]):
            product[i + j] += a * b
    return product


def _divided(product: list[int], divisor: list[int]) -> list[int]:
    """Return the other factor of a product that may be cut off; the divisor begins with one."""
    quotient: list[int] = []
    for i, total in enumerate(product):
        known = range(1, min(i + 1, len(divisor)))
        quotient.append(total - sum(divisor[j] * quotient[i - j] for j in known))
    return quotient


def output_set(at: AtEventSource, source: EventSource) -> OutputSet:
    r"""Return the output set $\mathcal{O}$ of a source."""
    return OutputSet(
        maximum_reports=source.maximum_reports,
        windows=tuple(len(specification.windows) for specification in source.specifications),
        buckets=tuple(len(specification.buckets) for specification in source.specifications),
    )


class BadOutputSet(SpecError):
    """Report numbers of reports, windows or buckets that describe no output set."""


class NoSuchOutput(SpecError):
    """Report an index that is none of the output set."""
