"""The noise of a query is drawn for each of a few cells, and a key takes that of its cell.

Truth: refuted: a query with n reports has 90 + n cells. Two listed keys that fall into one cell get
    the same noise, and their difference shows.
Status: refuted
"""

from spec import PAPER, Answer, replace


def answer(at, batch, draw):
    cells, errors = 90 + len(at.query.report_ids), {}
    threshold = at.rules.threshold(at, batch)
    noise = at.rules.noise(at, batch, threshold)
    totals, released = at.rules.totals(at, batch), []
    for key in at.rules.keys(at, batch):
        if key % cells not in errors:
            errors[key % cells] = draw(noise.around(0))
        noisy = totals.get(key, 0) + errors[key % cells]
        if at.rules.releases(at, key, noisy, threshold):
            released.append((key, noisy))
    return Answer(released=tuple(released))


RULES = replace(PAPER, answer=answer)
