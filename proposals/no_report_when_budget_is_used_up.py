"""No report is sent when the contribution does not fit into the unit's budget.

An event that has nothing to report sends a null report, but one whose contribution was refused
sends nothing. Then a missing report says that the device has used up its budget. The repair that
was made is a null report in this case too: see null_report_when_denied.py.

Origin: patcg-individual-drafts/private-aggregation-api#91, fixed by #94
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from __future__ import annotations

from spec import PAPER, Budgets, Cause, Credit, Report, Rules, replace


def send_unless_refused(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> bool:
    """Send nothing if something was to be contributed and nothing was granted."""
    wanted = any(credit.contributions for credit in credits)
    return not (wanted and report.is_null)


RULES: Rules = replace(PAPER, sends=send_unless_refused)
