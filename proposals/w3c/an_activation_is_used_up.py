"""The first site that uses an activation uses it up.

The draft says that an activation makes the interface available to at most one site. Its algorithm
does not take the activation away, so that a second site can use it too.

Origin: w3c/attribution#430
Expected: global proved, one view proved, one site proved
"""

from dataclasses import replace

from spec.level1 import LEVEL_1_ONE_DRAW, Activation, OnBrowser
from spec.level1.device import check_activation


def use_up(at: OnBrowser, page: Activation) -> Activation | None:
    """Forget the activation when it enables a page."""
    after = check_activation(at, page)
    return None if after is None else replace(after, activated=None)


RULES = replace(LEVEL_1_ONE_DRAW, check_activation=use_up)
