"""A null report is sent even when the budget was denied.

Before this was fixed, no report was sent once the budget was used up, and the number of reports
told how much a device had contributed before. The rule is the paper's own, written out.

Origin: patcg-individual-drafts/private-aggregation-api#94, which fixes #91
Neighbours: null store (PAA), attribution fixed (ARA)
Expected: holds
"""

from spec import PAPER, AtContribution, Credit, Report, Rules, Sent, replace


def send_in_any_case(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send a report of what was granted, a null report if nothing was."""
    assert at.cause is not None
    parts = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=parts)
    return (Sent(report=report, shown=report.report_id, arrival=at.now),)


RULES: Rules = replace(PAPER, send=send_in_any_case)
