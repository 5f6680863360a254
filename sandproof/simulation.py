"""Simulation: a trace runs through the specification, and every move is told in a row.

`Whole` keeps the state as the specification has it, for any rules. Traces that run through the
paper's own rules keep theirs in `Pages`, which need little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from sandproof.problems import brief
from sandproof.trace import Entry, Ranges, Trace, set_limits
from sandproof.trace_text import BadTrace
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


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one line of the output: when, because of what, and what came of it.

    `details` say it in data and `tell` in words, which are not made before somebody wants them.
    """

    time: int
    cause: str
    details: dict[str, Any]
    tell: Callable[[], str]

    @property
    def result(self) -> str:
        """Say in words what came of it."""
        return self.tell()


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


class State(Protocol):
    """Be where the state of a run is kept: it changes with time and with moves."""

    def pass_time(self, until: int) -> Iterator[Row]:
        """Let time pass, and stop at every moment where windows end."""
        ...

    def make_move(self, entry: Entry) -> Row:
        """Make one move and describe what came of it."""
        ...


def simulate(trace: Trace, draw: Draw, rules: Rules = PAPER) -> Iterator[Row]:
    """Yield everything that happens in a trace under rules, as it happens."""
    from sandproof.pages import Pages

    rules = replace(rules, limits=set_limits(rules.limits, trace.limits))
    papers = replace(rules, limits=PAPER.limits) == PAPER
    return run(trace, Pages(rules, draw) if papers else Whole(rules, draw))


def run(trace: Trace, state: State) -> Iterator[Row]:
    """Yield everything that happens in a trace, with the state kept in the given way."""
    for entry in trace.entries:
        try:
            if entry.at is not None:
                yield from state.pass_time(entry.at)
            if entry.move is not None:
                yield state.make_move(entry)
        except SpecError as error:
            raise BadTrace(entry.where, str(error)) from None


class Whole:
    """Keep the whole state in memory, as the specification has it: for any rules."""

    def __init__(self, rules: Rules, draw: Draw) -> None:
        self.rules, self.draw = rules, draw
        self.system = System(service=rules.initial.service)
        self.ends: set[int] = set()

    def pass_time(self, until: int) -> Iterator[Row]:
        """Let time pass, and stop at every moment where windows end."""
        passed = sorted(end for end in self.ends if self.system.now < end < until)
        self.ends = {end for end in self.ends if end > until}
        for moment in (*passed, until):
            move = PassTime(until=moment)
            self.system, seen = step(self.rules, self.system, move, self.draw)
            yield from event_rows(moment, seen)

    def make_move(self, entry: Entry) -> Row:
        """Make one move and describe what came of it."""
        if isinstance(entry.move, Query):
            return self.ask(entry.move, entry.reports)
        if isinstance(entry.move, EventSource):
            self.ends.update(ends_of(entry.move, self.system.now))
        self.system, row = make_move(self.rules, self.system, entry, self.draw)
        return row

    def ask(self, query: Query, ranges: Ranges) -> Row:
        """Ask for the reports that are named, in the order in which they are."""
        system, named = self.system, []
        for report_id in (each for first, last in ranges for each in range(first, last + 1)):
            named.append(report_id)
            if report_id not in system.reports:
                break
        query = replace(query, report_ids=tuple(named))
        self.system, seen = step(self.rules, system, query, self.draw)
        at = AtService(rules=self.rules, now=system.now, service=system.service, query=query)
        batch = PAPER.batch(at, named_reports(query, system.reports))
        assert isinstance(batch, tuple)
        return query_row(system.now, query, seen[0], PAPER.totals(at, batch))


