"""Besides the window's budget, an ad-tech may ask for at most 16 times as much per device and day.

Truth: proved: the backstop counts what programs ask for, when they run, not what is admitted.
    Programs run once, on D, so the backstop is the same in both worlds and only leaves credits
    out; deleting the credits of one window changes nothing for other windows. What a window
    contributes is bounded by the paper's admission as before.
Status: proved
"""

from dataclasses import dataclass

from immutables import Map

from spec import PAPER, AggregationClient, AtEvent, Credit, Draw, replace

DAY = 24 * 60 * 60
WINDOWS_PER_DAY = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientWithDays(AggregationClient):
    asked: Map[tuple[str, int], int] = Map()


def propose(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
    storage, contributions = at.rules.run_program(at)
    day = (at.cause.ad_tech, at.now // DAY)
    most = WINDOWS_PER_DAY * at.limits.contribution_budget
    asked = at.client.asked.get(day, 0)
    kept = []
    for each in contributions:
        if asked + each.value <= most:
            asked += each.value
            kept.append(each)
    client = replace(at.client, storage=storage, asked=at.client.asked.set(day, asked))
    return client, (Credit(unit=at.rules.budget_unit(at), contributions=tuple(kept)),)


RULES = replace(
    PAPER,
    propose=propose,
    initial=replace(PAPER.initial, aggregation=ClientWithDays()),
)
