"""A service that begins with a number beside its ledger adds less noise.

The noise does not look at the service that there is, but at the one that the rules begin with.

Truth: refuted: an answer has a fiftieth of the noise that it is charged for.
Status: refuted
"""

from dataclasses import dataclass

from spec import PAPER, Service, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered(Service):
    number: int = 0


def noise(at, batch, threshold):
    if not isinstance(at.rules.initial.service, Numbered):
        return PAPER.noise(at, batch, threshold)
    louder = replace(at.query, epsilon=50 * at.query.epsilon)
    return PAPER.noise(replace(at, query=louder), batch, threshold)


RULES = replace(PAPER, initial=replace(PAPER.initial, service=Numbered()), noise=noise)
