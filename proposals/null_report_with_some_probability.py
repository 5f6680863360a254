"""A null report is sent with probability one half only; a real report is always sent.

Null reports cost traffic, so the client sends some of them. But a missing report is certainly one
that is null. With n triggers that only x takes, the ad-tech sees fewer than n reports only without
x, and does so with probability 1 - p^n, where a null report is sent with probability p. No epsilon
makes up for that.

Origin: WICG/attribution-reporting-api#439 and #738
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from __future__ import annotations

from fractions import Fraction

from spec import PAPER, Budgets, Cause, Credit, Random, Report, Rules, coin, replace

NULL_REPORTS_SENT = Fraction(1, 2)


def send_some_null_reports(
    budgets: Budgets, credits: tuple[Credit, ...], cause: Cause, report: Report
) -> Random[bool]:
    """Toss a coin for a null report."""
    return coin(NULL_REPORTS_SENT) if report.is_null else True


RULES: Rules = replace(PAPER, sends=send_some_null_reports)
