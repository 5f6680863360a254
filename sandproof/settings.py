"""The parameters that `--set` changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from sandproof.exact_numbers import LONGEST, Settings, named_numbers
from sandproof.problems import BadInput
from spec.numbers import NATURAL, Base, SpecError


def parameters(limits: Any) -> list[str]:
    """Name the public parameters that `--set` can change: those that are numbers."""
    return [each.name for each in fields(limits) if settable(getattr(limits, each.name))]


def settable(value: object) -> bool:
    """Tell whether a parameter can be written as a number."""
    return value is None or isinstance(value, int | Fraction | Base)


def parse_settings(texts: Sequence[str], limits: Any) -> Settings:
    """Read the values of `--set name=value` exactly, and refuse what is no parameter."""
    settings = named_numbers(texts, parameters(limits))
    with_settings(limits, settings)
    return settings


def with_settings(limits: Any, settings: Settings) -> Any:
    """Return the limits with some parameters set."""
    values: dict[str, object] = {}
    for name, value in settings:
        if not hasattr(limits, name):
            raise BadInput(f"--set {name}: these rules have no such parameter")
        if name == "base":
            values[name] = NATURAL if value is None else value
        else:
            whole = isinstance(getattr(limits, name), int)
            if whole and value is not None and value.denominator != 1:
                raise BadInput(f"--set {name}: {value} is not a whole number")
            values[name] = int(value) if whole and value is not None else value
    try:
        if isinstance(values.get("base"), Fraction):
            values["base"] = Base(dict(settings)["base"])
        return replace(limits, **values)
    except SpecError as error:
        raise BadInput(f"--set {', '.join(name for name, _ in settings)}: {error}") from None


def shown(value: object) -> str:
    """Show a parameter; the base of the natural logarithm is e, and 1/100000000 is 1e-8."""
    if isinstance(value, Base):
        value = value.value
    if isinstance(value, Fraction):
        return decimal(value) or str(value)
    return "e" if value is None else str(value)


def decimal(number: Fraction) -> str:
    """Write a number as a decimal of at most two figures, if it is one; else nothing."""
    places = 0
    while number.denominator > 1 and places <= LONGEST:
        # The last figure of a decimal goes first: a third has none.
        if (number * 10).denominator >= number.denominator:
            return ""
        number, places = number * 10, places + 1
    figures = str(abs(int(number)))
    sign = "-" if number < 0 else ""
    if not places or len(figures) > 2 or number.denominator > 1:
        return ""
    if places <= 3:
        padded = figures.rjust(places + 1, "0")
        return f"{sign}{padded[:-places]}.{padded[-places:]}"
    rest = f".{figures[1:]}" if figures[1:] else ""
    return f"{sign}{figures[0]}{rest}e-{places - len(figures) + 1}"
