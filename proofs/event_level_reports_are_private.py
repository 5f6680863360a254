r"""Event-level reports of ARA are private per source.

Claim: What the ad-tech sees of event-level reports is $\varepsilon$-indistinguishable with and
    without a source $x$, for every interactive adversary, with attribution fixed.
Paper: Thm. 5.1.
Method: A chain of lemmas, each decided on the rules at hand:
    the client is M_ER: a source that drew an output sends exactly that output, whatever happens,
    its buckets are told by the numbers of its reports, and what a source sends depends on its own
    response and credits only; a truthful source stays in the output set; randomized response over a
    set that the truth does not leave is private for one source; and the other sources are a random
    part of the adversary, so that joint convexity gives the theorem for all of them.
    Which sources match a trigger, and which of them are credited, may be decided in any way on the
    truthful account, and not by a drawn response: that is looked for in the code of these rules,
    and taken off.
    That the client is M_ER is enumerated for small sources, and follows for all from the code: the
    response is drawn once, `pass_window` sends the counts of the response where there is one, and
    every step changes the record of one source only.
Assumes: What every lemma assumes; no side channels; rules are functions of their arguments; the
    output set depends on the public configuration of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from proofs._chain import Chain
from proofs._check import check_of
from proofs._proof import Proof
from proofs._step import CHECK as STEP_KEEPS
from proofs._subjects import search
from proofs.event_client_outputs_stay_in_the_output_set import (
    all_but_the_last,
    at_first,
    drawing,
    reports_by,
    sent_by,
    small_runs,
)
from spec import PAPER, Rules
from spec.contributions import Unit
from spec.distributions import Draw
from spec.event_client import EventClient, EventReport, EventSource, EventTrigger
from spec.event_client import TriggerSpecification as Specification
from spec.event_outputs import Output, OutputSet
from spec.rules import AtEventSource, AtEventTrigger, AtWindows, OnDevice


@search(
    "a source that drew an output sends exactly this output, whatever the triggers",
    over="the small sources and three triggers each",
)
def responses_are_sent(rules: Rules) -> Mapping[str, object] | None:
    """Look for a response and triggers that lead to other reports."""
    for place, (source, triggers) in enumerate(small_runs()):
        outputs = rules.output_set(at_first(rules, source), source)
        response = outputs.output(place % outputs.size())
        sent = sent_by(rules, source, triggers, response)
        if sent != response:
            return {"response": response, "triggers": triggers, "sent": sent}
    return None


@search(
    "a source reports its buckets in their order, each once, whether it answers truthfully or not",
    over="the small sources and three triggers each",
)
def buckets_are_in_order(rules: Rules) -> Mapping[str, object] | None:
    """Look for a run in which the buckets of a datum are not its first ones, one after the other.

    So the counts of an output say all that is seen of it.
    """
    for place, (source, triggers) in enumerate(small_runs()):
        outputs = rules.output_set(at_first(rules, source), source)
        for response in (None, outputs.output(place % outputs.size())):
            sent = [report for _, report in reports_by(rules, source, triggers, response)]
            for each in source.specifications:
                buckets = tuple(report.bucket for report in sent if report.data == each.data)
                if buckets != each.buckets[: len(buckets)]:
                    return {"response": response, "triggers": triggers, "buckets": buckets}
    return None


@search(
    "a truthful source sends a report for every bucket that the values of its triggers reach",
    over="the small sources that may send a report for every bucket, and three triggers each",
)
def values_reach_buckets(rules: Rules) -> Mapping[str, object] | None:
    """Look for a run with more reports or fewer.

    So there is a truth to hide: a source that never reports would keep every promise.
    """
    for source, triggers in small_runs():
        if source.maximum_reports < sum(len(each.buckets) for each in source.specifications):
            continue
        sent = [report for _, report in reports_by(rules, source, triggers)]
        for each in source.specifications:
            timely = [trigger for trigger in triggers[: each.windows[-1]] if trigger]
            value = sum(value for data, value in timely if data == each.data)
            reached = sum(bucket <= value for bucket in each.buckets)
            if sum(report.data == each.data for report in sent) != reached:
                return {"triggers": triggers, "buckets": reached, "sent": tuple(sent)}
    return None


@search(
    "an output set lists the outputs of its indices, each once, and holds how they begin",
    over="the small sources",
)
def outputs_are_listed(rules: Rules) -> Mapping[str, object] | None:
    """Look for an output set whose list and indices disagree."""
    for source in dict.fromkeys(source for source, _ in small_runs()):
        outputs = rules.output_set(at_first(rules, source), source)
        listed = tuple(outputs)
        indexed = tuple(outputs.output(index) for index in range(outputs.size()))
        once = len(set(listed)) == len(listed) == len(indexed)
        begun = {tuple(counts[:1] for counts in each) for each in listed}
        held = all(each in outputs for each in listed) and all(map(outputs.extends, begun))
        if not once or set(listed) != set(indexed) or not held:
            return {"listed": listed, "by index": indexed}
    return None


def source_of(source_id: str) -> EventSource:
    """Return a small source."""
    return EventSource(
        source_id=source_id,
        destination="d",
        expiry=10,
        filters=frozenset({"f"}),
        maximum_reports=2,
        specifications=(Specification(data=0, windows=(1, 2), buckets=(1, 2)),),
    )


def sent_beside(
    rules: Rules, responses: tuple[Output | None, Output | None], credited: tuple[str, ...]
) -> tuple[EventReport, ...]:
    """Let x and z register and triggers be credited; return what z sends."""
    client = rules.initial.events
    for source_id, response in zip("xz", responses, strict=True):
        source = source_of(source_id)
        at_source = OnDevice(rules=rules, now=0, client=client, cause=source)
        client = rules.register_event_source(at_source, source, drawing(response))
    for place, unit in enumerate(credited):
        trigger = EventTrigger(
            trigger_id=str(place), destination="d", filters=frozenset({"f"}), data=0, value=1
        )
        units = (unit,) if unit else ()
        at_trigger = OnDevice(rules=rules, now=0, client=client, cause=trigger)
        client = rules.register_event_trigger(at_trigger, units)
    at_windows = OnDevice(rules=rules, now=2, client=client, cause=None)
    _, reports = rules.pass_windows(at_windows, 0, drawing(None))
    return tuple(report for report in reports if report.source_id == "z")


@search(
    "what another source sends does not depend on x",
    over="two sources of two windows and two buckets, three triggers",
)
def others_are_independent(rules: Rules) -> Mapping[str, object] | None:
    """Look for credits and responses of x that change what z sends."""
    source = source_of("x")
    outputs: list[Output | None] = [None, *rules.output_set(at_first(rules, source), source)]
    for credited in product("xz", repeat=3):
        without = tuple(unit if unit == "z" else "" for unit in credited)
        for own in (None, ((1, 0),)):
            alone = sent_beside(rules, (None, own), without)
            for response in outputs:
                if sent_beside(rules, (response, own), credited) != alone:
                    return {"credited": credited, "response of x": response, "of z": own}
    return None


def forget_response(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    """Answer truthfully, whatever was drawn."""
    client = PAPER.register_event_source(at, source, draw)
    newest, *others = client.records
    return replace(client, records=(replace(newest, response=None), *others))


def credit_all(at: AtEventTrigger, credited: tuple[Unit, ...]) -> EventClient:
    """Credit every source as soon as one is credited."""
    everyone = tuple(each.source.source_id for each in at.client.records) if credited else ()
    return PAPER.register_event_trigger(at, everyone)


def repeat_the_first(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Let truthful sources name their first bucket in every report."""
    client, reports = PAPER.pass_windows(at, since, draw)
    first = {
        (record.source.source_id, each.data): each.buckets[0]
        for record in client.records
        for each in record.source.specifications
        if record.response is None
    }
    return client, tuple(
        replace(each, bucket=first.get((each.source_id, each.data), each.bucket))
        for each in reports
    )


