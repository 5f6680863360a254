"""Run a trace through the specification, and tell what happens."""

from __future__ import annotations

import argparse
import gc
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sandproof.problems import BadInput, NotFollowed
from sandproof.sampling import Sampler, SeededEntropy, SystemEntropy
from sandproof.simulation import Noiseless, Row, simulate
from sandproof.trace import DAY, Trace, in_lines, read_trace
from sandproof.trace_text import STANDARD_INPUT, BadTrace
from spec import PAPER, Draw, Rules, SpecError

BAD_INPUT = 2
"""The exit status for a trace that cannot be used."""

SECONDS, CALL_SECONDS = 600.0, 10.0
"""The processor time that a trace and a call of a changed rule may take."""


WIDTHS = len("day 1000.00000"), len("event trigger")
"""How wide the columns of a table are that is printed while the trace runs."""


def run(arguments: argparse.Namespace) -> int:
    """Run the trace and print what happens, or one line that says why it cannot be run."""
    if arguments.family == "w3c":
        return run_scenarios(arguments)
    draw: Draw = Noiseless() if arguments.noiseless else Sampler(SystemEntropy())
    if arguments.seed is not None:
        draw = Sampler(SeededEntropy(arguments.seed))

    @contextmanager
    def named() -> Iterator[None]:
        try:
            yield
        except BadTrace as error:
            raise BadInput(f"{arguments.trace}: {error}") from None
        except sqlite3.Error as error:
            raise BadInput(f"{arguments.trace}: no room for the state on disk: {error}") from None

    with named():
        # Here, because a child process that runs a proposal has no standard input.
        trace = read_trace(arguments.trace)

    def lines(rules: Rules) -> Iterator[str]:
        with named():
            yield from told(trace, simulate(trace, draw, rules), arguments)

    if arguments.rules is not None:
        text = with_rules_of(arguments.rules, lambda rules: "\n".join(lines(rules)))
        print(text, end="\n" if text else "")
        return 0
    live = arguments.trace == STANDARD_INPUT
    # The paper's rules make no cycles, and looking for some takes a third of the time.
    gc.disable()
    try:
        for line in lines(PAPER):
            print(line, flush=live)
    finally:
        gc.enable()
    return 0


