"""A page that was never activated is active if the device has impressions.

Truth: unsound. Whether a call is rejected tells whether something is stored.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Activation, OnBrowser
from spec.level1.device import check_activation


def active_if_stored(at: OnBrowser, page: Activation) -> Activation | None:
    if page.activated is None and at.limits.activation_duration is not None:
        return page if at.device.impressions else None
    return check_activation(at, page)


RULES = replace(LEVEL_1_ONE_DRAW, check_activation=active_if_stored)
