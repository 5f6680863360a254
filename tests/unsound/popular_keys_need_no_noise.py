"""The sum of a key to which ten reports contribute is released as it is: ten are a crowd.

Truth: refuted: with ten others the sum is exact with x and without x, and shows what x gave.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    totals, released = at.rules.totals(at, batch), []
    for key, noisy in PAPER.answer(at, batch, draw).released:
        crowd = sum(any(part.key == key for part in each.contributions) for each in batch)
        released.append((key, totals[key] if crowd >= 10 else noisy))
    return Answer(released=tuple(released))


RULES = replace(PAPER, answer=answer)
