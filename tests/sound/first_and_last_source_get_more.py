"""The newest and the oldest matching source get two fifths each, those between share the rest.

Truth: proved: credits are decided once, and each is admitted on the budget of its own source.
Status: proved
"""

from spec import PAPER, Contribution, Credit, replace


def attribute(at, draw):
    matching = tuple(source for source in at.client.sources if at.rules.matches(at, source))
    credits = []
    for place, source in enumerate(matching):
        if len(matching) == 1:
            share = at.cause.value
        elif len(matching) == 2:
            share = at.cause.value // 2
        elif place in (0, len(matching) - 1):
            share = at.cause.value * 2 // 5
        else:
            share = at.cause.value // (5 * (len(matching) - 2))
        if share > 0:
            part = Contribution(key=source.key | at.cause.key, value=share)
            credits.append(Credit(unit=source.source_id, contributions=(part,)))
    return at.client, tuple(credits)


RULES = replace(PAPER, attribute=attribute)
