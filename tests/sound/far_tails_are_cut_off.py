"""A noisy sum below minus forty budgets is shown as minus forty budgets.

Truth: proved: the answer is computed from the noisy sums alone.
Status: proved
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    least = -40 * at.limits.contribution_budget
    noisy = PAPER.answer(at, batch, draw)
    return Answer(released=tuple((key, max(value, least)) for key, value in noisy.released))


RULES = replace(PAPER, answer=answer)
