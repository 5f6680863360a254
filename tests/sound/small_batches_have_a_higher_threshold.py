"""Key discovery has twice the threshold for batches of fewer than a thousand reports.

Truth: proved: the size is public, and noise is truncated at the threshold.
Status: proved
"""

from spec import PAPER, replace


def threshold(at, batch):
    usual = PAPER.threshold(at, batch)
    if usual is not None and len(batch) < 1000:
        return 2 * usual
    return usual


RULES = replace(PAPER, threshold=threshold)
