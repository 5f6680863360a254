"""The paper's family: attribution reporting, private aggregation and the aggregation service."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from types import ModuleType, NoneType
from typing import cast

import spec.aggregation_service
import spec.attribution_client
import spec.contributions
import spec.distributions
import spec.event_client
import spec.event_outputs
import spec.noise
import spec.numbers
import spec.private_aggregation_client
import spec.reports
from proofs import CHECKS, lemmas_of, refuted_lemmas
from properties.checks import PRIVACY, applies, concerns, property_checks
from properties.vocabulary import NO_WORDS, Vocabulary
from sandproof.claim_result import ClaimResult
from sandproof.families import Family
from sandproof.families.paper_surface import changed_since, gone
from sandproof.jobs import Options
from sandproof.plan import in_order
from sandproof.problems import BadInput, brief
from sandproof.promise import Promise
from sandproof.proposal import Proposal
from spec import PAPER, AtEventTrigger, Limits, Rules
from spec.claims import CLAIMS
from spec.distributions import Distribution, Law
from spec.neighbours import RELATIONS_BY_NAME, Relation
from spec.numbers import Power, bounds
from spec.reports import Sent
from spec.universe import SMALL_LIMITS, Universe, promised_by
from spec.universe import Promise as Reports
from spec.verdicts import Check, Claim, Evidence, Finding, Kind, Verdict

SHOWN = ("send", "reveal", "serve", "event_visible")
"""The rules whose answers the ad-tech sees: what `send` shows, and the second part of `serve`."""

LARGEST_DELTA = Fraction(1, 2)
"""The delta from which on a promise is as good as none."""

REPORTS: Mapping[str, Reports] = {
    "attribution_summaries_are_private": "summary",
    "aggregation_summaries_are_private": "summary",
    "event_level_reports_are_private": "event",
    "the_ledger_never_passes_the_caps": "summary",
    "summary_and_event_reports_compose": "both",
}
"""Which reports each guarantee is about."""

WINDOWED = "aggregation_summaries_are_private"
UNITS = {WINDOWED: "device, window and ad-tech", "the_ledger_never_passes_the_caps": "report"}
"""Of whom a guarantee speaks, where it is not a source."""

COMPOSED = "summary_and_event_reports_compose"

PARTS = ("attribution_summaries_are_private", "event_level_reports_are_private")
"""The guarantee about one source's reports together, and those that it is composed of."""


def checks(proposal: Proposal, options: Options) -> tuple[Check, ...]:
    """Return every check for a proposal, in order."""
    return checks_of(
        options.effort, options.seed, proposal.relation, proposal.universes, proposal.words
    )


def checks_of(
    effort: str,
    seed: int,
    relation: Relation | None,
    universes: tuple[Universe, ...],
    words: Vocabulary = NO_WORDS,
) -> tuple[Check, ...]:
    """Return every check in order; those for another neighbour relation do not count."""
    found = (*property_checks(effort, seed, relation, universes, words), *CHECKS)
    kept = [
        check
        for check in found
        if not overridden(CLAIMS[check.claim], relation) or check.relation is relation
    ]
    return in_order(kept, effort)


def asks(proposal: Proposal) -> tuple[frozenset[str], frozenset[str]]:
    """Name the guarantees that a proposal asks about, and those under another relation."""
    check_relation(proposal)
    return asked_for(proposal), under_another_relation(proposal)


def asked_for(proposal: Proposal) -> frozenset[str]:
    """Name the guarantees that a proposal asks about even if none of their rules changed.

    It does so with another neighbour relation, or, where it changes nothing, with its universes.
    """
    found = under_another_relation(proposal)
    if not proposal.about.changes:
        universes = proposal.universes
        found |= {claim for claim in PRIVACY for each in universes if concerns(each, claim)}
    return found


def under_another_relation(proposal: Proposal) -> frozenset[str]:
    """Name the guarantees that are decided with a relation that is not the paper's for them."""
    return frozenset(c.id for c in CLAIMS.values() if overridden(c, proposal.relation))


def overridden(claim: Claim, relation: Relation | None) -> bool:
    """Tell whether a proposal asks for a guarantee with another neighbour relation."""
    return (
        relation is not None
        and claim.kind is Kind.GUARANTEE
        and claim.relation is not None
        and claim.relation is not relation
        and applies(relation, claim.id)
    )


