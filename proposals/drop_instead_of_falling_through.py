"""A trigger is dropped when the newest matching source has no budget left.

The paper's pseudocode falls through to an older source. Here only the newest matching source is
tried, as its text has it and as the API does today. If that source cannot pay, the report is null.

Origin: the Attribution Reporting API as shipped
Neighbours: attribution fixed
Expected: holds
"""

from spec import PAPER, AtTrigger, Rules, Source, replace


def newest_only(at: AtTrigger, matching: tuple[Source, ...]) -> tuple[Source, ...]:
    """Try the newest matching source and no other."""
    return matching[:1]


RULES: Rules = replace(PAPER, attempt_order=newest_only)
