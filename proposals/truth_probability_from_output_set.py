r"""How often an event-level source answers at random follows from the size of its output set.

Early designs fixed the noise rate per kind of source. Here a source with output set $\mathcal{O}$
answers truthfully with probability $(e^{\varepsilon} - 1) / (e^{\varepsilon} + |\mathcal{O}| - 1)$,
the largest that is private. With $\varepsilon = 14$ and 2925 outputs it is random in 0.24 percent
of all cases. The rule is the paper's own, written out.

Origin: WICG/attribution-reporting-api#734
Neighbours: attribution fixed
Expected: holds
"""

from spec import PAPER, Rules, replace
from spec.numbers import N


def truth_probability(power: N, size: int) -> N:
    r"""Return the truth probability for $e^{\varepsilon}$ and the size of the output set."""
    return (power - 1) / (power - 1 + size)


RULES: Rules = replace(PAPER, truth_probability=truth_probability)
