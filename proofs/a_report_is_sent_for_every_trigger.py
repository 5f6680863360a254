r"""Whether, when and with what shown a report is sent depends on public data only.

Claim: `sends`, `visible`, `arrival` and the identifier that `report` writes are the same with a
    unit and without it. They are functions of the trigger or event and of the time.
Paper: Alg. 2; Alg. 3; Remark 2.2.
Method: Two runs with budgets, credits and contents that may not be looked at, and with a trigger
    or an event of symbolic numbers: what does not look at them does not depend on them. A search
    over small budgets, credits and contents catches rules that do.
Assumes: The rules have no memory. The trigger and the event are public: the ad-tech registered
    them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from immutables import Map

from proofs._check import check_of
from proofs._proof import Proof, assume, exists
from proofs._subjects import (
    Inductive,
    any_reports,
    any_text,
    certain,
    contribution,
    for_all_rules,
    holding,
    opaque,
    same,
    sealed,
    search,
    unchecked,
)
from spec import PAPER, Rules
from spec.attribution_client import Trigger
from spec.contributions import Budget, Budgets, Cause, Credit
from spec.distributions import Distribution, Random
from spec.private_aggregation_client import DeviceWindow, Event
from spec.reports import Contribution, Report


def any_cause(key: int, value: int, a_trigger: bool) -> Cause:
    """Return a trigger or an event; filters and program may not be looked at."""
    (report_id,) = any_reports(1)
    if a_trigger:
        return unchecked(
            Trigger,
            report_id=report_id,
            destination=any_text("destination"),
            filters=opaque(frozenset[str], "the filters"),
            key=key,
            value=value,
            trigger_id=any_text("trigger_id"),
        )
    return unchecked(
        Event,
        report_id=report_id,
        device=any_text("device"),
        program=opaque(object, "the program"),
        ad_tech=any_text("ad_tech"),
    )


@for_all_rules("presence, time and what is shown do not look at budgets, credits and contents")
def secrets_are_not_read(rules: Rules, key: int, value: int, now: int, a_trigger: bool) -> bool:
    """Run the four rules twice, each time with other secrets."""
    assume(0 <= key, 0 <= value, 0 <= now)
    cause = any_cause(key, value, a_trigger)
    (report_id,) = any_reports(1)

    def seen() -> tuple[object, ...]:
        budgets = opaque(Map, "the budgets")
        credits = opaque(tuple[Credit, ...], "the credits")
        contents = opaque(tuple[Contribution, ...], "the contents of a report")
        report = sealed(report_id)
        return (
            rules.report(report_id, contents, cause).report_id,
            rules.sends(budgets, credits, cause, report),
            rules.visible(budgets, credits, cause, report),
            rules.arrival(now, cause, report),
        )

    return all(same(one, other) for one, other in zip(seen(), seen(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Hold what a client knows when it sends a report, and the report."""

    budgets: Budgets
    credits: tuple[Credit, ...]
    granted: tuple[Contribution, ...]


def pairs(rules: Rules) -> Iterator[tuple[Cause, World, World]]:
    """List small situations with a unit, each with the same without it, as the client makes them.

    The unit has contributed nothing so far, or all that it may.
    """
    trigger = Trigger(report_id=7, destination="d", filters=frozenset({"f"}), key=1, value=3)
    event = Event(report_id=7, device="u", program=_program)
    window = DeviceWindow(device="u", window=0)
    causes: list[tuple[Cause, object]] = [(trigger, "x"), (event, window)]
    most = PAPER.cap(rules.limits)
    part = Contribution(key=1, value=min(3, most.value))
    for cause, unit in causes:
        credit = Credit(unit=unit, contributions=(part,))
        without = made(rules, cause, Map({unit: Budget()}), ())
        for before in (Budget(), most):
            yield cause, made(rules, cause, Map({unit: before}), (credit,)), without


