"""Only reports that carry a value are charged; null reports are free.

A null report adds nothing to any sum, so it looks wasteful to charge it. But the ad-tech can ask
for one report twice. If the second query is refused, the report was charged, so it is not null,
and the trigger was attributed. The paper's proof needs the opposite: whether a batch is refused
must not depend on who was attributed.

Origin: the paper's proof needs the opposite (assumption null_reports_are_charged)
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: refuted, no factor keeps delta
"""

from spec import PAPER, AtService, Report, Rules, Spent, replace


def charge_real_reports_only(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Charge nothing for a null report."""
    return spent if report.is_null else PAPER.charge(at, spent, report)


RULES: Rules = replace(PAPER, charge=charge_real_reports_only)
