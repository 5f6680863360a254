"""The last three touches share a conversion: half to the newest, a quarter to each of the others.

Truth: proved: All credits of a trigger go into the one report that is sent for it, null or not.
    Who gets which share is decided on D from the matching sources alone. Each source is
    admitted on its own budget, so deleting x's credit leaves the others' parts of the report as
    they are; x itself stays within L1, L0.
Status: proved
"""

from spec import PAPER, AttributionClient, AtTrigger, Credit, Draw, replace

# by the number of touches: the quarters that each gets, the newest first
QUARTERS = {1: (4,), 2: (2, 2), 3: (2, 1, 1)}


def attribute(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    matching = tuple(source for source in at.client.sources if at.rules.matches(at, source))
    touches = tuple(draw(at.rules.attempt_order(at, matching)))[:3]
    if not touches:
        return at.client, ()
    credits = []
    for source, quarters in zip(touches, QUARTERS[len(touches)], strict=True):
        parts = []
        for part in at.rules.contributions(at, source):
            value = part.value * quarters // 4
            if value > 0:
                parts.append(replace(part, value=value))
        credits.append(Credit(unit=source.source_id, contributions=tuple(parts)))
    return at.client, tuple(credits)


RULES = replace(PAPER, attribute=attribute)
