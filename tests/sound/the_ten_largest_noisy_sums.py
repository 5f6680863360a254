"""Of the noisy sums the ten largest are shown.

Truth: proved: the answer is computed from the noisy sums alone.
Status: proved
"""

from spec import PAPER, Answer, replace


def reveal(at, batch, outcome):
    if not isinstance(outcome, Answer):
        return outcome
    largest = sorted(outcome.released, key=lambda pair: -pair[1])
    return Answer(released=tuple(largest[:10]))


RULES = replace(PAPER, reveal=reveal)
