"""A conversion counts as one about a single epoch if only the current one has impressions for it.

More conversions would pay for their norm instead of for twice the value. But then what an epoch
pays depends on whether another one has impressions, and what it has left tells.

Origin: w3c/attribution#398, w3c/attribution#211
Expected: global refuted, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion
from spec.level1.epochs import epoch_of
from spec.level1.measurement import matching


def single_epoch(at: AtConversion) -> bool:
    """Look whether an earlier epoch has anything."""
    earlier = range(at.rules.first_epoch(at), epoch_of(at, at.now))
    return not any(matching(at, epoch) for epoch in earlier)


RULES = replace(LEVEL_1_ONE_DRAW, single_epoch=single_epoch)
