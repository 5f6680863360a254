"""The state in pages is the state of the specification: the same rows, refusals and ledger."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sandproof import pages
from sandproof.pages import Pages, merged, parts
from sandproof.sampling import Sampler, SeededEntropy
from sandproof.simulation import State, Whole, run, simulate
from sandproof.trace import Trace, read_trace, set_limits, trace_of
from sandproof.trace_text import BadTrace
from sandproof.traces_told import as_data
from spec import PAPER, Report, replace
from spec.aggregation_service import Spent

LIMITS = {
    "contribution_budget": 6,
    "sparsity_budget": 3,
    "epsilon": 2,
    "delta": "1/2",
    "window_length": 5,
    "maximum_queries": 3,
}

devices = st.sampled_from(["phone", "tablet", "watch", "\ud83d"])
filters = st.sampled_from([["a"], ["b"], ["a", "b"]])
small = st.integers(0, 4)
reports = st.integers(0, 12)
sources = st.fixed_dictionaries(
    {
        "id": st.sampled_from("stuvwxyz"),
        "destination": st.just("shop"),
        "expiry": st.integers(1, 60),
        "filters": filters,
        "key": small,
        "device": devices,
    }
)
triggers = st.fixed_dictionaries(
    {
        "report": reports,
        "destination": st.just("shop"),
        "filters": filters,
        "key": small,
        "value": small,
        "device": devices,
    },
    optional={"credited": st.sampled_from("stuvwxyz")},
)
contributions = st.fixed_dictionaries({"key": small, "value": small})
programs = st.one_of(
    st.fixed_dictionaries({"constant": contributions}),
    st.fixed_dictionaries({"first_view": contributions}),
)
events = st.fixed_dictionaries({"report": reports, "device": devices, "program": programs})
specifications = st.fixed_dictionaries(
    {
        "data": st.integers(0, 1),
        "windows": st.sampled_from([[5], [5, 10], [7, 30]]),
        "buckets": st.just([1, 2]),
    }
)
event_sources = st.fixed_dictionaries(
    {
        "id": st.sampled_from("opqr"),
        "destination": st.just("shop"),
        "expiry": st.integers(1, 60),
        "filters": filters,
        "maximum_reports": st.integers(1, 2),
        "specifications": st.tuples(specifications).map(list),
        "device": devices,
    }
)
event_triggers = st.fixed_dictionaries(
    {
        "destination": st.just("shop"),
        "filters": filters,
        "data": st.integers(0, 1),
        "value": small,
        "device": devices,
    }
)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Draw a trace whose queries name, but for a few, reports that have arrived."""
    moves: list[dict[str, Any]] = []
    sent: list[int] = []
    now = 0
    for _ in range(draw(st.integers(1, 25))):
        kind = draw(
            st.sampled_from(
                [*["trigger", "event", "query"] * 3, "source", "event_source", "event_trigger"]
            )
        )
        move: dict[str, Any] = {}
        if draw(st.booleans()):
            now += draw(st.integers(0, 8))
            move["at"] = now
        if kind == "query":
            named: list[Any] = draw(st.lists(st.sampled_from(sent), max_size=6)) if sent else []
            if len(sent) == max(sent, default=0) + 1:
                named.append([0, len(sent) - 1])
            if draw(st.integers(0, 15)) == 0:
                named.append([0, 12])
            delta = draw(st.sampled_from([0, "1/4"]))
            keys = [] if delta else draw(st.lists(small, max_size=3))
            move["query"] = {"epsilon": 1, "delta": delta, "reports": named, "keys": keys}
        elif kind in ("trigger", "event"):
            fields: dict[str, Any] = dict(draw(triggers if kind == "trigger" else events))
            if draw(st.integers(0, 15)):
                fields["report"] = len(sent)
            if draw(st.integers(0, 9)):
                fields.pop("credited", None)
            sent.append(fields["report"])
            move[kind] = fields
        else:
            made = {
                "source": sources,
                "event_source": event_sources,
                "event_trigger": event_triggers,
            }
            move[kind] = dict(draw(made[kind]))
            if kind != "event_trigger" and draw(st.integers(0, 7)):
                move[kind]["id"] = f"{kind}-{len(moves)}"
        moves.append(move)
    return trace_of({"limits": LIMITS, "moves": moves})


