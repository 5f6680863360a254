r"""Epochs: when they start, which one a moment is in, and which are still open to attribution.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from spec.distributions import Distribution, Law
from spec.numbers import SpecError

if TYPE_CHECKING:
    from spec.level1.device import Device
    from spec.level1.rules import AtConversion, OnBrowser


@dataclass(frozen=True, slots=True)
class EpochStart(Law[int]):
    r"""Hold the law of the start: $t - U[0, T)$ for the length $T$ of an epoch, in whole hours.

    Where the draft rounds towards zero this rounds down, as the group's own code does; the two
    differ before 1970 only.

    Draft: Epoch Start Time.
    """

    moment: int
    length: int
    hour: int

    def at(self, share: Fraction) -> int:
        """Return the start where the random duration is this share of an epoch, in [0, 1)."""
        return floor((self.moment - share * self.length) / self.hour) * self.hour

    def outcomes(self) -> Iterable[tuple[int, Fraction]]:
        """List the hours with their probabilities: whole ones, and one or two that are cut."""
        earliest, start = self.moment - self.length, self.at(Fraction(0))
        while start + self.hour > earliest:
            begin, end = max(start, earliest), min(start + self.hour, self.moment)
            if begin < end:
                yield start, Fraction(end - begin, self.length)
            start -= self.hour

    def law(self) -> Distribution[int]:
        """Return the same as a distribution."""
        return Distribution.of(dict(self.outcomes()))


def epoch_start(at: OnBrowser, moment: int) -> Law[int]:
    """Draw a start within the epoch that ends with the moment of first use.

    Draft: Epoch Start Time.
    """
    return EpochStart(moment, at.limits.epoch, at.limits.hour)


def epoch_of(at: OnBrowser, moment: int) -> int:
    """Return the index of the epoch that a moment is in; it may be negative.

    Draft: Epoch Start Time.
    """
    return (moment - started(at.device)) // at.limits.epoch


def started(device: Device) -> int:
    """Return when the epochs of a device start, once that is drawn.

    Draft: Epoch Start Time.
    """
    if device.epoch_start is None:
        raise NotStarted("the epochs of this device have no start yet")
    return device.epoch_start


def first_epoch(at: OnBrowser) -> int:
    """Return the epoch of the longest lookback, or the one after the last clearing if later.

    Draft: Last Browsing History Clear Time.
    """
    earliest = epoch_of(at, at.now - at.limits.maximum_lookback * at.limits.day)
    if at.device.last_clearing is None:
        return earliest
    return max(earliest, epoch_of(at, at.device.last_clearing) + 1)


def single_epoch(at: AtConversion) -> bool:
    """Tell whether the lookback stays within the current epoch, which is decided in public.

    Draft: Attribution Logic.
    """
    return epoch_of(at, at.now) == epoch_of(at, at.now - at.conversion.lookback)


class NotStarted(SpecError):
    """Report a use of epochs before their start is drawn."""
