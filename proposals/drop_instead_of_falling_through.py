"""A trigger is dropped when the newest matching source has no budget left.

The paper's pseudocode falls through to an older source. Here only the newest matching source is
tried, as its text has it and as the API does today. If that source cannot pay, the report is null.

Origin: the Attribution Reporting API as shipped
Neighbours: attribution fixed
Expected: holds
"""

from __future__ import annotations

from collections.abc import Sequence

from spec import PAPER, Rules, Source, Trigger, replace


def newest_only(candidates: Sequence[Source], trigger: Trigger) -> Sequence[Source]:
    """Try the newest candidate and no other."""
    return tuple(candidates)[:1]


RULES: Rules = replace(PAPER, attempt_order=newest_only)