class Unlisted(OutputSet):
    """List no output twice, and one less."""

    def __iter__(self) -> Iterator[Output]:
        """Leave out the output without reports."""
        return islice(super().__iter__(), 1, None)


def leave_one_out(at: AtEventSource, source: EventSource) -> OutputSet:
    """Return the output set with a list that is too short."""
    whole = PAPER.output_set(at, source)
    return Unlisted(
        maximum_reports=whole.maximum_reports, windows=whole.windows, buckets=whole.buckets
    )


CLIENT = Proof(
    claim="event_level_reports_are_private",
    subject=PAPER,
    steps=(
        responses_are_sent,
        others_are_independent,
        buckets_are_in_order,
        values_reach_buckets,
        outputs_are_listed,
    ),
    bound="small sources: up to two data with two windows and two buckets, three triggers",
    controls={
        "a drawn response is forgotten": replace(PAPER, register_event_source=forget_response),
        "a trigger counts for every source": replace(PAPER, register_event_trigger=credit_all),
        "the first bucket is repeated": replace(PAPER, pass_windows=repeat_the_first),
        "an output is not listed": replace(PAPER, output_set=leave_one_out),
        "no trigger counts": replace(PAPER, register_event_trigger=lambda at, _: at.client),
    },
)

CLIENT_IS_MECHANISM = check_of(
    CLIENT, method="enumeration of small sources, and the code for all", takes_rules=True
)

CHAIN = Chain(
    claim="event_level_reports_are_private",
    ways=(
        (
            ("the client is M_ER", CLIENT_IS_MECHANISM),
            ("the step keeps and shows what its parts return", STEP_KEEPS),
            "event_client_outputs_stay_in_the_output_set",
            "randomized_response_is_private",
            "joint_convexity",
        ),
    ),
    decided=frozenset({"limits", "output_set", "truth_probability"}),
    free=frozenset(),
    argument="chain of lemmas from randomized response over the output set to M_ER",
    assumes="public output sets; no memory in rules; no side channels; what the lemmas assume",
    controls={
        "the output set misses an output": (
            "event_client_outputs_stay_in_the_output_set",
            replace(PAPER, output_set=all_but_the_last),
        ),
    },
)

CHECK = CHAIN.check()
