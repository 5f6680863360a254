"""On devices for tests a trigger may bring a debug key, which is shown beside its report.

Truth: proved: the ad-tech sees what it has registered itself, whether the report is null or not.
Status: proved
"""

from dataclasses import dataclass

from spec import PAPER, Trigger, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugTrigger(Trigger):
    debug_key: str = ""


def send(at, granted):
    (sent,) = PAPER.send(at, granted)
    if at.cause.device != "test":
        return (sent,)
    debug_key = at.cause.debug_key if isinstance(at.cause, DebugTrigger) else "none"
    return (replace(sent, shown=(sent.shown, debug_key)),)


RULES = replace(PAPER, send=send)
