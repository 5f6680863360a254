r"""The guarantees of Attribution Level 1 as chains of lemmas, proved again on the rules judged.

For a unit, a device and an epoch $e$, fix all chance on the devices; by joint_convexity that is no
loss. Then the two worlds differ in the reports that $e$ paid for, and in nothing else that is seen:
level1_what_is_seen_is_public, level1_histograms_change_by_at_most_the_charge. A job over a batch
with noise of rate $r$ costs at most $r \sum_i \|h_i - h_i^{-e}\|_1$ over the reports of the batch,
by discrete_laplace_is_private. A report's jobs have budgets that sum to at most what it states, by
level1_reports_are_accepted_once, so that over all its jobs a report costs at most its charge, by
level1_charges_cover_the_noise. The charges of $e$ sum to at most the budget, by
level1_budgets_are_never_overdrawn. What a job costs is known before it is answered, so that these
costs are an online rollout, and individual_privacy_implies_privacy.

Against all sites the global budget bounds the sum. A single site sees its own reports, and its own
budget bounds theirs, whatever the shared limits do: where they refuse, $e$ does not pay. If the
unit is an epoch to one conversion site, reports of others are the same in both worlds as long as
shared limits never refuse.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from proofs._proof import Step, StepResult
from proofs.level1 import (
    level1_budgets_are_never_overdrawn,
    level1_charges_cover_the_noise,
    level1_histograms_change_by_at_most_the_charge,
    level1_reports_are_accepted_once,
    level1_what_is_seen_is_public,
)
from spec.level1 import LEVEL_1_2026_05, LEVEL_1_ONE_DRAW, Level1Rules
from spec.level1.claims import LEVEL1_CLAIMS
from spec.verdicts import Evidence, Finding, Reason, Shape, Verdict
from spec.verdicts import Step as Told

GLOBAL = "level1_device_epochs_are_private"
ONE_VIEW = "level1_one_site_learns_little_of_an_epoch"
ONE_SITE = "level1_what_one_site_asks_is_private"

OWN = (
    "parse_site",
    "validate_impression",
    "save",
    "epoch_start",
    "first_epoch",
    "validate_conversion",
    "single_epoch",
    "allocate",
    "clear_site",
)
"""Rules of which nothing is proved but that the draft's own are right."""

WHOLE = ("deduct", "fill")
"""Rules that are run on two impressions: for any number only if they have no loop of their own."""

ATTRIBUTES = (LEVEL_1_2026_05.attribute, LEVEL_1_ONE_DRAW.attribute)
USED = {
    level1_budgets_are_never_overdrawn.PROOF.claim: (
        *("deduct", "clear_history", "last_clearing", "first_epoch"),
    ),
    level1_charges_cover_the_noise.PROOF.claim: ("charge", "stated_budget", "accept", "noise"),
    level1_histograms_change_by_at_most_the_charge.PROOF.claim: (
        *("attribute", "matches", "deduct", "fill", "allocate", "single_epoch", "first_epoch"),
    ),
    level1_reports_are_accepted_once.PROOF.claim: ("accept",),
    level1_what_is_seen_is_public.PROOF.claim: (
        *("check_activation", "stated_budget", "validate_impression", "save", "clear_site"),
        *("clear_history", "last_clearing", "first_epoch"),
    ),
}
"""The rules that each lemma runs. The draft's own call no others; a changed one may call any."""

LOOPS = frozenset({"FOR_ITER", "JUMP_BACKWARD", "GET_ITER", "BINARY_SUBSCR", "BINARY_SLICE"})
COUNTING = frozenset(
    (
        *("len", "sum", "min", "max", "any", "all", "sorted", "reversed", "zip", "map", "filter"),
        *("enumerate", "next", "iter", "list", "set", "tuple", "dict", "frozenset", "range"),
    )
)


def lemmas(rules: Level1Rules, site: bool) -> dict[str, tuple[Any, tuple[Step[Any], ...]]]:
    """Return the subject and the steps of every lemma, for the site's budget or the global one."""
    budgets = level1_budgets_are_never_overdrawn
    charges = level1_charges_cover_the_noise
    changes = level1_histograms_change_by_at_most_the_charge
    seen = level1_what_is_seen_is_public
    once = level1_reports_are_accepted_once
    return {
        budgets.PROOF.claim: (rules, budgets.SITE if site else budgets.SHARED),
        charges.PROOF.claim: (rules, charges.SITE if site else charges.SHARED),
        changes.PROOF.claim: (
            changes.Subject(rules=rules),
            changes.SITE if site else changes.SHARED,
        ),
        once.PROOF.claim: (rules, once.PROOF.steps),
        seen.PROOF.claim: (seen.Subject(rules=rules), seen.STEPS),
    }


