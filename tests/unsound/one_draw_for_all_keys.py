"""The noise of a query is drawn once and added to every key, so that sums can be compared.

Truth: refuted: the difference of two listed keys shows without any noise.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    threshold = at.rules.threshold(at, batch)
    error = draw(at.rules.noise(at, batch, threshold).around(0))
    totals = at.rules.totals(at, batch)
    noisy = ((key, totals.get(key, 0) + error) for key in at.rules.keys(at, batch))
    return Answer(
        released=tuple((key, n) for key, n in noisy if at.rules.releases(at, key, n, threshold))
    )


RULES = replace(PAPER, answer=answer)