def told(trace: Trace, rows: Iterable[Row], arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the lines that tell a run; of a trace in lines as it runs, of a document at its end."""
    if not in_lines(arguments.trace):
        rows = list(rows)
    match arguments.format:
        case "json":
            listed = [as_data(row) for row in rows]
            document = {"description": trace.description, "rows": listed}
            yield json.dumps(document, indent=2, default=str)
        case "jsonl":
            encoder = json.JSONEncoder(default=str)
            yield from (encoder.encode(as_data(row)) for row in rows)
        case _:
            yield from as_table(rows, arguments.times)


def with_rules_of(path: Path, told: Callable[[Any], str], family: str = "paper") -> str:
    """Return what is told of a proposal's rules, which are run in a child process only."""
    from sandproof.about import Request
    from sandproof.calls import Calls
    from sandproof.children import blamed
    from sandproof.guard import Guard
    from sandproof.problems import told as as_one_line
    from sandproof.processes import Ending, Pool, Task
    from sandproof.proposal import load

    def work(calls: Calls) -> str | Exception:
        guard = Guard(path=path, twice=False, trace=calls)
        try:
            proposal = load(Request(path=path, family=family, wanted=True))
            guard.files = proposal.files
            return told(guard.around(proposal.rules))
        except (BadInput, NotFollowed) as error:
            return BadInput(str(error))
        except BaseException as error:
            blame = blamed(error, guard)
            return BadInput(blame) if blame else RuntimeError(as_one_line(error))

    task = Task(name="simulate", work=work, seconds=SECONDS, call_seconds=CALL_SECONDS)
    with Pool(1) as pool:
        pool.start(task)
        outcome = pool.wait()
    assert outcome is not None
    if isinstance(outcome.answer, str):
        return outcome.answer
    if isinstance(outcome.answer, Exception):
        raise outcome.answer
    who = f"{path}: rule `{outcome.rule}`" if outcome.rule else f"{path}: the simulation"
    late = f"was not finished within {outcome.seconds:.0f} s"
    raise BadInput(f"{who} {outcome.how if outcome.ending is Ending.DIED else late}")


def run_scenarios(arguments: argparse.Namespace) -> int:
    """Replay scenarios of the W3C's Attribution group and print what is not as expected."""
    from sandproof.families import family_named

    if arguments.seed is not None or arguments.noiseless:
        print("sandproof: a scenario draws nothing: --seed, --noiseless", file=sys.stderr)
        return BAD_INPUT
    if arguments.format == "jsonl":
        print("sandproof: scenarios are told as text or json, not as jsonl", file=sys.stderr)
        return BAD_INPUT

    def told(rules: Any) -> str:
        return json.dumps(replayed(rules, arguments.trace))

    own = family_named("w3c").own
    path: Path | None = arguments.rules
    listed = json.loads(told(own) if path is None else with_rules_of(path, told, "w3c"))
    if not listed:
        print(f"sandproof: {arguments.trace}: holds no scenario", file=sys.stderr)
        return BAD_INPUT
    good = sum(not each["wrong"] for each in listed)
    if arguments.format == "json":
        print(json.dumps({"scenarios": listed, "as_expected": good}, indent=2))
    else:
        for each in listed:
            said = "as expected" if not each["wrong"] else "not as expected"
            print(f"{each['scenario']}: {each['events']} events, {said}")
            for line in cast(list[str], each["wrong"]):
                print(f"    {line}")
        print(f"{good} of {len(listed)} scenarios as expected")
    return 0 if good == len(listed) else 1


def replayed(rules: Any, where: Path) -> list[dict[str, object]]:
    """Replay a scenario, or those of a folder; say of each how many events and which are wrong."""
    from sandproof import scenario

    listed: list[dict[str, object]] = []
    for path in scenario.scenarios_in(where):
        try:
            read = scenario.read_scenario(path)
            events = list(scenario.replay(rules, read))
        except (BadTrace, SpecError) as error:
            raise BadInput(f"{path}: {error}") from None
        wrong = [
            f"second {each.event.seconds}, {each.event.name}: "
            f"{scenario.told(each.outcome)}, expected {scenario.told(each.event.expected)}"
            for each in events
            if not each.as_expected
        ]
        listed.append({"scenario": read.name, "events": len(events), "wrong": wrong})
    return listed


def as_data(row: Row) -> dict[str, object]:
    """Return a row as data."""
    return {"time": row.time, "cause": row.cause} | row.details


def as_table(rows: Iterable[Row], unit: str | None = None) -> Iterator[str]:
    """Yield the lines of a table, with times in days or in seconds.

    The columns are as wide as they must be if all rows are there, and otherwise always the same.
    """
    days, widths = unit == "days", WIDTHS
    if isinstance(rows, list):
        days = days or (unit is None and max((row.time for row in rows), default=0) >= DAY)
        times = [day(row.time) if days else str(row.time) for row in rows]
        widths = (
            max(map(len, ["time", *times])),
            max(map(len, ["cause", *(row.cause for row in rows)])),
        )
    yield f"{'time':>{widths[0]}}  {'cause':<{widths[1]}}  result"
    for row in rows:
        time = day(row.time) if days else str(row.time)
        # JSON can also write half a character in a name, which nobody can print.
        result = row.result.encode(errors="backslashreplace").decode()
        yield f"{time:>{widths[0]}}  {row.cause:<{widths[1]}}  {result}"


def day(seconds: int) -> str:
    """Return a time as a day, with as many decimals as tell seconds apart."""
    return f"day {seconds / DAY:.5f}".rstrip("0").removesuffix(".")
