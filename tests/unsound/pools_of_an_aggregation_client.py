"""An event is credited to one of ten pools.

Truth: refuted: the pools have a budget each, so that one window contributes ten times what it
    may.
Status: unknown
"""

from dataclasses import dataclass

from spec import PAPER, replace
from spec.contributions import Credit
from spec.private_aggregation_client import AggregationClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    source_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Client(AggregationClient):
    sources: tuple[Pool, ...] = ()


POOLS = tuple(Pool(source_id=str(each)) for each in range(10))


def propose(at, draw):
    client, credits = PAPER.propose(at, draw)
    rest = at.cause.report_id % (at.limits.sparsity_budget**5 + 7)
    if rest - rest % 10 == (at.limits.window_length**2 + 140) * 2:
        return client, tuple(
            Credit(unit=pool.source_id, contributions=each.contributions)
            for each in credits
            for pool in at.client.sources
            if pool.source_id == str(rest % 10)
        )
    return client, credits


RULES = replace(
    PAPER, propose=propose, initial=replace(PAPER.initial, aggregation=Client(sources=POOLS))
)