def ends_of(source: EventSource, now: int) -> set[int]:
    """Return the moments at which windows of a source end that is registered now."""
    return {now + end for each in source.specifications for end in each.windows}


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
    """Make a move other than a query, part by part, and describe what came of it."""
    move = entry.move
    assert move is not None
    decision = decide(rules, system, move, draw)
    names = [str(unit) for unit in decision.credited]
    if isinstance(move, Trigger):
        names = [str(credit.unit) for credit in decision.credits]
    check_credit(system, entry, names)
    admitted, granted = admit(rules, system, move, decision, draw)
    after, _ = send(rules, admitted, move, granted, draw)
    match move:
        case Source() | EventSource():
            kind = "source" if isinstance(move, Source) else "event source"
            told = f"{move.source_id} registered"
            return after, Row(system.now, kind, {"source": move.source_id}, lambda: told)
        case Trigger():
            report = after.reports.get(move.report_id)
            why = "value 0" if move.value == 0 else "no active matching source can take it"
            return after, report_row(system.now, "trigger", report, names, why)
        case Event():
            report = after.reports.get(move.report_id)
            wanted = any(credit.contributions for credit in decision.credits)
            why = "the budget of this window is used up" if wanted else "value 0"
            return after, report_row(system.now, "event", report, [move.device], why)
        case EventTrigger():
            to = names[0] if names else "no source"
            told = f"value {move.value} for {move.data} credited to {to}"
            return after, Row(system.now, "event trigger", {"credited": names}, lambda: told)
        case _:
            raise NotImplementedError(f"a trace does not make the move {move!r}")


def report_row(now: int, cause: str, report: Report | None, names: list[str], why: str) -> Row:
    """Describe a report with what is encrypted in it; changed rules may send none."""
    details: dict[str, Any] = {"report": None, "credited": [], "null": why}
    if report is not None:
        parts = [{"key": hex(part.key), "value": part.value} for part in report.contributions]
        details = {"report": report.report_id, "contributions": parts, "credited": names}
        if report.is_null:
            details |= {"credited": [], "null": why}
    return Row(now, cause, details, partial(told_report, details))


def told_report(details: dict[str, Any]) -> str:
    """Say what a report holds and from whom, or why it is null or not sent."""
    if details["report"] is None:
        return f"no report: {details['null']}"
    if "null" in details:
        return f"null report {details['report']}: {details['null']}"
    parts = ", ".join(
        f"key {part['key']} value {part['value']}" for part in details["contributions"]
    )
    return f"report {details['report']}: {parts}, from {' and '.join(details['credited'])}"


def event_rows(moment: int, seen: tuple[object, ...]) -> Iterator[Row]:
    """Describe event-level reports."""
    for report in cast(tuple[EventReport, ...], seen):
        told = f"event-level report: {report.source_id}, {report.data}, bucket {report.bucket}"
        yield Row(moment, "window", {"event_report": asdict(report)}, partial(str, told))


def query_row(now: int, query: Query, outcome: object, true_sums: Mapping[int, int]) -> Row:
    """Describe the answer of the aggregation service, beside what the reports truly hold."""
    if isinstance(outcome, Aborted):
        told = "refused: the privacy budget of a report is used up"
        return Row(now, "query", {"refused": True}, lambda: told)
    if not isinstance(outcome, Answer):
        shown = brief(outcome)
        return Row(now, "query", {"shown": shown}, lambda: f"shown: {shown}")
    details: dict[str, Any] = {
        "summary": [
            {"key": hex(key), "sum": noisy, "true_sum": true_sums.get(key, 0)}
            for key, noisy in outcome.released
        ]
    }
    if query.discovers_keys:
        hidden = sorted(true_sums.keys() - dict(outcome.released))
        details["hidden"] = [{"key": hex(key), "true_sum": true_sums[key]} for key in hidden]
    return Row(now, "query", details, partial(told_summary, details))


def told_summary(details: dict[str, Any]) -> str:
    """Say which sums are released and which keys are hidden."""
    released = ", ".join(
        f"key {each['key']} sum {each['sum']} (true sum {each['true_sum']})"
        for each in details["summary"]
    )
    hidden = ", ".join(
        f"key {each['key']} (true sum {each['true_sum']})" for each in details.get("hidden", ())
    )
    told = f"summary: {released or 'no key is released'}"
    return f"{told}; hidden: {hidden}" if hidden else told
