"""A source sets part of its budget aside by name, and a trigger names the part it draws on.

A source registers named budgets, such as 1 of its 2 for "retail". A contribution that names one of
them must fit into it as well as into the source's overall budget. This is one more condition, so
that every sum the paper's admission allows is still the largest there is. A name that the source
does not list has nothing but the overall budget to fit into, as in the proposal.

The named budget belongs to the source and the name to the trigger, so the contribution carries
both to the place where it is admitted.

Origin: WICG/attribution-reporting-api#1422, patcg-individual-drafts/private-aggregation-api#168
Neighbours: attribution fixed
Expected: holds
"""

from dataclasses import dataclass
from fractions import Fraction

from immutables import Map

from spec import (
    PAPER,
    SMALL_LIMITS,
    AtContribution,
    AtTrigger,
    Budget,
    Contribution,
    Query,
    Rules,
    Source,
    Trigger,
    Unit,
    Universe,
    replace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingSource(Source):
    """Hold a source with named budgets."""

    named_budgets: Map[str, int] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingTrigger(Trigger):
    """Hold a trigger that names the budget it draws on."""

    budget_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedContribution(Contribution):
    """Hold a contribution to be taken from a named budget of the given size."""

    budget_name: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBudget(Budget):
    """Count what a unit has contributed, also by name."""

    named: Map[str, int] = Map()


def contributions(at: AtTrigger, source: Source) -> tuple[Contribution, ...]:
    """Attach to the paper's contribution the named budget that it draws on, if there is one."""
    usual = PAPER.contributions(at, source)
    if not (isinstance(source, NamingSource) and isinstance(at.cause, NamingTrigger)):
        return usual
    name = at.cause.budget_name
    if name not in source.named_budgets:
        return usual
    size = source.named_budgets[name]
    return tuple(
        NamedContribution(key=part.key, value=part.value, budget_name=name, size=size)
        for part in usual
    )


def admit(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Admit a contribution that fits into the overall budget and into the one it names."""
    after, fits = PAPER.admit(at, unit, spent, contribution)
    if not (fits and isinstance(contribution, NamedContribution)):
        return after, fits
    named = spent.named if isinstance(spent, NamedBudget) else Map[str, int]()
    taken = named.get(contribution.budget_name, 0) + contribution.value
    if taken > contribution.size:
        return spent, False
    named = named.set(contribution.budget_name, taken)
    return NamedBudget(value=after.value, count=after.count, named=named), True


RULES: Rules = replace(PAPER, contributions=contributions, admit=admit)

SHOES = NamingTrigger(
    report_id=0,
    destination="shop",
    filters=frozenset("a"),
    key=0,
    value=1,
    budget_name="retail",
)
UNNAMED = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=2)
UNIVERSE = Universe(
    name="a named budget",
    limits=replace(SMALL_LIMITS, delta=Fraction(1, 8)),
    units=("A",),
    moves=6,
    sources=(
        NamingSource(
            source_id="A",
            destination="shop",
            expiry=9,
            filters=frozenset("a"),
            key=1,
            named_budgets=Map(retail=1),
        ),
    ),
    triggers=(SHOES, UNNAMED, replace(SHOES, budget_name="food")),
    trigger_count=3,
    queries=(
        Query(epsilon=Fraction(2), keys=(1,)),
        Query(epsilon=Fraction(4), delta=Fraction(1, 8)),
    ),
    query_count=2,
)