def check_relation(proposal: Proposal) -> None:
    """Refuse a neighbour relation that is about no guarantee: nothing would be decided with it."""
    relation = proposal.relation
    if relation is not None and not any(applies(relation, claim) for claim in PRIVACY):
        raise BadInput(
            f"{proposal.about.name}: NEIGHBOURS is about units {relation.units!r} and reports "
            f"{relation.reports!r}, which no guarantee is about"
        )


def read(
    name: str, module: ModuleType, rules: Rules
) -> tuple[Relation | None, tuple[Universe, ...]]:
    """Read the neighbour relation and the universes that a proposal names."""
    return relation_of(name, module), universes_of(name, module, rules.limits)


def relation_of(name: str, module: ModuleType) -> Relation | None:
    """Return the neighbour relation that a proposal names."""
    relation = getattr(module, "NEIGHBOURS", None)
    if relation is not None and not isinstance(relation, Relation):
        raise BadInput(
            f"{name}: NEIGHBOURS must be a spec.neighbours.Relation, not {brief(relation)}"
        )
    known = None if relation is None else RELATIONS_BY_NAME.get(relation.name)
    if relation is not None and known is not None and relation is not known:
        raise BadInput(
            f"{name}: NEIGHBOURS is called {relation.name!r} and is another relation than that: "
            "give it a name of its own"
        )
    return relation


def universes_of(name: str, module: ModuleType, limits: Limits) -> tuple[Universe, ...]:
    """Return the universes that a proposal names; refuse one whose promise allows too much."""
    if hasattr(module, "UNIVERSE") and hasattr(module, "UNIVERSES"):
        raise BadInput(f"{name}: define UNIVERSE or UNIVERSES, not both")
    named = getattr(module, "UNIVERSES", None)
    given = [module.UNIVERSE] if hasattr(module, "UNIVERSE") else named or ()
    if not isinstance(given, Sequence):
        raise BadInput(f"{name}: UNIVERSES must be a sequence, not {brief(given)}")
    for universe in given:
        if not isinstance(universe, Universe):
            raise BadInput(
                f"{name}: a universe must be a spec.universe.Universe, not {brief(universe)}"
            )
        if weak := weakness(universe, limits):
            raise BadInput(f"{name}: the universe {universe.name!r} {weak}")
    return tuple(given)


def weakness(universe: Universe, limits: Limits) -> str:
    r"""Say why the promise of a universe allows nearly everything, for rules with limits, if so.

    It must promise a delta below one half, and no larger $e^{\varepsilon}$ than the rules or the
    small limits do.
    """
    epsilon, delta = universe.promised
    if delta >= LARGEST_DELTA:
        return f"promises a delta of {delta}; it must be below {LARGEST_DELTA}"
    least, _ = bounds(Power(universe.limits.base, epsilon).value())
    for other in (limits, SMALL_LIMITS):
        _, most = bounds(Power(other.base, promised_by(other, universe.promise)[0]).value())
        if least <= most:
            return ""
    return f"promises an epsilon of {epsilon}, which is larger than that of the rules"


def promises(rules: Rules, relations: Mapping[str, Relation] | None = None) -> dict[str, Promise]:
    """Return what each guarantee promises under given rules, with other relations for some."""
    return {
        claim: promise_of(claim, rules, (relations or {}).get(claim, CLAIMS[claim].relation))
        for claim, each in CLAIMS.items()
        if each.kind is Kind.GUARANTEE
    }


def promise_of(claim: str, rules: Rules, relation: Relation | None) -> Promise:
    """Return what one guarantee promises under given rules."""
    limits = rules.limits
    epsilon, delta = promised_by(limits, REPORTS[claim])
    promise = Promise(
        epsilon=epsilon,
        delta=delta,
        base=limits.base,
        unit=UNITS.get(claim, "source"),
        relation="" if relation is None else relation.name,
    )
    if claim != WINDOWED:
        return promise
    changed = rules.budget_unit is not PAPER.budget_unit
    return replace(
        promise, window=limits.window_length, decided_by="budget_unit" if changed else ""
    )


