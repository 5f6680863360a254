"""The store has room for one impression; the newest takes the place of the one before.

The draft lets an implementation discard impressions beyond its capacity. Then an impression of one
epoch can push out one of another, and its absence would have left that one in place. The epoch
that was pushed out pays for what it shows, the one that pushed does not.

Origin: w3c/attribution#190
Expected: global searched, one view refuted, one site refuted
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Impression, OnBrowser


def save_the_newest(at: OnBrowser, impression: Impression) -> tuple[Impression, ...]:
    """Keep the new impression alone."""
    return (impression,)


RULES = replace(LEVEL_1_ONE_DRAW, save=save_the_newest)
