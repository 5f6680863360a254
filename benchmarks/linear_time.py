"""Show that reports, and the keys of a summary, take linear time.

The reports come from many devices: a step costs time in the size of its own device's state. Each
line takes ten times as many reports as the line before, up to a hundred thousand or to the number
that is given. The last columns are the time per report and its ratio to the line before: a ratio
that stays near 1 is linear time. The collector of reference cycles is off, as in `timeit`: there
are no cycles, and it would walk through all that is kept again and again.

    python -m benchmarks.linear_time [LARGEST]
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from fractions import Fraction
from time import process_time

from sandproof.sampling import Sampler, SeededEntropy
from spec import (
    PAPER,
    Event,
    Move,
    Query,
    Source,
    Storage,
    System,
    Trigger,
    step,
)

SMALLEST = 10_000
LARGEST = 100_000
BATCH = 1_000
TRIGGERS_OF_A_DEVICE = 10
KEYS = tuple(range(16))


def attribution(count: int) -> Iterator[Move]:
    """Register a source on a device of its own for every ten triggers."""
    filters = frozenset({"shoes"})
    for number in range(count):
        device = f"device-{number // TRIGGERS_OF_A_DEVICE}"
        if number % TRIGGERS_OF_A_DEVICE == 0:
            yield Source(
                source_id=f"source-{number}",
                destination="shop.example",
                expiry=10**9,
                filters=filters,
                key=0,
                device=device,
            )
        yield Trigger(
            report_id=number,
            destination="shop.example",
            filters=filters,
            key=number % len(KEYS),
            value=100,
            device=device,
        )


def aggregation(count: int) -> Iterator[Move]:
    """Register events on as many devices as a tenth of the events."""

    def program(storage: Storage) -> tuple[Storage, int, int]:
        return storage.set("seen", True), 1, 100

    for number in range(count):
        device = f"device-{number // TRIGGERS_OF_A_DEVICE}"
        yield Event(report_id=number, device=device, program=program)


def queries(count: int) -> Iterator[Move]:
    """Ask for every report twice, batch by batch."""
    for _ in range(2):
        for start in range(0, count, BATCH):
            batch = tuple(range(start, min(start + BATCH, count)))
            yield Query(epsilon=Fraction(1), report_ids=batch, keys=KEYS)


def summary(count: int) -> Iterator[Move]:
    """Ask for many keys of a few reports at once."""
    keys = tuple(range(count))
    yield Query(epsilon=Fraction(1), report_ids=tuple(range(BATCH)), keys=keys)


def seconds(system: System, moves: Iterator[Move]) -> tuple[System, float]:
    """Return the state after the moves and the processor time they took."""
    draw = Sampler(SeededEntropy(0))
    start = process_time()
    for move in moves:
        system, _ = step(PAPER, system, move, draw)
    return system, process_time() - start


def main(largest: int = LARGEST) -> None:
    """Measure up to the largest number of reports and print the figures."""
    print(f"{'reports':>9}  {'what':<22}  {'seconds':>8}  {'µs each':>8}  {'ratio':>6}")
    gc.disable()
    before: dict[str, float] = {}
    size = SMALLEST
    while size <= largest:
        system, taken = seconds(System(), attribution(size))
        figures = {"ARA client": taken}
        figures["service, asked twice"] = seconds(system, queries(size))[1]
        figures["PAA client"] = seconds(System(), aggregation(size))[1]
        figures["summary, as many keys"] = seconds(system, summary(size))[1]
        for what, spent in figures.items():
            each = spent / size * 1e6
            ratio = f"{each / before[what]:.2f}" if what in before else ""
            print(f"{size:>9}  {what:<22}  {spent:>8.2f}  {each:>8.1f}  {ratio:>6}", flush=True)
            before[what] = each
        size *= 10


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LARGEST)
