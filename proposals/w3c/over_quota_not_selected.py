"""An impression of a site that is over its quota is not selected at all.

What is charged for is then what is reported, and whether an impression is selected depends on the
budgets of its own epoch only.

Origin: w3c/attribution#374
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, AtConversion, Impression
from spec.level1.epochs import epoch_of
from spec.level1.impressions import matches


def matches_within_quota(at: AtConversion, impression: Impression) -> bool:
    """Select an impression only while its site's quota can pay for twice the value."""
    if not matches(at, impression):
        return False
    epoch = epoch_of(at, impression.timestamp)
    left = at.device.budgets.quota(at.limits, epoch, impression.site)
    return at.rules.charge(at, False, 0).shared <= left


RULES = replace(LEVEL_1_ONE_DRAW, matches=matches_within_quota)
