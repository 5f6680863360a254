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
budget bounds theirs, whatever the shared limits do: where they refuse, $e$ does not pay. It pays
for the norm where a single epoch is asked, by level1_a_single_epoch_changes_by_its_norm. If the
unit is an epoch to one conversion site, reports of others are the same in both worlds as long as
shared limits never run short, by level1_other_sites_report_the_same.

Two further guarantees follow. Take one impression of $e$ away, or all of $e$: the
world without $e$ is the same, so that what a site sees with and without the impression are both
$\varepsilon$-close to it, and $2 \varepsilon$-close to each other, by group_privacy. Take the
epochs $e, e + 1, \dots, e + k - 1$ away one by one: each step is the guarantee for one epoch of a
device that lacks the others already, so that $k$ epochs cost $k \varepsilon$.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from proofs._chain import recalled, remembered
from proofs._check import check_of, header_of
from proofs._memory import memoryless
from proofs.level1._subjects import is_usual
from spec.level1 import LEVEL_1_2026_05, LEVEL_1_ONE_DRAW, Level1Rules
from spec.level1.claims import (
    GLOBAL,
    LEVEL1_CLAIMS,
    ONE_IMPRESSION,
    ONE_SITE,
    ONE_VIEW,
    SEVERAL_EPOCHS,
)
from spec.verdicts import ALARMS, Check, Claim, Control, Evidence, Finding, Kind, Reason, Step
from spec.verdicts import Verdict as Said

ATTRIBUTES = (LEVEL_1_2026_05.attribute, LEVEL_1_ONE_DRAW.attribute)
BUDGETS = "level1_budgets_are_never_overdrawn"
CHARGES = "level1_charges_cover_the_noise"
CHANGES = "level1_histograms_change_by_at_most_the_charge"
NORM = "level1_a_single_epoch_changes_by_its_norm"
OTHERS = "level1_other_sites_report_the_same"
ONCE = "level1_reports_are_accepted_once"
PUBLIC = "level1_what_is_seen_is_public"

FOR_ALL = (PUBLIC, ONCE, CHARGES, BUDGETS, CHANGES)
FOR_ONE = (*FOR_ALL, NORM)
CHAINS = {
    GLOBAL: FOR_ALL,
    ONE_VIEW: FOR_ONE,
    ONE_SITE: (*FOR_ONE, OTHERS),
    ONE_IMPRESSION: FOR_ONE,
    SEVERAL_EPOCHS: FOR_ALL,
}
"""The lemmas of every guarantee."""

NOT_ANSWERED = "No other site acts on answers of its own"
BESIDES = {ONE_VIEW: NOT_ANSWERED, ONE_IMPRESSION: NOT_ANSWERED}
"""What a guarantee assumes besides what its lemmas do."""

OWN = (
    "parse_site",
    "validate_impression",
    "save",
    "epoch_start",
    "first_epoch",
    "validate_conversion",
    "single_epoch",
    "allocate",
    "fill",
    "clear_site",
)
"""Rules of which nothing is proved but that the draft's own are right."""


def prove(rules: Level1Rules, claim: str) -> Finding:
    """Prove a guarantee for given rules, or say which lemma or rule is in the way."""
    lemmas = CHAINS[claim]
    blank = Finding(
        claim=claim,
        check="proof",
        rests_on=lemmas,
        method="chain of lemmas",
        assumes=hypotheses(claim),
    )
    others = unproved_rules(rules)
    if others:
        why = f"the proof is about the draft's own {', '.join(others)}"
        return replace(blank, reason=Reason.RULES_CHANGED, detail=why)
    told: list[Step] = []
    for lemma in lemmas:
        found = recalled(lemma, lemma_check(lemma), rules)
        told.append(Step(name=lemma, verdict=found.verdict, by=found.method, detail=found.detail))
        failed = unproved_steps(found, needed_steps(lemma, claim))
        if found.is_alarm:
            reason = found.reason if found.reason in ALARMS else Reason.RAISED
            alarm = replace(blank, evidence=Evidence.ALARM, reason=reason, steps=tuple(told))
            return replace(alarm, detail=f"{lemma}: {found.detail}")
        if failed:
            detail = f"{lemma}: {'; '.join(failed)}"
            return replace(blank, reason=Reason.LEMMA_OPEN, detail=detail, steps=tuple(told))
    bounds = dict.fromkeys(module_of(lemma).PROOF.bound for lemma in lemmas)
    return replace(blank, evidence=Evidence.PROOF, steps=tuple(told), bound="; ".join(bounds))


