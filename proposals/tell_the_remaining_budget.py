"""Every report shows how much of its unit's contribution budget is left.

Ad-techs ask for the remaining budget of a source or device, to plan what they contribute. But the
budget is used by what was attributed, so it is data. Shown outside the noise it tells at once
whether a trigger was attributed to the source. It is another matter to show it inside the worklet,
where only the unit's own program sees it: see remaining_budget_inside_the_worklet.py.

Origin: WICG/attribution-reporting-api#1431, patcg/meetings#166
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from __future__ import annotations

from collections.abc import Hashable

from spec import PAPER, Budgets, Cause, Credit, Report, Rules, replace


def show_what_is_used(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> Hashable:
    """Show the report's identifier and what every unit has used of its budget."""
    used = sorted((str(unit), budget.value) for unit, budget in budgets.items() if budget.value)
    return report.report_id, tuple(used)


RULES: Rules = replace(PAPER, visible=show_what_is_used)
