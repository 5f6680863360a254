"""Every listed key is answered twice, each time with the noise of half the epsilon.

Truth: proved: two answers that cost epsilon / 2 each cost epsilon together.
Status: not refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    if at.query.discovers_keys:
        return PAPER.answer(at, batch, draw)
    half = replace(at, query=replace(at.query, epsilon=at.query.epsilon / 2))
    first, second = PAPER.answer(half, batch, draw), PAPER.answer(half, batch, draw)
    return Answer(released=first.released + second.released)


RULES = replace(PAPER, answer=answer)
