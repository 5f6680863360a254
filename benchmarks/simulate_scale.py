"""Show that `sandproof simulate` takes linear time and bounded memory on long traces.

Traces in JSON Lines go through a pipe into the command, which is run as a child process, and its
rows go nowhere. Every device registers a source and sends ten reports, five for triggers and five
for events, and time passes from device to device. At the end one query asks for all reports. Each
line takes ten times as many reports as the line before, up to a million or to the number that is
given. The last lines are summaries of up to a million keys, listed for ten reports, or discovered
in as many reports as keys. Memory is the most that the child had at once, and ratios are those of
processor time and memory to the line before: time that grows linearly has ratios of about ten.

    python -m benchmarks.simulate_scale [--largest 10000000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter

SMALLEST = 10_000
LARGEST = 1_000_000
REPORTS_OF_A_DEVICE = 10
KEYS = ",".join(map(str, range(16)))
COMMAND = ("simulate", "-", "--format", "jsonl", "--seed", "0")


def reports(count: int) -> Iterator[str]:
    """Yield a trace in which devices send so many reports, and a query asks for all of them."""
    yield '{"description": "many reports"}\n'
    for number in range(count):
        device = f'"device":"device-{number // REPORTS_OF_A_DEVICE}"'
        if number % REPORTS_OF_A_DEVICE == 0:
            yield (
                f'{{"at":{number},"source":{{"id":"source-{number}","destination":"shop",'
                f'"expiry":{number + 1000},"filters":["shoes"],"key":0,{device}}}}}\n'
            )
        if number % 2:
            yield (
                f'{{"trigger":{{"report":{number},"destination":"shop","filters":["shoes"],'
                f'"key":{number % 16},"value":100,{device}}}}}\n'
            )
        else:
            yield (
                f'{{"event":{{"report":{number},{device},'
                f'"program":{{"constant":{{"key":{number % 16},"value":100}}}}}}}}\n'
            )
    yield f'{{"query":{{"epsilon":1,"reports":[[0,{count - 1}]],"keys":[{KEYS}]}}}}\n'


def listed_keys(count: int) -> Iterator[str]:
    """Yield a trace of a few reports and a query that lists many keys."""
    yield from list(reports(10))[:-1]
    keys = ",".join(map(str, range(count)))
    yield f'{{"query":{{"epsilon":1,"reports":[[0,9]],"keys":[{keys}]}}}}\n'


def discovered_keys(count: int) -> Iterator[str]:
    """Yield a trace in which every report has a key of its own, and all keys are discovered."""
    yield '{"description": "many keys"}\n'
    for number in range(count):
        yield (
            f'{{"event":{{"report":{number},"device":"device-{number}",'
            f'"program":{{"constant":{{"key":{number},"value":65536}}}}}}}}\n'
        )
    yield f'{{"query":{{"epsilon":64,"delta":"0.00000001","reports":[[0,{count - 1}]]}}}}\n'


def measured(trace: Iterator[str]) -> tuple[float, float, float]:
    """Return the seconds, processor seconds and megabytes that the command takes for a trace."""
    start = perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "sandproof.main", *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    with child.stdin as file:
        for line in trace:
            file.write(line.encode())
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"the command ended with exit status {child.returncode}")
    return perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main(largest: int = LARGEST) -> None:
    """Measure up to the largest number of reports and print the figures."""
    print(
        f"{'size':>9}  {'what':<15}  {'seconds':>8}  {'processor':>9}  {'µs each':>8}  "
        f"{'ratio':>6}  {'MB':>6}  {'ratio':>6}"
    )
    for make in (reports, listed_keys, discovered_keys):
        before: tuple[float, float] | None = None
        size = SMALLEST
        while size <= (largest if make is reports else min(largest, LARGEST)):
            seconds, worked, memory = measured(make(size))
            ratios = ("", "")
            if before is not None:
                ratios = f"{worked / before[0]:.2f}", f"{memory / before[1]:.2f}"
            print(
                f"{size:>9}  {make.__name__.replace('_', ' '):<15}  {seconds:>8.1f}  {worked:>9.1f}"
                f"  {worked / size * 1e6:>8.1f}  {ratios[0]:>6}  {memory:>6.0f}  {ratios[1]:>6}",
                flush=True,
            )
            before = worked, memory
            size *= 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=LARGEST)
    main(parser.parse_args().largest)
