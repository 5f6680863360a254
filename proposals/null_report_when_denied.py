"""A null report is sent even when the budget was denied.

Before this was fixed, no report was sent once the budget was used up, and the number of reports
told how much a device had contributed before. The rule is the paper's own, written out.

Origin: patcg-individual-drafts/private-aggregation-api#94, which fixes #91
Neighbours: null store (PAA), attribution fixed (ARA)
Expected: holds
"""

from __future__ import annotations

from spec import PAPER, Budgets, Cause, Contribution, Credit, Report, ReportId, Rules, replace


def report_what_was_granted(
    report_id: ReportId, contributions: tuple[Contribution, ...], cause: Cause
) -> Report:
    """Make a report of what was granted, a null report if nothing was."""
    return Report(report_id=report_id, contributions=contributions)


def send_in_any_case(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> bool:
    """Send the report whatever is in it."""
    return True


RULES: Rules = replace(PAPER, report=report_what_was_granted, sends=send_in_any_case)
