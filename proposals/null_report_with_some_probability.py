"""A null report is sent with probability one half only; a real report is always sent.

Null reports cost traffic, so the client sends some of them. But a missing report is certainly one
that is null. With n triggers that only x takes, the ad-tech sees fewer than n reports only without
x, and does so with probability 1 - p^n, where a null report is sent with probability p. No epsilon
makes up for that.

Origin: WICG/attribution-reporting-api#439 and #738
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from fractions import Fraction

from spec import PAPER, AtContribution, Credit, Random, Rules, Sent, coin, replace
from spec.contributions import send

NULL_REPORTS_SENT = Fraction(1, 2)


def send_some_null_reports(
    at: AtContribution, granted: tuple[Credit, ...]
) -> Random[tuple[Sent, ...]]:
    """Toss a coin for a null report."""
    sent = send(at, granted)
    return sent if granted else coin(NULL_REPORTS_SENT).map(lambda heads: sent if heads else ())


RULES: Rules = replace(PAPER, send=send_some_null_reports)
