"""With key discovery, the service adds noise to the sums as they stand in its table.

Truth: refuted: a key enters the table with the first report that holds it. The report of x comes
    first, and the answer names its key first.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    if not at.query.discovers_keys:
        return PAPER.answer(at, batch, draw)
    threshold = at.rules.threshold(at, batch)
    noise = at.rules.noise(at, batch, threshold)
    released = []
    for key, total in at.rules.totals(at, batch).items():
        noisy = draw(noise.around(total))
        if at.rules.releases(at, key, noisy, threshold):
            released.append((key, noisy))
    return Answer(released=tuple(released))


RULES = replace(PAPER, answer=answer)
