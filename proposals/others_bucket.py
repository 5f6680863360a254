r"""Keys below the threshold are summed in a bucket "others", with fresh noise.

Key discovery loses what small keys contribute. The service could add up the true sums of the keys
it does not release, and release the total with noise of its own. But then a value is used twice:
once with the noise that decides whether its key is released, and once in the bucket. Both may tell
of $x$, and the query costs up to $2\epsilon$. If the bucket is computed from the noisy values of a
public list of keys it is free: see others_bucket_from_noisy_values.py.

Origin: WICG/attribution-reporting-api#864
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, factor 2
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


def answer_with_others(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Release what passes the release test, and the noisy total of what does not."""
    answer = PAPER.answer(at, batch, draw)
    if not at.query.discovers_keys:
        return answer
    shown = {key for key, _ in answer.released}
    totals = at.rules.totals(at, batch)
    others = sum(value for key, value in totals.items() if key not in shown)
    noise = at.rules.noise(at, batch, None)
    return Answer(released=(*answer.released, (OTHERS, draw(noise.around(others)))))


def view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 2 to key 1."""
    return storage, 1, 2


RULES: Rules = replace(PAPER, answer=answer_with_others)

LIMITS = replace(SMALL_LIMITS, sparsity_budget=1, delta=Fraction(1, 3))
QUERY = Query(epsilon=Fraction(4), delta=Fraction(1, 3))
X = Source(source_id="x", destination="shop", expiry=9, filters=frozenset("x"), key=1)
PURCHASE = Trigger(report_id=0, destination="shop", filters=frozenset("x"), key=0, value=2)
UNIVERSES = (
    Universe(
        name="two sources with one key",
        limits=LIMITS,
        units=("x",),
        moves=5,
        sources=(X, replace(X, source_id="z", filters=frozenset("z"))),
        triggers=(PURCHASE, replace(PURCHASE, filters=frozenset("z"))),
        trigger_count=2,
        queries=(QUERY,),
        query_count=1,
    ),
    Universe(
        name="two devices that view one page",
        limits=LIMITS,
        units=(DeviceWindow(device="phone", window=0),),
        moves=3,
        events=(
            Event(report_id=0, device="phone", program=view),
            Event(report_id=0, device="tablet", program=view),
        ),
        event_count=2,
        queries=(QUERY,),
        query_count=1,
    ),
)
