"""What a report was charged is noted with the day, and on another day the account begins anew.

Truth: refuted: a report takes part in a query at the caps on every day.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, AtService, Report, Spent, replace

DAY = 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class DailySpent(Spent):
    """Note the day of the last query."""

    day: int = 0


def charge(at: AtService, spent: Spent, report: Report) -> Spent | None:
    day = at.now // DAY
    fresh = isinstance(spent, DailySpent) and spent.day != day
    after = PAPER.charge(at, Spent() if fresh else spent, report)
    if after is None:
        return None
    return DailySpent(epsilon=after.epsilon, delta=after.delta, queries=after.queries, day=day)


RULES = replace(PAPER, charge=charge)
