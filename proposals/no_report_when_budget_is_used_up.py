"""No report is sent when the contribution does not fit into the unit's budget.

An event that has nothing to report sends a null report, but one whose contribution was refused
sends nothing. Then a missing report says that the device has used up its budget. The repair that
was made is a null report in this case too: see null_report_when_denied.py.

Origin: patcg-individual-drafts/private-aggregation-api#91, fixed by #94
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from spec import PAPER, AtContribution, Budgets, Credit, Event, Rules, Sent, replace
from spec.contributions import send


def keep_refusals(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Admit as the paper does; an event that is refused is granted a credit of nothing."""
    budgets, granted = PAPER.contribute(at, credits)
    if isinstance(at.cause, Event) and not granted:
        granted = tuple(replace(each, contributions=()) for each in credits if each.contributions)
    return budgets, granted


def send_unless_refused(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Send nothing if something was to be contributed and nothing was granted."""
    refused = granted and not any(credit.contributions for credit in granted)
    return () if refused else send(at, granted)


RULES: Rules = replace(PAPER, contribute=keep_refusals, send=send_unless_refused)
