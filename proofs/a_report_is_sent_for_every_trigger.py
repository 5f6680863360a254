r"""Whether, when and with what shown a report is sent depends on public data only.

Claim: How many reports `send` returns, their identifiers, what is shown of them and when they
    arrive are the same with a unit and without it. They are functions of the trigger or event and
    of the time.
Paper: Alg. 2; Alg. 3; Remark 2.2.
Method: Two runs with a client and with granted credits that may not be looked at, and with a
    trigger or an event of symbolic numbers: what does not look at them does not depend on them. The
    paper's own function may put what was granted into a report, which is compared without its
    contents. A search over small budgets, credits and contents catches rules that do look.
Assumes: The rules have no memory. The trigger and the event are public: the ad-tech registered
    them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import (
    Inductive,
    any_event,
    any_trigger,
    certain,
    contribution,
    for_all_rules,
    on_device,
    opaque,
    same,
    search,
    sent_unseen,
    unchecked,
)
from spec import PAPER, Rules
from spec.attribution_client import AttributionClient, Trigger
from spec.contributions import Budget, Budgets, Cause, Contributor, Credit, Unit, send
from spec.distributions import Distribution, Law, Random
from spec.private_aggregation_client import AggregationClient, DeviceWindow, Event
from spec.reports import Contribution, Sent
from spec.rules import AtContribution, OnDevice

NOW = 5
"""The time in small situations."""


def any_cause(key: int, value: int, a_trigger: bool) -> Cause:
    """Return a trigger or an event; filters and program may not be looked at."""
    return any_trigger(key, value) if a_trigger else any_event()


def public(sent: tuple[Sent, ...]) -> tuple[tuple[object, ...], ...]:
    """Return what there is of reports beside their contents."""
    return tuple((each.report.report_id, each.shown, each.arrival) for each in sent)


@for_all_rules("presence, time and what is shown do not look at budgets, credits and contents")
def secrets_are_not_read(rules: Rules, key: int, value: int, a_trigger: bool) -> bool:
    """Run `send` twice, each time with other secrets."""
    assume(0 <= key, 0 <= value)
    cause = any_cause(key, value, a_trigger)

    def seen() -> tuple[object, ...]:
        at = on_device(rules, opaque(AttributionClient, "the client"), cause)
        _, sent = sent_unseen(at)
        return public(sent)

    return same(seen(), seen())


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Hold what a client sees when it sends a report, and what was granted."""

    at: AtContribution
    granted: tuple[Credit, ...]


def pairs(rules: Rules) -> Iterator[tuple[World, World]]:
    """List small situations with a unit, each with the same without it, as the client makes them.

    The unit has contributed nothing so far, or all that it may.
    """
    trigger = Trigger(report_id=7, destination="d", filters=frozenset({"f"}), key=1, value=3)
    event = Event(report_id=7, device="u", program=_program)
    window = DeviceWindow(device="u", window=0)
    causes: list[tuple[Cause, Unit]] = [(trigger, "x"), (event, window)]
    limits = rules.limits
    most = Budget(value=limits.contribution_budget, count=limits.sparsity_budget)
    part = Contribution(key=1, value=min(3, most.value))
    for cause, unit in causes:
        credit = Credit(unit=unit, contributions=(part,))
        without = made(rules, cause, Map({unit: Budget()}), ())
        for before in (Budget(), most):
            yield made(rules, cause, Map({unit: before}), (credit,)), without


def made(rules: Rules, cause: Cause, before: Budgets, credits: tuple[Credit, ...]) -> World:
    """Return what the client knows once it has contributed.

    Where `send` is the paper's and looks at nothing, the paper's client will do.
    """
    admitting = replace(PAPER, limits=rules.limits) if rules.send is PAPER.send else rules
    kind = AttributionClient if isinstance(cause, Trigger) else AggregationClient
    client = cast(Contributor, kind(budgets=before))
    at: AtContribution = OnDevice(rules=admitting, now=NOW, client=client, cause=cause)
    budgets, granted = admitting.contribute(at, credits)
    after = cast(Contributor, kind(budgets=budgets))
    return World(at=replace(at, rules=rules, client=after), granted=granted)