def made(rules: Rules, cause: Cause, before: Budgets, credits: tuple[Credit, ...]) -> World:
    """Return what the client knows once it has contributed.

    Where none of the four rules looks at more than the paper's does, the paper's client will do.
    """
    named = ("sends", "visible", "arrival", "report")
    looks = any(getattr(rules, name) is not getattr(PAPER, name) for name in named)
    client = rules if looks else replace(PAPER, limits=rules.limits)
    budgets, granted = client.contribute(client, before, credits, cause)
    return World(budgets=budgets, credits=credits, granted=granted)


def _program(storage: Map[object, object]) -> tuple[Map[object, object], int, int]:
    return storage, 1, 3


@search(
    "presence, time and what is shown are the same with and without a unit",
    over="a trigger and an event, with no budget used and with all",
)
def instances(rules: Rules) -> Mapping[str, object] | None:
    """Look for a situation in which the two worlds send differently."""
    for cause, with_x, without_x in pairs(rules):
        for field, first, second in zip(
            ("sends", "visible", "arrival"),
            seen_in(rules, cause, with_x),
            seen_in(rules, cause, without_x),
            strict=True,
        ):
            if first != second:
                return {
                    "cause": type(cause).__name__,
                    "contributed": sum(spent.value for spent in with_x.budgets.values()),
                    "granted": sum(part.value for part in with_x.granted),
                    f"{field} with x": _shown(first),
                    f"{field} without x": _shown(second),
                }
    return None


def seen_in(rules: Rules, cause: Cause, world: World) -> tuple[object, ...]:
    """Return what the rules decide in a world, with laws as laws."""
    report = rules.report(7, world.granted, cause)
    return (
        _law(rules.sends(world.budgets, world.credits, cause, report)),
        _law(rules.visible(world.budgets, world.credits, cause, report)),
        rules.arrival(5, cause, report),
    )


def _law(value: Random[object]) -> object:
    """Return a certain value and the law that always gives it as one."""
    if isinstance(value, Distribution) and len(value.support()) == 1:
        return value.support()[0]
    return value


def _shown(value: object) -> object:
    return dict(value.items()) if isinstance(value, Distribution) else value


@exists("not vacuous: a report is sent, and shows something")
def a_report_is_sent(rules: Rules, now: int) -> bool:
    """Find a moment at which a report is sent."""
    assume(now >= 0)
    cause = any_cause(1, 1, a_trigger=True)
    (report_id,) = any_reports(1)
    report = holding(report_id, contribution(1, "granted"))
    sent = certain(rules.sends(Map(), (), cause, report))
    return sent and rules.arrival(now, cause, report) >= now


def send_unless_used_up(_: Budgets, credits: tuple[Credit, ...], __: Cause, report: Report) -> bool:
    """Send no report when the budget is used up."""
    return not (credits and report.is_null)


def show_budget(
    budgets: Budgets, _: tuple[Credit, ...], __: Cause, report: Report
) -> tuple[int, int]:
    """Show how much has been contributed."""
    return report.report_id, sum(spent.value for spent in budgets.values())


def delay_by_contents(now: int, _: Cause, report: Report) -> int:
    """Let real reports arrive later."""
    return now if report.is_null else now + 1


def send_null_sometimes(
    _: Budgets, __: tuple[Credit, ...], ___: Cause, report: Report
) -> Random[bool]:
    """Send a null report with probability one half."""
    return Distribution.uniform((True, False)) if report.is_null else True


PROOF = Proof(
    claim="a_report_is_sent_for_every_trigger",
    subject=PAPER,
    steps=(
        Inductive(step=secrets_are_not_read, reachable=instances, confirmed=True),
        a_report_is_sent,
    ),
    controls={
        "no report when the budget is used up": replace(PAPER, sends=send_unless_used_up),
        "the budget is visible": replace(PAPER, visible=show_budget),
        "real reports arrive later": replace(PAPER, arrival=delay_by_contents),
        "null reports are sent sometimes": replace(PAPER, sends=send_null_sometimes),
    },
    unproved_for={"no report is ever sent": replace(PAPER, sends=lambda *_: False)},
)

CHECK = check_of(
    PROOF,
    method="two runs of sends, visible, arrival and report",
    assumes="rules have no memory; triggers and events are public",
    takes_rules=True,
)
