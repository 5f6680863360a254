"""An ad that is shown again on the same site replaces its earlier impression.

Truth: unsound. An epoch that cannot pay any more still tells: what it makes disappear was to be
reported and paid for by the epoch before.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Impression, OnBrowser
from spec.level1.impressions import save


def save_once(at: OnBrowser, impression: Impression) -> tuple[Impression, ...]:
    def ad(each: Impression) -> tuple[str, int]:
        return each.site, each.match_value

    others = tuple(each for each in at.device.impressions if ad(each) != ad(impression))
    return save(replace(at, device=replace(at.device, impressions=others)), impression)


RULES = replace(LEVEL_1_ONE_DRAW, save=save_once)