def told(trace: Trace, state: State) -> tuple[list[tuple[object, ...]], str | None]:
    """Return the rows of a run and the complaint in which it ends, whichever report it names."""
    rows: list[tuple[object, ...]] = []
    try:
        for row in run(trace, state):
            rows.append((row.time, row.cause, row.details, row.result))
    except BadTrace as error:
        return rows, re.sub(r"identifier \d+ has arrived", "identifier has arrived", str(error))
    return rows, None


def kept(state: Pages) -> tuple[dict[int, Report], dict[int, Spent]]:
    """Return all reports, and what was spent."""
    state.write()
    return state.looked_up(((0, 2**128 - 1),))


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PART", 2)
    monkeypatch.setattr(pages, "DEVICES", 2)


@settings(max_examples=300)
@given(traces(), st.integers(0, 3))
def test_pages_and_the_whole_state_tell_the_same(trace: Trace, seed: int) -> None:
    limits = replace(PAPER.limits, **trace.limits)
    rules = replace(PAPER, limits=limits)
    whole = Whole(rules, Sampler(SeededEntropy(seed)))
    paged = Pages(rules, Sampler(SeededEntropy(seed)))
    expected, complaint = told(trace, whole)
    assert told(trace, paged) == (expected, complaint)
    event("ends in a complaint" if complaint else "runs to its end")
    for _, cause, details, _ in expected:
        if cause == "query":
            event("a refused query" if details == {"refused": True} else "an answered query")
    if complaint is None:
        assert kept(paged) == (dict(whole.system.reports), dict(whole.system.service.ledger))
    assert len(paged.recent) <= pages.DEVICES


@pytest.mark.parametrize("state", [Pages, Whole])
def test_a_seed_gives_the_same_rows_to_the_byte(state: type[Pages | Whole]) -> None:
    here = Path(__file__).parent
    trace = read_trace(here / "simulate_moves.jsonl")
    rules = replace(PAPER, limits=set_limits(PAPER.limits, trace.limits))
    rows = run(trace, state(rules, Sampler(SeededEntropy(0))))
    lines = "".join(json.dumps(as_data(row)) + "\n" for row in rows)
    assert lines.encode() == (here / "simulate_rows.jsonl").read_bytes()


def test_the_papers_rules_are_kept_in_pages_and_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    for kind in (Pages, Whole):
        monkeypatch.setattr(kind, "make_move", lambda self, _: made.append(type(self).__name__))
    trace = trace_of({"moves": [{"query": {"epsilon": 1, "reports": []}}]})
    changed = replace(PAPER, charge=lambda at, spent, report: PAPER.charge(at, spent, report))
    for rules in (PAPER, replace(PAPER, limits=replace(PAPER.limits, sparsity_budget=1)), changed):
        list(simulate(trace, Sampler(SeededEntropy(0)), rules))
    assert made == ["Pages", "Pages", "Whole"]


def test_a_batch_that_cannot_pay_in_its_last_part_is_not_charged() -> None:
    event = {"device": "d", "program": {"constant": {"key": 1, "value": 1}}}
    sent = [{"event": {**event, "report": number}} for number in range(5)]
    asked = [{"query": {"epsilon": 2, "reports": each, "keys": [1]}} for each in ([4], [[0, 4]])]
    again = {"query": {"epsilon": 2, "reports": [[0, 3]], "keys": [1]}}
    trace = trace_of({"limits": {"epsilon": 2}, "moves": [*sent, *asked, again]})
    rows = list(simulate(trace, Sampler(SeededEntropy(0))))[-3:]
    assert ["refused" in row.details for row in rows] == [False, True, False]


def test_ranges_are_merged_and_cut_into_parts() -> None:
    assert merged(((5, 6), (1, 1), (2, 4), (9, 9), (5, 5))) == ((1, 6), (9, 9))
    assert list(parts(((1, 6), (9, 9), (11, 11)))) == [
        ((1, 2),),
        ((3, 4),),
        ((5, 6),),
        ((9, 9), (11, 11)),
    ]
    assert list(parts(())) == []


def test_a_range_of_reports_most_of_which_never_arrived_is_refused_at_once() -> None:
    event = {"report": 0, "device": "d", "program": {"constant": {"key": 1, "value": 1}}}
    query = {"epsilon": 1, "reports": [[0, 2**128 - 1]], "keys": [1]}
    trace = trace_of({"moves": [{"event": event}, {"query": query}]})
    for state in (Pages, Whole):
        with pytest.raises(BadTrace, match=r"moves\[1\].query: no report with identifier 1 has"):
            list(run(trace, state(PAPER, Sampler(SeededEntropy(0)))))
