"""A contribution that comes late is taken off.

Truth: proved: a negative value is granted nothing, and is no error that would tell.
Status: proved
"""

from spec import PAPER, replace


def contribute(at, credits):
    late = at.now > 100
    changed = tuple(
        replace(
            credit,
            contributions=tuple(
                replace(part, value=-part.value if late else part.value)
                for part in credit.contributions
            ),
        )
        for credit in credits
    )
    return PAPER.contribute(at, changed)


RULES = replace(PAPER, contribute=contribute)
