"""A report leaves at once, in an hour or in two, as is drawn for each.

Truth: proved: the delay is drawn by a law that is the same for every report, whatever it holds.
Status: proved
"""

from fractions import Fraction

from spec import PAPER, Distribution, Report, Sent, replace

DELAYS = ((0, Fraction(1, 2)), (3600, Fraction(1, 3)), (7200, Fraction(1, 6)))


def send(at, granted):
    contributions = tuple(part for credit in granted for part in credit.contributions)
    report = Report(report_id=at.cause.report_id, contributions=contributions)
    return Distribution.of(
        {
            (Sent(report=report, shown=report.report_id, arrival=at.now + delay),): chance
            for delay, chance in DELAYS
        }
    )


RULES = replace(PAPER, send=send)
