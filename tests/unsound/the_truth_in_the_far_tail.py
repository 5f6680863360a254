"""Where the noise would be below minus forty budgets, the sum is shown as it is.

Truth: refuted: with epsilon 1/100 that happens with probability e^-0.4 / 2, one time in three. The
    true sum of x then shows, which has a chance of about 10^-7 otherwise. Thirty such queries cost
    0.3 of the promised 64, and their privacy loss is about 150.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    totals, far = at.rules.totals(at, batch), -40 * at.limits.contribution_budget
    released = []
    for key, noisy in PAPER.answer(at, batch, draw).released:
        total = totals.get(key, 0)
        released.append((key, total if noisy - total < far else noisy))
    return Answer(released=tuple(released))


RULES = replace(PAPER, answer=answer)
