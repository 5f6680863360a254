"""The plan: which checks there are for a proposal, and in which order their jobs come.

Guarantees come first, and of their checks the searches before the proofs, because a search can
refute. A check is found by its claim and its name, in the parent and in every child.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proofs import CHECKS
from properties.checks import PRIVACY, applies, concerns, property_checks
from properties.vocabulary import NO_WORDS, Vocabulary
from sandproof.about import About
from sandproof.jobs import Job, Options
from sandproof.problems import BadInput
from sandproof.promise import Promise, promises
from sandproof.proposal import Proposal
from sandproof.reach import Listing, listing
from sandproof.store import files_digest
from spec.claims import CLAIMS
from spec.neighbours import Relation
from spec.universe import Universe
from spec.verdicts import Check, Claim, Kind, Shape

SLOW = (Shape.SMALL_UNIVERSE, Shape.FURTHER_UNIVERSE, Shape.RANDOM_RUNS)
"""Where checks of a guarantee about neighbours look that take their time, in their order."""

ORDER = {Kind.GUARANTEE: 0, Kind.ASSUMPTION: 1, Kind.LEMMA: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Say what a proposal is and which jobs there are for it, in order.

    `asked_for` are the guarantees that it asks about whatever it changes, `another_relation` those
    that are decided with a neighbour relation that is not the paper's for them. `promises` is what
    each guarantee promises, `listing` lists the proposal's code, `files` are where it lies,
    and `digest` stands for them.
    """

    about: About
    jobs: tuple[Job, ...] = ()
    asked_for: frozenset[str] = frozenset()
    another_relation: frozenset[str] = frozenset()
    promises: Mapping[str, Promise] = field(default_factory=dict)
    listing: Listing = field(default_factory=Listing)
    files: tuple[Path, ...] = ()
    digest: str = ""

    def affects(self, claim: str) -> bool:
        """Tell whether a claim depends on what changed; all do for the paper's own rules."""
        if not self.about.changed and not self.asked_for:
            return True
        return claim in self.asked_for or not self.leaves_alone(claim)

    def leaves_alone(self, claim: str) -> bool:
        """Tell whether no rule that a claim names has changed."""
        return self.about.changed.isdisjoint(CLAIMS[claim].rules)


def describe(proposal: Proposal, options: Options) -> Loaded:
    """Say what a loaded proposal is, and plan its jobs."""
    check_relation(proposal)
    changed = {name: getattr(proposal.rules, name) for name in proposal.about.changed}
    jobs = (
        Job(
            place=place,
            claim=claim,
            check=name,
            shape=check.shape,
            named=check.named,
            proves=check.proves,
            spare=spared(check, options.effort),
        )
        for place, ((claim, name), check) in enumerate(checks_for(proposal, options).items())
    )
    others, relation = under_another_relation(proposal), proposal.relation
    named = dict.fromkeys(others, relation) if relation is not None else {}
    return Loaded(
        about=proposal.about,
        jobs=tuple(jobs),
        asked_for=asked_for(proposal),
        another_relation=others,
        promises=promises(proposal.rules, named),
        listing=listing(proposal.files, changed),
        files=proposal.files,
        digest=files_digest(proposal.files),
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
    return tuple(sorted(kept, key=lambda check: rank(check, effort)))


def checks_for(proposal: Proposal, options: Options) -> dict[tuple[str, str], Check]:
    """Return every check for a proposal, by claim and name."""
    relation, universes = proposal.relation, proposal.universes
    found = checks_of(options.effort, options.seed, relation, universes, proposal.words)
    return by_name(found)


def by_name(checks: Iterable[Check]) -> dict[tuple[str, str], Check]:
    """Return checks by claim and name, in order; a name that is there already gets a number.

    A proposal may name two universes alike.
    """
    found: dict[tuple[str, str], Check] = {}
    for check in checks:
        name, times = check.name, 1
        while (check.claim, name) in found:
            times += 1
            name = f"{check.name} ({times})"
        found[check.claim, name] = check
    return found


def rank(check: Check, effort: str) -> tuple[int, int]:
    """Say how early a check comes: guarantees first, and of their checks what refutes quickly.

    Proofs come last, and after them what can be spared where they succeed. With a relation that is
    not the paper's, games come before scripts: they say by which factor a guarantee fails.
    """
    claim = CLAIMS[check.claim]
    slow = 1 + SLOW.index(check.shape) if check.shape in SLOW and claim.relation else 0
    if check.shape is Shape.SCRIPTS and check.relation is not claim.relation:
        slow = len(SLOW)
    late = len(SLOW) + (2 if spared(check, effort) else 1)
    return ORDER[claim.kind], late if check.proves or spared(check, effort) else slow


def spared(check: Check, effort: str) -> bool:
    """Tell whether a check is needless where its claim is proved."""
    return check.spare and effort == "quick"


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
