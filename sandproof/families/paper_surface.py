"""The paper's change surface as data: what each rule decides, and how it was called at first."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from spec import PAPER


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Hold a rule's name, its arguments, what it decides, and who decides."""

    name: str
    arguments: tuple[str, ...]
    decides: str

    @property
    def call(self) -> str:
        """Return the rule as it is called, or the name of a value."""
        return f"{self.name}({', '.join(self.arguments)})" if self.arguments else self.name


@cache
def surface() -> tuple[Rule, ...]:
    """Return every field of the paper's rules with the line that stands above it."""
    return surface_of(PAPER)


def surface_of(own: object) -> tuple[Rule, ...]:
    """Return every field of the rules of a family with the line that stands above it."""
    found = re.findall(r"^    #: (.+)\n    (\w+):", inspect.getsource(type(own)), re.MULTILINE)
    return tuple(
        Rule(name=name, arguments=arguments_of(getattr(own, name)), decides=line)
        for line, name in found
    )


def arguments_of(rule: object) -> tuple[str, ...]:
    """Name the arguments of a rule; a value that is no function has none."""
    return tuple(inspect.signature(rule).parameters) if callable(rule) else ()


AS_IT_WAS = "as it was: a formula"
FIRST_SURFACE = {
    "cap(limits)": (
        "gone: `admit` compares with `at.limits.contribution_budget` and "
        "`at.limits.sparsity_budget`"
    ),
    "admit(most, spent, contribution, cause) -> Budget or None": (
        "`admit(at, unit, spent, contribution) -> (Budget, bool)`; refused is `(spent, False)`"
    ),
    "grant(rules, spent, credit, cause)": "gone: write `contribute`",
    "contribute(rules, budgets, credits, cause) -> (budgets, contributions)": (
        "`contribute(at, credits) -> (budgets, granted credits)`; the budgets before are "
        "`at.client.budgets`"
    ),
    "report(report_id, contributions, cause)": "`send(at, granted)`: the `report` of each `Sent`",
    "sends(budgets, credits, cause, report)": "`send(at, granted)`: return no `Sent`, or a law",
    "visible(budgets, credits, cause, report)": "`send(at, granted)`: `shown` of each `Sent`",
    "arrival(now, cause, report)": "`send(at, granted)`: `arrival` of each `Sent`",
    "matches(source, trigger)": (
        "`matches(at, source)`; it also decides whether the source has expired"
    ),
    "attempt_order(candidates, trigger)": "`attempt_order(at, matching)`",
    "join_keys(source_key, trigger_key)": "gone: `contributions` joins the keys",
    "contributions(rules, source, trigger)": "`contributions(at, source)`",
    "attribute(rules, client, trigger, now, draw) -> credits": (
        "`attribute(at, draw) -> (client, credits)`; the client's budgets stay as they are"
    ),
    "register_source(rules, client, source, now)": "`register_source(at, source)`",
    "register_trigger(rules, client, trigger, now, draw)": (
        "gone: `attribute` decides, `contribute` admits, `send` sends"
    ),
    "budget_unit(limits, event, now)": "`budget_unit(at)`",
    "run_program(limits, storage, spent, event)": (
        "`run_program(at)`; the storage is `at.client.storage`, budgets are `at.client.budgets`"
    ),
    "propose(rules, client, event, now)": "`propose(at, draw)`",
    "register_event(rules, client, event, now, draw)": (
        "gone: `propose` decides, `contribute` admits, `send` sends"
    ),
    "batch(query, reports)": "`batch(at, reports)`; may be a law",
    "budget_entries(query, report)": "`budget_entries(at, report)`",
    "charge(limits, spent, query, report)": "`charge(at, spent, report)`",
    "settle(rules, ledger, query, batch)": (
        "`settle(at, batch)`; the ledger is `at.service.ledger`; may be a law"
    ),
    "totals(query, batch)": "`totals(at, batch)`",
    "keys(query, batch)": "`keys(at, batch)`; a query discovers keys if `at.query.discovers_keys`",
    "threshold(limits, query, batch)": "`threshold(at, batch)`",
    "noise(limits, query, batch, threshold)": "`noise(at, batch, threshold)`",
    "releases(query, key, noisy, threshold)": "`releases(at, key, noisy, threshold)`",
    "answer(rules, query, batch, draw)": "`answer(at, batch, draw)`",
    "reveal(service, query, batch, outcome)": (
        "`reveal(at, batch, outcome)`; `at.service` is the service after charging"
    ),
    "serve(rules, service, query, reports, draw)": "`serve(at, reports, draw)`",
    "event_matches(source, trigger)": (
        "`event_matches(at, record)`; it also decides whether the source is active"
    ),
    "event_attribute(rules, client, trigger, now)": "`event_attribute(at)`; may be a law",
    "output_set(limits, source)": "`output_set(at, source)`",
    "truth_probability(power, size)": AS_IT_WAS,
    "register_event_source(rules, client, source, now, draw)": (
        "`register_event_source(at, source, draw)`"
    ),
    "register_event_trigger(rules, client, trigger, now, credited)": (
        "`register_event_trigger(at, credited)`"
    ),
    "pass_windows(rules, client, since, now, draw)": "`pass_windows(at, since, draw)`",
    "event_visible(client, report)": "`event_visible(at, report)`",
}
"""How each rule was called on the first surface, and what stands in its place; docs/porting.md."""


def changed_since(name: str, signature: inspect.Signature) -> str | None:
    """Say how a rule is written now that takes the arguments of the first surface.

    What is called first `at` is of the second surface. Of the others those are of the first that
    call an argument as it was called there and not as it is now, or that take as many as there were
    and not as many as there are.
    """
    arguments = [each.name for each in signature.parameters.values() if each.default is each.empty]
    for before, now in FIRST_SURFACE.items():
        rule, *old = re.findall(r"\w+", before.partition(" -> ")[0])
        if rule != name or now == AS_IT_WAS or arguments[:1] == ["at"]:
            continue
        new = arguments_of(getattr(PAPER, name))
        kept = zip_longest(arguments[: len(old)], old, new)
        renamed = any(given == was != called for given, was, called in kept)
        if renamed or len(arguments) == len(old) != len(new):
            return now.replace("`", "")
    return None


def gone(name: str) -> str | None:
    """Say what stands in the place of a rule that there is no more."""
    if any(rule.name == name for rule in surface()):
        return None
    return next((now for old, now in FIRST_SURFACE.items() if old.startswith(f"{name}(")), None)
