"""Every source that matches is credited, and what is granted looks ahead at the next credits.

Truth: refuted: the look ahead uses up the generator, so that of several sources only the first is
    granted something; without it, the second one is.
Status: refuted
"""

from spec import PAPER, Credit, replace


def attribute(at, draw):
    credits = []
    for source in at.client.sources:
        if at.rules.matches(at, source):
            parts = at.rules.contributions(at, source)
            credits.append(Credit(unit=source.source_id, contributions=parts))
    return at.client, tuple(credits)


def contribute(at, credits):
    in_turn = (credit for credit in credits)
    kept = []
    for credit in in_turn:
        kept.append(credit)
        _ahead = tuple(in_turn)
    return PAPER.contribute(at, tuple(kept))


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
