"""All null reports share one entry of the ledger, and every other report has its own.

Truth: refuted: after a query for one null report another one is refused, and a real one is not.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Report, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledReport(Report):
    entry: int = -1


def send(at, granted):
    (sent,) = PAPER.send(at, granted)
    entry = sent.report.report_id if granted else -1
    report = FiledReport(
        report_id=sent.report.report_id, contributions=sent.report.contributions, entry=entry
    )
    return (replace(sent, report=report),)


def budget_entries(at, report):
    return (report.entry if isinstance(report, FiledReport) else report.report_id,)


RULES = replace(PAPER, send=send, budget_entries=budget_entries)
