"""What a rule may answer: values of the type that the rules state, and whether two differ."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import NoneType, UnionType
from typing import TypeVar, Union, get_args, get_origin, get_type_hints

from sandproof.families import Family
from spec.distributions import Distribution, Law

Conforms = Callable[[object], bool]


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
def answers(family: Family) -> dict[str, object]:
    """Return the type of every rule's answer, as the rules of the family state it."""
    names: dict[str, object] = {}
    for module in family.types:
        names.update(vars(module))
    hints = get_type_hints(type(family.own), localns=names)
    return {name: get_args(hints[name])[1] for name in family.rule_names()}


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