def prove(rules: Level1Rules, claim: str) -> Finding:
    """Prove a guarantee for given rules, or say which lemma or rule is in the way."""
    none = Finding(claim=claim, check="proof", rests_on=tuple(lemmas(rules, True)), method="lemmas")
    if claim not in LEVEL1_CLAIMS:
        raise KeyError(claim)
    others = unproved_rules(rules)
    if others:
        why = f"the proof is about the draft's own {', '.join(others)}"
        return replace(none, reason=Reason.RULES_CHANGED, detail=why)
    told: list[Told] = []
    for lemma in lemmas(rules, True):
        for step, result in decided(rules, lemma, claim != GLOBAL):
            told.append(Told(name=step.name, verdict=Verdict(result.verdict.lower())))
            if result.alarm or (result.witness and result.fails):
                reason = Reason.NO_WITNESS if result.witness else Reason.SOLVERS_DISAGREE
                alarm = replace(none, evidence=Evidence.ALARM, reason=reason, steps=tuple(told))
                return replace(alarm, detail=f"{lemma}: {result}")
            if result.verdict != "PROVED":
                return open_lemma(none, lemma, result, tuple(told))
    proved = replace(none, evidence=Evidence.PROOF, steps=tuple(told), bound="all values")
    looped = [name for name in WHOLE if not as_a_whole(getattr(rules, name))]
    if looped:
        return replace(
            proved,
            evidence=Evidence.ALL_VALUES_UP_TO_SHAPE,
            shape=Shape.SHORT_LOOPS,
            bound="two impressions of an epoch",
            detail=f"the induction is not about the loops of {', '.join(looped)}",
        )
    return proved


def decided(rules: Level1Rules, lemma: str, site: bool) -> Iterable[tuple[Step[Any], StepResult]]:
    """Decide the steps of a lemma in turn; those about the draft's own rules alone once for all."""
    used = [name for name in USED[lemma] if name != "attribute"]
    if all(getattr(rules, name) is getattr(LEVEL_1_2026_05, name) for name in used):
        return decided_of_the_draft(lemma, site, ATTRIBUTES.index(rules.attribute))
    subject, steps = lemmas(rules, site)[lemma]
    return ((step, step.decide(subject)) for step in steps)


@cache
def decided_of_the_draft(
    lemma: str, site: bool, version: int
) -> tuple[tuple[Step[Any], StepResult], ...]:
    """Decide the steps of a lemma for one of the draft's versions."""
    subject, steps = lemmas(replace(LEVEL_1_2026_05, attribute=ATTRIBUTES[version]), site)[lemma]
    return tuple((step, step.decide(subject)) for step in steps)


def open_lemma(none: Finding, lemma: str, result: StepResult, told: tuple[Told, ...]) -> Finding:
    """Report that a lemma fails or is left open; only an attack refutes the guarantee."""
    return replace(none, reason=Reason.LEMMA_OPEN, detail=f"{lemma}: {result}", steps=told)


def unproved_rules(rules: Level1Rules) -> list[str]:
    """Name the rules that must be the draft's own and are not, and limits that are not its."""
    changed = [name for name in OWN if getattr(rules, name) is not getattr(LEVEL_1_2026_05, name)]
    if rules.attribute not in ATTRIBUTES:
        changed.append("attribute")
    draft = LEVEL_1_2026_05.limits
    if any(getattr(rules.limits, n) != getattr(draft, n) for n in ("grains", "epoch", "day")):
        changed.append("limits")
    return changed


def as_a_whole(rule: object) -> bool:
    """Tell whether a rule hands lists on as they are: it has no loop and counts nothing itself.

    Functions of the specification may have loops; they treat all elements alike.
    """
    return isinstance(rule, FunctionType) and _whole(rule, set())


def _whole(rule: FunctionType, seen: set[CodeType]) -> bool:
    if rule.__module__.startswith("spec.") or rule is replace:
        return True
    if rule.__code__ in seen:
        return True
    seen.add(rule.__code__)
    if any(isinstance(constant, CodeType) for constant in rule.__code__.co_consts):
        return False
    if any(each.opname in LOOPS for each in dis.get_instructions(rule)):
        return False
    loaded = [each for each in dis.get_instructions(rule) if each.opname.startswith("LOAD_")]
    names = {each.argval for each in loaded if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    methods = set(rule.__code__.co_names) - names
    if names & COUNTING or methods & {"count", "index", "__len__", "__iter__", "__getitem__"}:
        return False
    cells = [cell.cell_contents for cell in rule.__closure__ or ()]
    called: list[Callable[..., object]] = [
        each
        for each in (*(rule.__globals__.get(name) for name in names), *cells)
        if isinstance(each, FunctionType)
    ]
    return all(_whole(each, seen) for each in called if isinstance(each, FunctionType))