def composed(claims: Sequence[ClaimResult]) -> Sequence[ClaimResult]:
    """Let what is composed hold as far as its parts do, if its own checks leave it open.

    The clients share no state, whatever the rules: each rule is given one client only. So the
    hybrid argument of the proof composes whatever is known of the parts, if it is known for the
    same neighbours.
    """
    if len({each.another_relation for each in claims if each.claim.id in (COMPOSED, *PARTS)}) > 1:
        return claims
    known = {each.claim.id: each.verdict for each in claims}
    kept = (Verdict.PROVED, Verdict.SEARCHED, Verdict.UNAFFECTED)
    if not all(known.get(part) in kept for part in PARTS):
        return claims
    parts = Finding(
        claim=COMPOSED,
        check="parts",
        evidence=Evidence.EXACT_IN_UNIVERSE,
        method="hybrid of its two parts, summary reports swapped first",
        bound=f"as far as {' and '.join(PARTS)} are searched",
        assumes="the clients share no state",
    )
    return [
        replace(each, findings=(*each.findings, parts), covered=each.claim.shapes, unreached="")
        if each.claim.id == COMPOSED and each.verdict is Verdict.UNKNOWN
        else each
        for each in claims
    ]


def complaint(name: str, arguments: tuple[object, ...], answer: object) -> str:
    """Say what is wrong with an answer of the right type, if something is."""
    if name in SHOWN and (opaque := next(incomparable(shown_in(name, answer)), None)):
        return f"what the ad-tech sees must be comparable, and a {opaque} is equal to itself only"
    if name == "truth_probability" and (answer < 0 or answer > 1):  # type: ignore[operator]
        return "a probability lies between 0 and 1"
    if name == "event_attribute":
        at = cast(AtEventTrigger, arguments[0])
        if at.rules.register_event_trigger is PAPER.register_event_trigger:
            known = {record.source.source_id for record in at.client.records}
            ways = answer.support() if isinstance(answer, Distribution) else (answer,)
            if not all(known.issuperset(cast(tuple[Hashable, ...], units)) for units in ways):
                return "only registered sources can be credited"
    if name == "attempt_order" and names_strangers(arguments, answer):
        return "only candidates can be attempted"
    return ""


def names_strangers(arguments: tuple[object, ...], answer: object) -> bool:
    """Tell whether an order of attempts names a source that was not among the candidates."""
    candidates = list(cast(Sequence[object], arguments[1]))
    orders = answer.support() if isinstance(answer, Distribution) else (answer,)
    return any(each not in candidates for order in orders for each in cast(Sequence[object], order))


def shown_in(name: str, answer: object) -> object:
    """Return what the ad-tech sees of a rule's answer."""
    if name == "serve":
        return cast(tuple[object, object], answer)[1]
    if name == "send":
        ways = answer.support() if isinstance(answer, Distribution) else (answer,)
        return tuple(each.shown for sent in ways for each in cast(tuple[Sent, ...], sent))
    return answer


def incomparable(value: object) -> Iterator[str]:
    """Name the types in a value, also inside of tuples and laws, that compare by identity."""
    if isinstance(value, tuple | frozenset):
        for part in value:
            yield from incomparable(part)
    elif isinstance(value, Distribution):
        for part, _ in value.items():
            yield from incomparable(part)
    elif type(value).__eq__ is object.__eq__ and not isinstance(value, NoneType | Enum | Law):
        yield type(value).__name__


FAMILY = Family(
    name="paper",
    rules_name="spec.Rules",
    versions={"PAPER": PAPER},
    claims=CLAIMS,
    checks=checks,
    asks=asks,
    promises=promises,
    lemmas_of=lemmas_of,
    refuted_lemmas=refuted_lemmas,
    types=(
        spec.aggregation_service,
        spec.attribution_client,
        spec.contributions,
        spec.distributions,
        spec.event_client,
        spec.event_outputs,
        spec.noise,
        spec.numbers,
        spec.private_aggregation_client,
        spec.reports,
    ),
    unreached="name a UNIVERSE that reaches it",
    settled=True,
    parts=("initial",),
    complaint=complaint,
    outdated=changed_since,
    gone=gone,
    read=read,
    composed=composed,
)
