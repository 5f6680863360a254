"""A trigger is credited to every source that matches, and granted to all of them or to none.

All credits of a trigger together must fit into one contribution budget. Otherwise none of them is
granted anything.

Truth: refuted: without the credit of x those of the others fit, and their values come to the sums,
beside all of Lambda_1 that x contributes by other triggers.
Status: refuted
"""

from spec import (
    PAPER,
    AtContribution,
    AttributionClient,
    AtTrigger,
    Budgets,
    Credit,
    Draw,
    replace,
)


def attribute(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit every source that matches."""
    matching = [source for source in at.client.sources if at.rules.matches(at, source)]
    return at.client, tuple(
        Credit(unit=source.source_id, contributions=at.rules.contributions(at, source))
        for source in matching
    )


def contribute(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant all credits as the paper does, or none."""
    wanted = sum(part.value for credit in credits for part in credit.contributions)
    if wanted > at.limits.contribution_budget:
        return at.client.budgets, ()
    return PAPER.contribute(at, credits)


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
