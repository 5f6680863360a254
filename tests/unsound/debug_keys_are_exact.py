"""Keys whose top byte is 0xff are for debugging and get no noise.

Truth: refuted: the source chooses its key piece. A sum under such a key shows what x gave.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    totals = at.rules.totals(at, batch)
    return Answer(
        released=tuple(
            (key, totals.get(key, 0) if key >> 120 == 0xFF else noisy)
            for key, noisy in PAPER.answer(at, batch, draw).released
        )
    )


RULES = replace(PAPER, answer=answer)
