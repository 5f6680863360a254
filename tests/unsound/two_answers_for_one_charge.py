"""Every listed key is answered twice, each time with noise of its own.

Truth: refuted: two answers with the noise of epsilon cost 2 epsilon, and epsilon is charged.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    first, second = PAPER.answer(at, batch, draw), PAPER.answer(at, batch, draw)
    return Answer(released=first.released + second.released)


RULES = replace(PAPER, answer=answer)
