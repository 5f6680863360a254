"""The plan: which checks there are for a proposal, and in which order their jobs come.

Guarantees come first, and of their checks the searches before the proofs, because a search can
refute. A check is found by its claim and its name, in the parent and in every child.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandproof.about import About
from sandproof.families import Family, Rules, claim_named, family_named
from sandproof.jobs import Job, Options
from sandproof.promise import Promise
from sandproof.proposal import Proposal
from sandproof.reach import Listing, listing
from sandproof.store import files_digest
from spec.verdicts import Check, Kind, Shape

SLOW = (Shape.SMALL_UNIVERSE, Shape.REAL_SIZES, Shape.FURTHER_UNIVERSE, Shape.RANDOM_RUNS)
"""Where checks of a guarantee about neighbours look that take their time, in their order."""

FIRST = Shape.SCRIPTS
"""Where most attacks are found, and quickly: all guarantees are searched there at first."""

ORDER = {Kind.GUARANTEE: 0, Kind.ASSUMPTION: 1, Kind.LEMMA: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Say what a proposal is and which jobs there are for it, in order.

    `asked_for` are the guarantees that it asks about whatever it changes, `another_relation` those
    that are decided with a neighbour relation that is not the paper's for them. `promises` is what
    each guarantee promises, `listing` lists the proposal's code, `files` are where it lies, and
    `digest` stands for them. `version` names the version that it changes.
    """

    about: About
    jobs: tuple[Job, ...] = ()
    asked_for: frozenset[str] = frozenset()
    another_relation: frozenset[str] = frozenset()
    promises: Mapping[str, Promise] = field(default_factory=dict)
    listing: Listing = field(default_factory=Listing)
    files: tuple[Path, ...] = ()
    digest: str = ""
    version: str = ""

    @property
    def family(self) -> Family:
        """Return the family of the rules."""
        return family_named(self.about.family)

    def affects(self, claim: str) -> bool:
        """Tell whether a claim depends on what changed; all do for the family's own rules."""
        if not self.about.changed and not self.asked_for:
            return True
        return claim in self.asked_for or not (self.family.settled and self.leaves_alone(claim))

    def leaves_alone(self, claim: str) -> bool:
        """Tell whether no rule that a claim names differs from those of the version."""
        return self.about.changed.isdisjoint(claim_named(claim).rules)


def describe(proposal: Proposal, options: Options) -> Loaded:
    """Say what a loaded proposal is, and plan its jobs."""
    family = family_named(proposal.about.family)
    asked_for, others = family.asks(proposal)
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
    relation = proposal.relation
    named = dict.fromkeys(others, relation) if relation is not None else {}
    return Loaded(
        about=proposal.about,
        jobs=tuple(jobs),
        asked_for=asked_for,
        another_relation=others,
        promises=family.promises(proposal.rules, named),
        listing=listing(proposal.files, changed),
        files=proposal.files,
        digest=files_digest(proposal.files),
        version=version_of(family, proposal.rules),
    )


def version_of(family: Family, rules: Rules) -> str:
    """Name the version that rules differ from the least."""
    nearest = family.nearest(rules)
    return next(name for name, each in family.versions.items() if each is nearest)


def checks_for(proposal: Proposal, options: Options) -> dict[tuple[str, str], Check]:
    """Return every check for a proposal, by claim and name and in the order of the plan."""
    return by_name(family_named(proposal.about.family).checks(proposal, options))


def in_order(checks: Iterable[Check], effort: str) -> tuple[Check, ...]:
    """Return checks in the order of the plan."""
    return tuple(sorted(checks, key=lambda check: rank(check, effort)))


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
    not the claim's, games come before scripts: they say by which factor a guarantee fails.
    """
    claim = claim_named(check.claim)
    slow = 0 if check.shape is FIRST else 1
    if check.shape in SLOW and claim.relation:
        slow = 2 + SLOW.index(check.shape)
    if claim.relation and check.relation is not claim.relation and check.relation:
        slow = {Shape.SMALL_UNIVERSE: 0, Shape.SCRIPTS: 1 + len(SLOW)}.get(check.shape, slow)
    late = 2 + len(SLOW) + (1 if spared(check, effort) else 0)
    return ORDER[claim.kind], late if check.proves or spared(check, effort) else slow


def spared(check: Check, effort: str) -> bool:
    """Tell whether a check is needless where its claim is proved.

    At quick effort every further search is, at standard effort further searches about lemmas are:
    the guarantees that rest on them are searched.
    """
    lemma = claim_named(check.claim).kind is not Kind.GUARANTEE
    return check.spare and (effort == "quick" or (effort == "standard" and lemma))
