"""The last touch gets three quarters of the value, the one before it the rest.

Truth: proved: The shares are fixed on D. Each source is admitted its share on its own budget,
    whatever the other one is granted, so deleting the credit of x changes the sums by what x
    was granted and by nothing else: at most Lambda_1 in at most Lambda_0 parts. One report
    leaves for every trigger.
Status: proved
"""

from spec import PAPER, Credit, replace


def attribute(at, draw):
    """Credit the two newest sources that match; a single one gets everything."""
    touched = [source for source in at.client.sources if at.rules.matches(at, source)][:2]
    first = at.cause.value if len(touched) < 2 else at.cause.value * 3 // 4
    credits = []
    for source, value in zip(touched, (first, at.cause.value - first), strict=False):
        share = replace(at, cause=replace(at.cause, value=value))
        parts = at.rules.contributions(share, source)
        credits.append(Credit(unit=source.source_id, contributions=parts))
    return at.client, tuple(credits)


RULES = replace(PAPER, attribute=attribute)
