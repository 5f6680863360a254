r"""In the neighbour the source was never registered, and attribution runs again without it.

The paper's neighbour keeps the attribution and empties the reports of $x$. If $x$ was never
registered its triggers go to older sources, and use up what those would have contributed later. So
with $k$ older sources the sums change by up to $(2k+1)\Lambda_1$: what $x$ contributed, and for
every older source what it contributes instead and what it no longer contributes. With one older
source that is a factor 3, with two a factor 5. Charging every source that was looked at for twice
the value makes up for it: see charge_every_window_twice.py.

Origin: w3c/attribution#270 and #212 charge twice the value for this
Neighbours: never registered
Expected: refuted, factor 3
"""

from fractions import Fraction

from spec import (
    NEVER_REGISTERED,
    PAPER,
    SMALL_LIMITS,
    Query,
    Rules,
    Source,
    Trigger,
    Universe,
    replace,
)

RULES: Rules = PAPER
NEIGHBOURS = NEVER_REGISTERED

X = Source(source_id="x", destination="shop", expiry=9, filters=frozenset("a"), key=1)
TRIGGER = Trigger(report_id=0, destination="shop", filters=frozenset("a"), key=0, value=1)
UNIVERSE = Universe(
    name="one older source",
    limits=replace(SMALL_LIMITS, contribution_budget=1, epsilon=Fraction(1), delta=Fraction(0)),
    units=("x",),
    moves=5,
    sources=(replace(X, source_id="older", filters=frozenset("ab"), key=2), X),
    triggers=(TRIGGER, replace(TRIGGER, filters=frozenset("b"), key=4)),
    trigger_count=2,
    queries=(Query(epsilon=Fraction(1), keys=(1, 2, 6)),),
    query_count=1,
)
