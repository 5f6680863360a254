"""Families of APIs as values: what the engine must know of one to judge a change to it.

The engine loads, plans, runs and combines in the same way for every family. What differs stands in
a `Family`: the versions of its rules, its claims, their checks, what they promise, and how a rule's
answer is looked at. A family is chosen by the type of the rules that a proposal names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import inspect

    from sandproof.claim_result import ClaimResult
    from sandproof.jobs import Options
    from sandproof.promise import Promise
    from sandproof.proposal import Proposal
    from spec.neighbours import Relation
    from spec.universe import Universe
    from spec.verdicts import Check, Claim

WHOSE = {"paper": "the paper's", "w3c": "the draft's"}
"""The families, each a module of this package with a value `FAMILY`, and whose rules they are."""

NAMES = tuple(WHOSE)
TABLES = {"paper": ("spec.claims", "CLAIMS"), "w3c": ("spec.level1.claims", "LEVEL1_CLAIMS")}
"""Where the claims of each family stand; they are read without what decides them."""

TYPES = {"paper": ("spec.rules", "Rules"), "w3c": ("spec.level1.rules", "Level1Rules")}
"""Where the type of each family's rules stands, by which a family is chosen."""

Rules = Any
"""Rules of any family: a frozen dataclass whose fields are functions, and `limits`."""


def nothing_more(_: str, __: ModuleType, ___: Rules) -> tuple[None, tuple[()]]:
    """Read nothing of a proposal but its rules."""
    return None, ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Family:
    """Hold what there is to know of a family of APIs.

    `versions` are the rules that were published, with a name each; the first are judged where no
    proposal is named. Claims of a family that is `settled` hold for its published rules, so that
    what depends on no changed rule need not be decided again. `rules_name` is how a proposal calls
    the type of the rules.

    `checks` returns every check for a proposal. `lemmas_of` and `refuted_lemmas` are those of
    proofs. `types` are the modules that the types of rules refer to, `complaint` says what is wrong
    with an answer of the right type, `outdated` how a rule is written now that has the arguments of
    an earlier surface, and `gone` what stands in the place of a rule that there is no more. `read`
    reads what else a proposal names, `asks` names the guarantees that it asks about whatever it
    changes and those under a relation of its own, and `composed` lets claims take from each other
    what they may. `parts` are fields of the rules that are neither functions nor limits.
    `unreached` says what can be done where no search reached some code of a proposal.
    """

    name: str
    rules_name: str
    versions: Mapping[str, Rules]
    claims: Mapping[str, Claim]
    checks: Callable[[Proposal, Options], Iterable[Check]]
    promises: Callable[[Rules, Mapping[str, Relation]], Mapping[str, Promise]]
    lemmas_of: Callable[[str, Collection[str], Collection[str]], tuple[str, ...]]
    refuted_lemmas: Callable[[str, Collection[str]], tuple[str, ...]]
    types: tuple[ModuleType, ...]
    unreached: str
    settled: bool = False
    parts: tuple[str, ...] = ()
    complaint: Callable[[str, tuple[object, ...], object], str] = lambda _, __, ___: ""
    outdated: Callable[[str, inspect.Signature], str | None] = lambda _, __: None
    gone: Callable[[str], str | None] = lambda _: None
    asks: Callable[[Proposal], tuple[frozenset[str], frozenset[str]]] = lambda _: (
        frozenset(),
        frozenset(),
    )
    read: Callable[[str, ModuleType, Rules], tuple[Relation | None, tuple[Universe, ...]]] = field(
        default=nothing_more
    )
    composed: Callable[[Sequence[ClaimResult]], Sequence[ClaimResult]] = lambda rows: rows

    @property
    def own(self) -> Rules:
        """Return the rules that are judged where no proposal is named."""
        return next(iter(self.versions.values()))

    @property
    def own_name(self) -> str:
        """Return the name of the version that the family's own rules are."""
        return next(iter(self.versions))

    def rests_on(self, claim: str) -> set[str]:
        """Name the claims that cost a claim what was found for it if they all fall."""
        return set(self.refuted_lemmas(claim, self.claims.keys() - {claim}))

    def nearest(self, rules: Rules) -> Rules:
        """Return the version that rules differ from in the fewest places; the first of several."""

        def distance(version: Rules) -> int:
            names = [each.name for each in fields(version)]
            return sum(getattr(version, name) != getattr(rules, name) for name in names)

        return min(self.versions.values(), key=distance)

    def publishes(self, name: str, rule: object) -> bool:
        """Tell whether a rule is the one of a version."""
        return any(getattr(version, name) is rule for version in self.versions.values())

    def rule_names(self) -> tuple[str, ...]:
        """Name the rules that are functions."""
        names = (each.name for each in fields(self.own))
        return tuple(name for name in names if callable(getattr(self.own, name)))


@cache
def family_named(name: str) -> Family:
    """Return a family by its name."""
    found: Family = import_module(f"{__name__}.{name}").FAMILY
    return found


def families() -> list[Family]:
    """Return every family."""
    return [family_named(name) for name in NAMES]


def family_of(rules: object) -> Family | None:
    """Return the family that rules are of, by their type."""
    for name, (module, kind) in TYPES.items():
        # What is not imported is the type of nothing.
        if type(rules) is getattr(sys.modules.get(module), kind, None):
            return family_named(name)
    return None


def claim_named(name: str) -> Claim:
    """Return a claim of whichever family."""
    tables = map(claims_of, NAMES)
    return next(claims[name] for claims in tables if name in claims)


@cache
def all_claims() -> Mapping[str, Claim]:
    """Return the claims of all families."""
    return {name: claim for each in NAMES for name, claim in claims_of(each).items()}


def claims_of(family: str) -> Mapping[str, Claim]:
    """Return the claims of a family."""
    module, table = TABLES[family]
    found: Mapping[str, Claim] = getattr(import_module(module), table)
    return found
