"""The command `sandproof simulate`: run a trace through the specification."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from sandproof.commands.options import whole
from sandproof.problems import BadInput, NotFollowed, brief
from sandproof.sampling import Sampler, SeededEntropy, SystemEntropy
from sandproof.trace import DAY, BadTrace, Entry, Trace, read_trace, set_limits
from spec import (
    PAPER,
    Aborted,
    Answer,
    AtService,
    Draw,
    Event,
    EventReport,
    EventSource,
    EventTrigger,
    Law,
    Noisy,
    PassTime,
    Query,
    RandomizedResponse,
    Report,
    Rules,
    Source,
    SpecError,
    System,
    Trigger,
    replace,
    step,
)
from spec.aggregation_service import named_reports
from spec.system import admit, decide, send

T = TypeVar("T")

BAD_INPUT = 2
"""The exit status for a trace that cannot be used."""

SECONDS, CALL_SECONDS = 600.0, 10.0
"""The processor time that a trace and a call of a changed rule may take."""


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one line of the output: when, because of what, and what came of it."""

    time: int
    cause: str
    result: str
    details: dict[str, object]


class NoTruth(SpecError):
    """Report a draw that has no outcome without noise."""


class Noiseless:
    """Be a draw that adds no noise and lets every event-level source answer truthfully."""

    def __call__(self, law: T | Law[T], /) -> T:
        """Return the centre of noise and the truth of a randomized response."""
        if isinstance(law, Noisy):
            return cast(T, law.centre)
        if isinstance(law, RandomizedResponse):
            return cast(T, None)
        if isinstance(law, Law):
            raise NoTruth(f"without noise there is no outcome of {brief(law)}")
        return law


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "simulate",
        help=summary,
        description="Run a trace through the paper's rules, or through those of a proposal; print "
        "reports, refusals, and summaries with the true sums, which the ad-tech does not see. "
        "With --family w3c: replay a scenario of the W3C's Attribution group, or a folder of them, "
        "on Attribution Level 1; the exit status is 1 if something is not as expected.",
    )
    parser.add_argument("trace", type=Path, metavar="TRACE.json|DIR")
    parser.add_argument("--family", choices=("paper", "w3c"), default="paper")
    parser.add_argument(
        "--rules", type=Path, metavar="PROPOSAL", help="run it through the rules of this proposal"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--times",
        choices=("days", "seconds"),
        help="how the table tells times (default: days, if the trace takes a day or longer)",
    )
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument("--seed", type=whole, help="sample noise from this seed")
    noise.add_argument("--noiseless", action="store_true", help="add no noise at all")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the trace and print what happens, or one line that says why it cannot be run."""
    if arguments.family == "w3c":
        return run_scenarios(arguments)
    draw: Draw = Noiseless() if arguments.noiseless else Sampler(SystemEntropy())
    if arguments.seed is not None:
        draw = Sampler(SeededEntropy(arguments.seed))

    def told(rules: Rules) -> str:
        try:
            trace = read_trace(arguments.trace)
            rows = simulate(trace, draw, rules)
        except BadTrace as error:
            raise BadInput(f"{arguments.trace}: {error}") from None
        asked = arguments.format == "json"
        return as_json(trace, rows) if asked else as_table(rows, arguments.times)

    print(told(PAPER) if arguments.rules is None else with_rules_of(arguments.rules, told))
    return 0


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


def simulate(trace: Trace, draw: Draw, rules: Rules = PAPER) -> list[Row]:
    """Return everything that happens in a trace under rules."""
    rules = replace(rules, limits=set_limits(rules.limits, trace.limits))
    system = System()
    ends: set[int] = set()
    rows: list[Row] = []
    for entry in trace.entries:
        try:
            if entry.at is not None:
                system, passed = let_time_pass(rules, system, ends, entry.at, draw)
                rows += passed
            if isinstance(entry.move, EventSource):
                listed = entry.move.specifications
                ends |= {system.now + end for each in listed for end in each.windows}
            if entry.move is not None:
                system, row = make_move(rules, system, entry, draw)
                rows.append(row)
        except SpecError as error:
            raise BadTrace(entry.where, str(error)) from None
    return rows


def let_time_pass(
    rules: Rules, system: System, ends: set[int], until: int, draw: Draw
) -> tuple[System, list[Row]]:
    """Let time pass, and stop at every moment where windows end."""
    rows: list[Row] = []
    for moment in (*sorted(end for end in ends if system.now < end < until), until):
        system, seen = step(rules, system, PassTime(until=moment), draw)
        rows += [event_row(moment, cast(EventReport, report)) for report in seen]
    return system, rows


def check_credit(system: System, entry: Entry, names: list[str]) -> None:
    """Refuse a trigger that is not credited to the source that the trace names."""
    if entry.credited is None:
        return
    assert isinstance(entry.move, Trigger | EventTrigger)
    if system.registered.get(entry.credited) != entry.move.device:
        raise BadTrace(
            f"{entry.where}.credited",
            f"no source {entry.credited!r} is registered yet on {entry.move.device!r}",
        )
    if names != [entry.credited]:
        found = " and ".join(map(repr, names)) or "no source"
        raise BadTrace(f"{entry.where}.credited", f"credited to {found}, not {entry.credited!r}")


def make_move(rules: Rules, system: System, entry: Entry, draw: Draw) -> tuple[System, Row]:
    """Make one move, part by part, and describe what came of it."""
    move = entry.move
    assert move is not None
    decision = decide(rules, system, move, draw)
    names = [str(unit) for unit in decision.credited]
    if isinstance(move, Trigger):
        names = [str(credit.unit) for credit in decision.credits]
    check_credit(system, entry, names)
    admitted, granted = admit(rules, system, move, decision, draw)
    after, seen = send(rules, admitted, move, granted, draw)

    def row(cause: str, result: str, details: dict[str, object]) -> Row:
        return Row(system.now, cause, result, details)

    match move:
        case Source() | EventSource():
            kind = "source" if isinstance(move, Source) else "event source"
            return after, row(kind, f"{move.source_id} registered", {"source": move.source_id})
        case Trigger():
            report = after.reports.get(move.report_id)
            why = "value 0" if move.value == 0 else "no active matching source can take it"
            return after, row("trigger", *described(report, names, why))
        case Event():
            report = after.reports.get(move.report_id)
            wanted = any(credit.contributions for credit in decision.credits)
            why = "the budget of this window is used up" if wanted else "value 0"
            return after, row("event", *described(report, [move.device], why))
        case EventTrigger():
            told = f"value {move.value} for {move.data} " + (
                f"credited to {names[0]}" if names else "credited to no source"
            )
            return after, row("event trigger", told, {"credited": names})
        case Query():
            at = AtService(rules=rules, now=system.now, service=system.service, query=move)
            batch = PAPER.batch(at, named_reports(move, system.reports))
            assert isinstance(batch, tuple)
            return after, row("query", *summarised(move, seen[0], PAPER.totals(at, batch)))
        case PassTime():
            return after, row("time", "passes", {})


def described(report: Report | None, names: list[str], why: str) -> tuple[str, dict[str, object]]:
    """Describe a report with what is encrypted in it; changed rules may send none."""
    if report is None:
        return f"no report: {why}", {"report": None, "credited": [], "null": why}
    details: dict[str, object] = {
        "report": report.report_id,
        "contributions": [
            {"key": hex(part.key), "value": part.value} for part in report.contributions
        ],
        "credited": names,
    }
    if report.is_null:
        return f"null report {report.report_id}: {why}", details | {"credited": [], "null": why}
    parts = ", ".join(f"key {part.key:#x} value {part.value}" for part in report.contributions)
    return f"report {report.report_id}: {parts}, from {' and '.join(names)}", details


def event_row(moment: int, report: EventReport) -> Row:
    """Describe an event-level report."""
    result = f"event-level report: {report.source_id}, {report.data}, bucket {report.bucket}"
    return Row(moment, "window", result, {"event_report": asdict(report)})


def summarised(
    query: Query, outcome: object, true_sums: Mapping[int, int]
) -> tuple[str, dict[str, object]]:
    """Describe the answer of the aggregation service, beside what the reports truly hold."""
    if isinstance(outcome, Aborted):
        return "refused: the privacy budget of a report is used up", {"refused": True}
    if not isinstance(outcome, Answer):
        return f"shown: {brief(outcome)}", {"shown": brief(outcome)}
    released = [
        {"key": hex(key), "sum": noisy, "true_sum": true_sums.get(key, 0)}
        for key, noisy in outcome.released
    ]
    sums = [f"key {x['key']} sum {x['sum']} (true sum {x['true_sum']})" for x in released]
    details: dict[str, object] = {"summary": released}
    text = f"summary: {', '.join(sums) or 'no key is released'}"
    if query.discovers_keys:
        hidden = {hex(x): true_sums[x] for x in sorted(true_sums.keys() - dict(outcome.released))}
        details["hidden"] = [{"key": key, "true_sum": true} for key, true in hidden.items()]
        listed = ", ".join(f"key {key} (true sum {true})" for key, true in hidden.items())
        text += f"; hidden: {listed}" if listed else ""
    return text, details


def as_json(trace: Trace, rows: list[Row]) -> str:
    """Return the rows as JSON."""
    listed = [{"time": row.time, "cause": row.cause} | row.details for row in rows]
    return json.dumps({"description": trace.description, "rows": listed}, indent=2, default=str)


def as_table(rows: list[Row], unit: str | None = None) -> str:
    """Return the rows as a table, with times in days or in seconds."""
    long = max((row.time for row in rows), default=0) >= DAY
    days = unit == "days" or (unit is None and long)
    cells = [("time", "cause", "result")]
    cells += [(day(row.time) if days else str(row.time), row.cause, row.result) for row in rows]
    widths = [max(len(cell[column]) for cell in cells) for column in (0, 1)]
    return "\n".join(
        f"{time:>{widths[0]}}  {cause:<{widths[1]}}  {result}" for time, cause, result in cells
    )


def day(seconds: int) -> str:
    """Return a time as a day, with as many decimals as tell seconds apart."""
    return f"day {seconds / DAY:.5f}".rstrip("0").removesuffix(".")
