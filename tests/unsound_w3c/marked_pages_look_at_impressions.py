"""Pages that call again are marked, and marked ones look at what is stored.

Truth: unsound. One impression decides whether a site is rejected.
"""

from __future__ import annotations

from dataclasses import dataclass

from spec import replace
from spec.level1 import LEVEL_1_ONE_DRAW, Activation, OnBrowser


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked(Activation):
    """An activation that was used."""


def last_clearing(at: OnBrowser) -> int:
    """Remember the latest time at which history was cleared."""
    last = at.device.last_clearing
    return at.now if last is None else max(last, at.now)


def check_activation(at: OnBrowser, page: Activation) -> Activation | None:
    """Mark a page that is used; a marked one is active on a device that stores little."""
    if isinstance(page, Marked) and len(at.device.impressions) >= 50:
        return None
    after = LEVEL_1_ONE_DRAW.check_activation(at, page)
    if after is None:
        return None
    return Marked(enabled=after.enabled, activated=after.activated)


RULES = replace(
    LEVEL_1_ONE_DRAW,
    last_clearing=last_clearing,
    check_activation=check_activation,
)
