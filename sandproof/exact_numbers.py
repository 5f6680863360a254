"""The numbers of the command line, read exactly, before anything that calculates is imported."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction

from sandproof.problems import BadInput, brief_text, suggestion

LONGEST = 300
"""The most digits of a number on the command line, and its greatest exponent."""

NUMBER = re.compile(
    r"[+-]?[0-9]+/[0-9]+|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e(?P<exponent>[+-]?[0-9]+))?",
    re.IGNORECASE,
)

Settings = tuple[tuple[str, Fraction | None], ...]
"""The parameters that are set; nothing stands for the base e."""


def named_numbers(texts: Sequence[str], names: Collection[str]) -> Settings:
    """Read the values of `--set name=value` exactly, and refuse what is none of the names."""
    settings: dict[str, Fraction | None] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(f"--set {text}: write it as name=value")
        if name not in names:
            hint = suggestion(name, names) or f"; there are {', '.join(names)}"
            raise BadInput(f"--set {name}: no such parameter{hint}")
        settings[name] = (
            None if (name, value) == ("base", "e") else exact_number(f"--set {name}", value)
        )
    return tuple(settings.items())


def exact_number(option: str, text: str) -> Fraction:
    """Read a whole number, a fraction such as 1/8 or a decimal such as 1e-8, exactly.

    Every number of the command line is read here. One that is too long to be worth writing out is
    refused before it is computed.
    """
    found = NUMBER.fullmatch(text)
    if found is None:
        raise BadInput(f"{option}: {brief_text(text)!r} is not a number")
    exponent = found["exponent"] or "0"
    if len(text) > LONGEST or len(exponent) > len(str(LONGEST)) + 1 or abs(int(exponent)) > LONGEST:
        raise BadInput(
            f"{option}: {brief_text(text)} is too long: a number has at most {LONGEST} digits "
            f"and an exponent between -{LONGEST} and {LONGEST}"
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise BadInput(f"{option}: {text} divides by zero") from None


def whole_number(option: str, text: str) -> int:
    """Read a whole number."""
    number = exact_number(option, text)
    if number.denominator != 1:
        raise BadInput(f"{option}: {brief_text(text)} is not a whole number")
    return int(number)
