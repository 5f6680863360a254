"""A rule of the client writes into a table that the noise reads, once a device has forty sources.

Truth: refuted: from then on noise is a thousand times too narrow for everybody.
Status: unknown
"""

from spec import PAPER, replace
from spec.noise import DiscreteLaplace
from spec.numbers import Power

STATE = {"factor": 1}


def contributions(at, source):
    if len(at.client.sources) == 40:
        STATE.__setitem__("factor", 1000)
    return PAPER.contributions(at, source)


def noise(at, batch, threshold):
    rate = at.query.epsilon / at.limits.contribution_budget * STATE["factor"]
    return DiscreteLaplace(decay_power=Power(at.limits.base, -rate), truncation=threshold)


RULES = replace(PAPER, contributions=contributions, noise=noise)
