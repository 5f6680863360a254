"""A source's budget starts over at midnight.

Truth: refuted: the unit is the source. On two days it contributes twice what the noise hides.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Budget, replace

DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class DayBudget(Budget):
    day: int = 0


def admit(at, unit, spent, contribution):
    today = at.now // DAY
    if getattr(spent, "day", 0) != today:
        spent = DayBudget(day=today)
    return PAPER.admit(at, unit, spent, contribution)


RULES = replace(PAPER, admit=admit)
