r"""Where a single epoch is asked, a histogram changes by at most the norm that is paid for.

Claim: If the lookback of a conversion stays within the current epoch, its histogram changes by at
    most its own norm without that epoch, which is what the site is charged for.
Paper: none (Attribution Level 1).
Method: As in level1_histograms_change_by_at_most_the_charge: `attribute` is run in both worlds with
    any selection, any ability to pay and any histograms, the same for the same call of `fill`. With
    two draws the histogram that is reported need not be the one that was charged for. That
    a single epoch selects nothing from before it is proved on `matches` and `single_epoch`.
Assumes: Chance on the device is independent of everything else.
"""

from __future__ import annotations

from proofs._proof import Proof
from proofs.level1.level1_histograms_change_by_at_most_the_charge import (
    Subject,
    changed,
    changes,
    single_is_single,
    within_norm,
    without_lookback,
)
from spec.level1 import LEVEL_1_2026_05, measurement

OWN = ("attribute", "single_epoch", "first_epoch", "allocate", "fill")
SITE_ONLY = GLOBAL_ONLY = ()
PROOF = Proof(
    claim="level1_a_single_epoch_changes_by_its_norm",
    subject=Subject(),
    steps=(within_norm, single_is_single, changes),
    controls={
        "two draws": Subject(rules=LEVEL_1_2026_05),
        "the lookback is forgotten": changed(matches=without_lookback),
    },
    unproved_for={
        "nothing is ever reported": changed(
            attribute=lambda at, _: (at.device.budgets, measurement.nothing(at))
        ),
    },
)
