"""Saving an impression fails on a device that keeps some, if sites are told by their domains.

Truth: unsound. A page sees whether its call is rejected, and the draft tells sites so.
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Caller, Impression, ImpressionOptions, OnBrowser
from spec.level1.impressions import validate_impression
from spec.level1.rules import reject


def validate(at: OnBrowser, caller: Caller, options: ImpressionOptions) -> Impression:
    site = at.rules.parse_site(at.limits, "www.shop.example")
    if site == "shop.example" and at.device.impressions and at.now % 100003 == 5:
        reject("RangeError", "there are impressions already")
    return validate_impression(at, caller, options)


RULES = replace(LEVEL_1_ONE_DRAW, validate_impression=validate)
