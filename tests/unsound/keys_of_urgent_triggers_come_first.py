"""A trigger may be urgent, and discovered keys to which urgent triggers contribute come first.

Truth: refuted: that x contributes by an urgent trigger puts its key before another one that others
    hold.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Contribution, Trigger, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class UrgentTrigger(Trigger):
    urgent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UrgentContribution(Contribution):
    pass


def contributions(at, source):
    found = PAPER.contributions(at, source)
    if not isinstance(at.cause, UrgentTrigger) or not at.cause.urgent:
        return found
    return tuple(UrgentContribution(key=part.key, value=part.value) for part in found)


def keys(at, batch):
    found = PAPER.keys(at, batch)
    if not at.query.discovers_keys:
        return found
    parts = [part for report in batch for part in report.contributions]
    urgent = {part.key for part in parts if isinstance(part, UrgentContribution)}
    return tuple(sorted(found, key=lambda key: key not in urgent))


RULES = replace(PAPER, contributions=contributions, keys=keys)
