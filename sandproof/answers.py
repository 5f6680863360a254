"""What a rule may answer: values of the type that `Rules` states, fit for what uses them.

What a rule shows to the ad-tech can be compared, since attacks compare what is seen. A probability
lies between 0 and 1, and an order of attempts names candidates only.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import TypeVar, Union, cast, get_args, get_origin, get_type_hints

import spec.aggregation_service
import spec.attribution_client
import spec.contributions
import spec.distributions
import spec.event_client
import spec.event_outputs
import spec.noise
import spec.numbers
import spec.private_aggregation_client
import spec.reports
from sandproof.about import rule_names
from spec import PAPER, AtEventTrigger, Rules
from spec.distributions import Distribution, Law
from spec.reports import Sent

Conforms = Callable[[object], bool]

SHOWN = ("send", "reveal", "serve", "event_visible")
"""The rules whose answers the ad-tech sees: what `send` shows, and the second part of `serve`."""


def complaint(name: str, arguments: tuple[object, ...], answer: object) -> str:
    """Say what is wrong with an answer of the right type, if something is."""
    if name in SHOWN and (opaque := next(incomparable(shown_in(name, answer)), None)):
        return f"what the ad-tech sees must be comparable, and a {opaque} is equal to itself only"
    if name == "truth_probability" and (answer < 0 or answer > 1):  # type: ignore[operator]
        return "a probability lies between 0 and 1"
    if name == "event_attribute":
        at = cast(AtEventTrigger, arguments[0])
        if at.rules.register_event_trigger is PAPER.register_event_trigger:
            known = {record.source.source_id for record in at.client.records}
            ways = answer.support() if isinstance(answer, Distribution) else (answer,)
            if not all(known.issuperset(cast(tuple[Hashable, ...], units)) for units in ways):
                return "only registered sources can be credited"
    if name == "attempt_order" and names_strangers(arguments, answer):
        return "only candidates can be attempted"
    return ""


def names_strangers(arguments: tuple[object, ...], answer: object) -> bool:
    """Tell whether an order of attempts names a source that was not among the candidates."""
    candidates = list(cast(Sequence[object], arguments[1]))
    orders = answer.support() if isinstance(answer, Distribution) else (answer,)
    return any(each not in candidates for order in orders for each in cast(Sequence[object], order))


def shown_in(name: str, answer: object) -> object:
    """Return what the ad-tech sees of a rule's answer."""
    if name == "serve":
        return cast(tuple[object, object], answer)[1]
    if name == "send":
        ways = answer.support() if isinstance(answer, Distribution) else (answer,)
        return tuple(each.shown for sent in ways for each in cast(tuple[Sent, ...], sent))
    return answer


def incomparable(value: object) -> Iterator[str]:
    """Name the types in a value, also inside of tuples and laws, that compare by identity."""
    if isinstance(value, tuple | frozenset):
        for part in value:
            yield from incomparable(part)
    elif isinstance(value, Distribution):
        for part, _ in value.items():
            yield from incomparable(part)
    elif type(value).__eq__ is object.__eq__ and not isinstance(value, NoneType | Enum | Law):
        yield type(value).__name__


def differ(one: object, other: object) -> bool:
    """Tell whether two answers certainly differ; what compares by identity may be equal."""
    if type(one) is not type(other):
        return True
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) != len(other) or any(map(differ, one, other))
    if type(one).__eq__ is object.__eq__:
        return False
    if isinstance(one, Law) and one == other:
        return False
    if is_dataclass(one) and not isinstance(one, type) and not isinstance(one, Distribution):
        return any(differ(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one != other)


@functools.cache
def answers() -> dict[str, object]:
    """Return the type of every rule's answer, as `Rules` states it."""
    modules = (
        spec.aggregation_service,
        spec.attribution_client,
        spec.contributions,
        spec.distributions,
        spec.event_client,
        spec.event_outputs,
        spec.noise,
        spec.numbers,
        spec.private_aggregation_client,
        spec.reports,
    )
    names: dict[str, object] = {}
    for module in modules:
        names.update(vars(module))
    hints = get_type_hints(Rules, localns=names)
    return {name: get_args(hints[name])[1] for name in rule_names()}


def conforms(annotation: object) -> Conforms:
    """Return the test whether a value is of a type, as far as that is quickly told."""
    if annotation is None or annotation is NoneType:
        return lambda value: value is None
    if isinstance(annotation, TypeVar | str):
        return lambda _: True
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        options = [conforms(each) for each in arguments]
        return lambda value: any(option(value) for option in options)
    if origin is tuple and arguments[-1] is Ellipsis:
        each = conforms(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(each, value))
    if origin is tuple:
        parts = [conforms(each) for each in arguments]
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(parts)
            and all(part(element) for part, element in zip(parts, value, strict=True))
        )
    kind = origin or annotation
    if kind is Fraction:
        return lambda value: isinstance(value, Fraction | int)
    if kind is Hashable or isinstance(kind, type):
        return lambda value: isinstance(value, kind)
    return lambda _: True


def readable(annotation: object) -> str:
    """Write a type without the names of modules."""
    return re.sub(r"\b(?:\w+\.)+", "", inspect.formatannotation(annotation))
