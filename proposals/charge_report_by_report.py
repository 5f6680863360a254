"""The budget is consumed report by report, and a refused job has charged some of them.

The service charges the reports of a batch one after the other and stops at the first that cannot
pay. The job is refused, but the reports before that one stay charged. Atomic budget checks are
asked for elsewhere, to be fair to the ad-tech. Privacy does not need them: the ledger depends on
public data only. What falls is the lemma that a refused query costs nothing.

Origin: the opposite of w3c/attribution#371
Neighbours: attribution fixed (ARA), null store (PAA)
Expected: holds
"""

from spec import PAPER, AtService, Ledger, Report, Rules, Spent, replace


def settle(at: AtService, batch: tuple[Report, ...]) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Charge one report after the other, and stop at the first that cannot pay."""
    ledger = at.service.ledger
    for report in batch:
        for entry in at.rules.budget_entries(at, report):
            after = at.rules.charge(at, ledger.get(entry, Spent()), report)
            if after is None:
                return ledger, None
            ledger = ledger.set(entry, after)
    return ledger, batch


RULES: Rules = replace(PAPER, settle=settle)
