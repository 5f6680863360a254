r"""Small keys of a public list are summed in a bucket "others", from their noisy values.

The query lists its keys, and the service adds noise to the sum of each. What does not exceed
$\Lambda_1$ is not released on its own; the noisy values of those keys are added up. This is
computed from the paper's answer alone, so it costs nothing. The bucket is noisier than one with
fresh noise on the true total, which costs up to $2\epsilon$: see others_bucket.py.

Origin: WICG/attribution-reporting-api#864
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from fractions import Fraction

from spec import (
    PAPER,
    SMALL_LIMITS,
    Answer,
    AtService,
    DeviceWindow,
    Draw,
    Event,
    Key,
    Query,
    Report,
    Rules,
    Source,
    Storage,
    Trigger,
    Universe,
    replace,
)

OTHERS: Key = 2**128 - 1


def answer_with_noisy_others(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Answer for the listed keys, and lump those with small noisy values."""
    answer = PAPER.answer(at, batch, draw)
    if at.query.discovers_keys:
        return answer
    small = at.limits.contribution_budget
    large = tuple((key, noisy) for key, noisy in answer.released if noisy > small)
    others = sum(noisy for _, noisy in answer.released if noisy <= small)
    return Answer(released=(*large, (OTHERS, others)))


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 1."""
    return storage, 1, 1


def other_view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 3."""
    return storage, 3, 1


RULES: Rules = replace(PAPER, answer=answer_with_noisy_others)

LIMITS = replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(2))
QUERY = Query(epsilon=Fraction(2), keys=(1, 3))
PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1)
UNIVERSES = (
    Universe(
        name="a source and two listed keys",
        limits=LIMITS,
        units=("A",),
        moves=4,
        sources=(
            Source(source_id="A", destination="shop", expiry=9, filters=frozenset("a"), key=1),
        ),
        triggers=(PURCHASE, replace(PURCHASE, key=2)),
        trigger_count=2,
        queries=(QUERY,),
        query_count=1,
    ),
    Universe(
        name="two devices and two listed keys",
        limits=LIMITS,
        units=(DeviceWindow(device="phone", window=0),),
        moves=4,
        events=(
            Event(report_id=0, device="phone", program=view),
            Event(report_id=0, device="tablet", program=other_view),
        ),
        event_count=2,
        queries=(QUERY,),
        query_count=2,
    ),
)
