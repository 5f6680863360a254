"""Reports leave with a flush every ten minutes, in one of three flushes that is drawn.

Truth: proved: the law of when a report leaves depends on the clock, and on nothing that it holds.
Status: proved
"""

from spec import PAPER, Distribution, replace

FLUSH = 600


def send(at, granted):
    ready, first = PAPER.send(at, granted), -(-at.now // FLUSH) * FLUSH
    return Distribution.uniform(
        tuple(replace(sent, arrival=first + extra * FLUSH) for sent in ready) for extra in range(3)
    )


RULES = replace(PAPER, send=send)