def _program(storage: Map[object, object]) -> tuple[Map[object, object], int, int]:
    return storage, 1, 3


@search(
    "presence, time and what is shown are the same with and without a unit",
    over="a trigger and an event, with no budget used and with all",
)
def instances(rules: Rules) -> Mapping[str, object] | None:
    """Look for a situation in which the two worlds send differently."""
    for with_x, without_x in pairs(rules):
        first, second = seen_in(with_x), seen_in(without_x)
        if first != second:
            parts = [part.value for credit in with_x.granted for part in credit.contributions]
            return {
                "cause": type(with_x.at.cause).__name__,
                "contributed": sum(used.value for used in with_x.at.client.budgets.values()),
                "granted": sum(parts),
                "sent with x": _shown(first),
                "sent without x": _shown(second),
            }
    return None


def seen_in(world: World) -> object:
    """Return what is public of what is sent in a world, with laws as laws."""
    sent = world.at.rules.send(world.at, world.granted)
    if not isinstance(sent, Law):
        return public(sent)
    if not isinstance(sent, Distribution):
        raise TypeError(f"what is sent is drawn from a {type(sent).__name__}")
    masses: dict[tuple[tuple[object, ...], ...], Fraction] = {}
    for outcome, mass in sent.items():
        masses[public(outcome)] = masses.get(public(outcome), Fraction(0)) + mass
    return next(iter(masses)) if len(masses) == 1 else masses


def _shown(value: object) -> str:
    return str(value)


@exists("not vacuous: a report is sent, and shows something")
def a_report_is_sent(rules: Rules, key: int, value: int) -> bool:
    """Find a trigger for which a report is sent."""
    assume(0 <= key, 0 <= value)
    at = on_device(rules, AttributionClient(), any_cause(key, value, a_trigger=True))
    granted = (unchecked(Credit, unit="x", contributions=(contribution(1, "granted"),)),)
    sent = certain(rules.send(at, granted))
    return len(sent) == 1 and sent[0].arrival >= at.now


def send_unless_used_up(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send no report when nothing is granted."""
    return send(at, granted) if granted else ()


def delay_null_reports(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Let null reports arrive later, as the report itself tells."""
    (sent,) = send(at, granted)
    return (replace(sent, arrival=at.now + 1 if sent.report.is_null else at.now),)


def show_budget(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show how much has been contributed."""
    used = sum(spent.value for spent in at.client.budgets.values())
    return tuple(replace(each, shown=(each.shown, used)) for each in send(at, granted))


def delay_by_contents(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Let real reports arrive later."""
    later = at.now + (1 if granted else 0)
    return tuple(replace(each, arrival=later) for each in send(at, granted))


def send_null_sometimes(
    at: AtContribution, granted: tuple[Credit, ...]
) -> Random[tuple[Sent, ...]]:
    """Send a null report with probability one half."""
    sent = send(at, granted)
    return sent if granted else Distribution.uniform((sent, ()))


def renumber_null_reports(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Give null reports another identifier."""
    (sent,) = send(at, granted)
    report = replace(sent.report, report_id=sent.report.report_id + (0 if granted else 1))
    return (replace(sent, report=report),)


PROOF = Proof(
    claim="a_report_is_sent_for_every_trigger",
    subject=PAPER,
    steps=(
        Inductive(step=secrets_are_not_read, reachable=instances, confirmed_by=instances),
        a_report_is_sent,
    ),
    controls={
        "no report when the budget is used up": replace(PAPER, send=send_unless_used_up),
        "the budget is visible": replace(PAPER, send=show_budget),
        "real reports arrive later": replace(PAPER, send=delay_by_contents),
        "null reports arrive later": replace(PAPER, send=delay_null_reports),
        "null reports are sent sometimes": replace(PAPER, send=send_null_sometimes),
        "null reports have other identifiers": replace(PAPER, send=renumber_null_reports),
    },
    unproved_for={"no report is ever sent": replace(PAPER, send=lambda *_: ())},
)

CHECK = check_of(
    PROOF,
    method="two runs of send",
    assumes="rules have no memory; triggers and events are public",
    takes_rules=True,
)
