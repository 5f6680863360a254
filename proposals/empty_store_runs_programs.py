"""In the neighbour the programs of x run on an empty store, and still contribute.

The paper's neighbour replaces the shared storage of x by a dummy, glossed as an empty store. On an
empty store a program may well contribute: "seen for the first time" is what the paper's own reach
example reports. Then the sums change by what x contributed and by what it contributes instead.

Origin: a literal reading of the paper's neighbours, difference A3
Neighbours: empty store
Expected: refuted, factor 2
"""

from fractions import Fraction

from spec import (
    EMPTY_STORE,
    PAPER,
    SMALL_LIMITS,
    DeviceWindow,
    Event,
    Query,
    Rules,
    Storage,
    Universe,
    replace,
)


def first_view(storage: Storage) -> tuple[Storage, int, int]:
    """Contribute 1 to key 1 at the first view, then 1 to key 3."""
    return storage.set("seen", True), 3 if "seen" in storage else 1, 1


RULES: Rules = PAPER
NEIGHBOURS = EMPTY_STORE

UNIVERSE = Universe(
    name="a first and a second view",
    limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(1), delta=Fraction(0)),
    units=(DeviceWindow(device="phone", window=1),),
    moves=4,
    events=(Event(report_id=0, device="phone", program=first_view),),
    event_count=2,
    queries=(Query(epsilon=Fraction(1), keys=(1, 3)),),
    query_count=1,
    moments=(10,),
)
