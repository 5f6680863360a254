"""A report takes part in at most three queries of a day, and pays for each as ever.

Truth: proved: more is refused than by the paper, and when queries were asked is public.
Status: proved
"""

from dataclasses import dataclass

from spec import PAPER, AtService, Report, Spent, replace

DAY = 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class DailySpent(Spent):
    """Note the day of the last query, and how many there were on it."""

    day: int = 0
    today: int = 0


def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
    day = at.now // DAY
    today = spent.today if isinstance(spent, DailySpent) and spent.day == day else 0
    after = PAPER.charge(at, spent, report)
    if after is None or today >= 3:
        return None
    return DailySpent(
        epsilon=after.epsilon, delta=after.delta, queries=after.queries, day=day, today=today + 1
    )


RULES = replace(PAPER, charge=charge)
