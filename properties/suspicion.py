r"""Whether a run on numbers is worth playing: something is seen, or told by sums, that must not be.

A run is made with the same noisy sums in both worlds, whatever the true sums are. What is made of
noisy sums afterwards is then the same, unless it looks at true sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from properties.observation import encoded
from properties.worlds import BothWorlds, chances
from spec.noise import DiscreteLaplace, Noisy

FAR = 100
"""How many budgets away from its true sum a noisy sum may be put."""


@dataclass(slots=True)
class SameDraws:
    """Draw by chance, the same at each place of both worlds: true sums, far ones, or words."""

    chance: Random
    words: tuple[int, ...]
    budget: int
    drawn: dict[int, int] = field(default_factory=dict)

    def noisy(self, place: int, law: Noisy) -> int:
        """Return the noisy sum at a place."""
        if place not in self.drawn:
            far = FAR * self.budget
            tried = (law.centre, law.centre, law.centre - far, law.centre + far, *self.words)
            self.drawn[place] = self.chance.choice(tried)
        return self.drawn[place]


def suspicious(run: BothWorlds, promised: tuple[Fraction, Fraction]) -> bool:
    """Tell whether a run may be an attack: the worlds differ, or key discovery may tell them."""
    if len(run.mine.sums) != len(run.theirs.sums) or differs(run, promised):
        return True
    pairs = zip(run.mine.sums, run.theirs.sums, strict=True)
    return any(one != other and one.noise.support[1] is not None for one, other in pairs)


def differs(run: BothWorlds, promised: tuple[Fraction, Fraction]) -> bool:
    """Tell whether the worlds differ beside noise, or sums tell more than is promised.

    What is told by a key that is there in one world only, or by a sum that lies beyond noise that
    is cut, is not counted: this is what delta is for. Where there are keys in one world only, noise
    that is another in each of the worlds is a difference.
    """
    if list(map(chances, run.mine.laws)) != list(map(chances, run.theirs.laws)):
        return True
    if len(run.mine.sums) != len(run.theirs.sums):
        mine, theirs = ({each.noise for each in x.sums} for x in (run.mine, run.theirs))
        return bool(mine - theirs and theirs - mine)
    if looks_different(run):
        return True
    loss = Fraction(0)
    for one, other in zip(run.mine.sums, run.theirs.sums, strict=True):
        if one == other:
            continue
        if not isinstance(one.noise, DiscreteLaplace) or one.noise != other.noise:
            return True
        loss += -one.noise.decay_power.exponent * abs(one.centre - other.centre)
    return loss > promised[0]


def looks_different(run: BothWorlds) -> bool:
    """Tell whether what is seen differs."""
    return any(encoded(mine) != encoded(theirs) for mine, theirs in run.seen)


def has_other_noise(run: BothWorlds) -> bool:
    """Tell whether a sum that differs has noise whose loss is not simply added up.

    Such noise may tell a little more than is promised with little probability; shown as it is
    drawn, it is judged by the event that tells most.
    """
    pairs = zip(run.mine.sums, run.theirs.sums, strict=False)
    return any(x != y and not isinstance(x.noise, DiscreteLaplace) for x, y in pairs)
