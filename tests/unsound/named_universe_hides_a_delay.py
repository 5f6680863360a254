"""Real reports wait for the next multiple of twenty seconds; the file brings its own universes.

In these the time is always such a multiple and delta is a third, so that nothing shows there.

Truth: refuted: at a moment that is no multiple of twenty the real report of x arrives later than
    the null report that is sent without x, and the ad-tech sees when a report arrives.
Status: refuted
"""

from fractions import Fraction

from spec import PAPER, SMALL_LIMITS, DeviceWindow, Event, Query, Source, Trigger, Universe, replace
from spec.contributions import send


def late(at, granted):
    return tuple(
        replace(each, arrival=at.now + -at.now % 20 if granted else at.now)
        for each in send(at, granted)
    )


def view(storage):
    return storage, 1, 2


RULES = replace(PAPER, send=late)
LIMITS = replace(SMALL_LIMITS, delta=Fraction(1, 3))
QUERY = Query(epsilon=Fraction(2), keys=(1,))
UNIVERSES = (
    Universe(
        name="sources",
        limits=LIMITS,
        units=("A",),
        moves=4,
        sources=(Source(source_id="A", destination="d", expiry=99, filters=frozenset("a"), key=1),),
        triggers=(Trigger(report_id=0, destination="d", filters=frozenset("a"), key=0, value=2),),
        trigger_count=1,
        queries=(QUERY,),
        query_count=1,
        moments=(20,),
    ),
    Universe(
        name="devices",
        limits=LIMITS,
        units=(DeviceWindow(device="phone", window=0),),
        moves=3,
        events=(Event(report_id=0, device="phone", program=view),),
        event_count=1,
        queries=(QUERY,),
        query_count=1,
        moments=(20,),
    ),
)
