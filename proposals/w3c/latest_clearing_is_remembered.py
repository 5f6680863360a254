"""Of two clearings the later is remembered, also if the clock was set back in between.

The draft remembers the last one, and says that a clock that is set back does no harm. It does: a
second clearing at an earlier time opens an epoch whose budgets the first one forgot.

Origin: w3c/attribution at 9fab4e8, Choice of Clock
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, OnBrowser


def latest(at: OnBrowser) -> int:
    """Remember the later of two clearings."""
    before = at.device.last_clearing
    return at.now if before is None or before <= at.now else before


RULES = replace(LEVEL_1_ONE_DRAW, last_clearing=latest)