def hypotheses(claim: str) -> str:
    """Say all that a guarantee assumes: what it needs besides, and what its lemmas assume."""
    assumed = [header_of(module_of(lemma).__doc__)["Assumes"] for lemma in CHAINS[claim]]
    return "; ".join(dict.fromkeys(filter(None, (BESIDES.get(claim, ""), *assumed))))


def needed_steps(lemma: str, claim: str) -> tuple[str, ...]:
    """Name the steps of a lemma that a guarantee needs: those about the site's budget or not."""
    module = module_of(lemma)
    spared = module.SITE_ONLY if claim in (GLOBAL, SEVERAL_EPOCHS) else module.GLOBAL_ONLY
    return tuple(step.name for step in module.PROOF.steps if step not in spared)


def unproved_steps(found: Finding, needed: Collection[str]) -> list[str]:
    """Name the steps that are needed and that a finding does not report as proved."""
    if found.reason is Reason.RULES_CHANGED:
        return [found.detail]
    proved = {step.name for step in found.steps if step.verdict is Said.PROVED}
    told = {step.name: f"{step.verdict} {step.name}: {step.detail}" for step in found.steps}
    return [told.get(name, f"{name} was not decided") for name in needed if name not in proved]


def unproved_rules(rules: Level1Rules) -> list[str]:
    """Name the rules that must be the draft's own and are not, and limits that are not its."""
    changed = [name for name in OWN if getattr(rules, name) is not getattr(LEVEL_1_2026_05, name)]
    if not any(rules.attribute is each for each in ATTRIBUTES):
        changed.append("attribute")
    if not is_usual(rules.limits):
        changed.append("limits")
    return changed


@cache
def lemma_check(lemma: str) -> Check:
    """Return the check of a lemma; it says nothing of rules that must be the draft's own."""
    module = module_of(lemma)
    subject = getattr(module, "Subject", None)
    check = check_of(
        module.PROOF,
        header=module.__doc__,
        subject=(lambda rules: rules) if subject is None else (lambda rules: subject(rules=rules)),
    )
    fixed = tuple(name for name in module.OWN if name != "attribute")

    def run(rules: Any) -> Finding:
        changed = [x for x in fixed if getattr(rules, x) is not getattr(LEVEL_1_2026_05, x)]
        if "attribute" in module.OWN and not any(rules.attribute is x for x in ATTRIBUTES):
            changed.append("attribute")
        if not is_usual(rules.limits):
            changed.append("limits")
        if not changed:
            return check.run(rules)
        why = f"the proof is about the draft's own {', '.join(changed)}"
        return Finding(claim=lemma, check="proof", reason=Reason.RULES_CHANGED, detail=why)

    return replace(check, run=run)


def guarantee_check(claim: Claim) -> Check:
    """Return the check of a guarantee; its controls are what its lemmas refute."""
    own = LEVEL1_CLAIMS[claim.id]
    first = lemma_check(CHAINS[claim.id][-1]).controls[0]
    return Check(
        claim=own.id,
        name="proof",
        run=lambda rules: prove(rules, own.id),
        controls=(Control(name=first.name, run=first.run),),
        evidence=Evidence.PROOF,
    )


@cache
def level1_proofs() -> tuple[Check, ...]:
    """Return the proof of every claim."""
    made: Iterable[Check] = (
        lemma_check(claim.id) if claim.kind is Kind.LEMMA else guarantee_check(claim)
        for claim in LEVEL1_CLAIMS.values()
    )
    return tuple(memoryless(remembered(check)) for check in made)


def lemmas_of(claim: str, _: Collection[str] = (), __: Collection[str] = ()) -> tuple[str, ...]:
    """Name the lemmas on which the proof of a guarantee rests; a lemma rests on none."""
    return CHAINS.get(claim, ())


def refuted_lemmas(claim: str, refuted: Collection[str]) -> tuple[str, ...]:
    """Name the refuted lemmas on which a claim's proof rests."""
    return tuple(lemma for lemma in CHAINS.get(claim, ()) if lemma in refuted)


def module_of(lemma: str) -> Any:
    """Return the file that proves a lemma."""
    return import_module(f"proofs.level1.{lemma}")
