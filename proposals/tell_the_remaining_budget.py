"""Every report shows how much of its unit's contribution budget is left.

Ad-techs ask for the remaining budget of a source or device, to plan what they contribute. But the
budget is used by what was attributed, so it is data. Shown outside the noise it tells at once
whether a trigger was attributed to the source. It is another matter to show it inside the worklet,
where only the unit's own program sees it: see remaining_budget_inside_the_worklet.py.

Origin: WICG/attribution-reporting-api#1431, patcg/meetings#166
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from spec import PAPER, AtContribution, Credit, Rules, Sent, replace
from spec.contributions import send


def show_what_is_used(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Show the report's identifier and what every unit has used of its budget."""
    used = sorted((str(unit), spent.value) for unit, spent in at.client.budgets.items())
    shown = tuple((unit, value) for unit, value in used if value)
    return tuple(replace(each, shown=(each.shown, shown)) for each in send(at, granted))


RULES: Rules = replace(PAPER, send=show_what_is_used)
