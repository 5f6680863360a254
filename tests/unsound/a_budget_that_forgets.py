"""A budget notes when something was admitted, and takes its value only to be made.

Truth: refuted: the value is no field that is kept, so that the budget reads zero after every
    contribution, and a source contributes up to the cap again and again.
Status: refuted
"""

from dataclasses import InitVar, dataclass

from spec import PAPER, Budget, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Budget):
    value: InitVar[int] = 0
    last: int = 0


def admit(at, unit, spent, contribution):
    after, fits = PAPER.admit(at, unit, spent, contribution)
    if not fits:
        return spent, False
    return Noted(value=after.value, count=after.count, last=at.now), True


RULES = replace(PAPER, admit=admit)
