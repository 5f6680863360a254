"""What a guarantee promises under given rules, and whether that is weaker than another promise.

A promise is an ε and a δ for a unit, with respect to a neighbour relation. A verdict without it
says little: with δ = 1 every guarantee holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sandproof.settings import shown
from spec.numbers import Base, Power, bounds


class Strength(StrEnum):
    """Say how a promise compares with another one."""

    SAME = "the same"
    WEAKER = "WEAKER"
    STRONGER = "stronger"
    OTHER = "NOT COMPARABLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """Hold what a guarantee promises; ε counts units ln b, and b is the `base`.

    `window` is the length of a time window in seconds, where the unit has one, and `windows` what
    such windows are called. `decided_by` names a changed rule that decides what the unit is.
    """

    epsilon: Fraction
    delta: Fraction
    base: Base
    unit: str
    relation: str = ""
    window: int | None = None
    windows: str = "windows"
    decided_by: str = ""

    @property
    def pair(self) -> str:
        """Return (ε, δ) in short."""
        logarithm = "" if self.base.value is None else f" ln {shown(self.base)}"
        return f"({shown(self.epsilon)}{logarithm}, {shown(self.delta)})"

    @property
    def scope(self) -> str:
        """Say for whom, and with respect to which neighbours, this is promised."""
        window = "" if self.window is None else f", {self.windows} of {self.window} s"
        decided = f", as the changed rule {self.decided_by} decides" if self.decided_by else ""
        neighbours = f"; neighbours: {self.relation}" if self.relation else ""
        return f"per {self.unit}{window}{decided}{neighbours}"

    @property
    def void(self) -> str:
        """Say so if this is as good as no promise."""
        return " (a delta of 1 promises nothing)" if self.delta >= 1 else ""

    def __str__(self) -> str:
        return f"{self.pair}{self.void} {self.scope}"

    def to_json(self) -> dict[str, object]:
        """Return the promise as plain data."""
        return {
            "epsilon": str(self.epsilon),
            "base": shown(self.base),
            "delta": str(self.delta),
            "unit": self.unit,
            "window": self.window,
            "neighbours": self.relation,
        }


def compared(old: Promise, new: Promise) -> Strength:
    """Say how a promise compares with an older one: weaker if anything about it is weaker.

    A shorter window protects less. Promises for other units or other neighbours, or for what a
    changed rule decides, are not comparable.
    """
    same_scope = (old.unit, old.relation, old.decided_by) == (
        new.unit,
        new.relation,
        new.decided_by,
    )
    if not same_scope:
        return Strength.OTHER
    lost = (
        larger(new, old),
        new.delta > old.delta,
        (new.window or 0) < (old.window or 0),
    )
    gained = (
        larger(old, new),
        new.delta < old.delta,
        (new.window or 0) > (old.window or 0),
    )
    if any(lost):
        return Strength.WEAKER
    return Strength.STRONGER if any(gained) else Strength.SAME


def larger(one: Promise, other: Promise) -> bool:
    r"""Tell whether $e^\varepsilon$ is larger in one promise; what is not certain counts as so."""
    if one.base == other.base:
        return one.epsilon > other.epsilon
    _, most = bounds(Power(one.base, one.epsilon).value())
    least, _ = bounds(Power(other.base, other.epsilon).value())
    return most > least


def told_change(old: Promise, new: Promise) -> str:
    """Tell a promise, and where it is another one than before, both and how they compare."""
    strength = compared(old, new)
    if strength is Strength.SAME:
        return str(new)
    if old.scope == new.scope:
        return f"{old.pair} → {new.pair}: {strength.value}{new.void}, {new.scope}"
    return f"{old} → {new}: {strength.value}"
