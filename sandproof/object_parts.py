"""What objects are made of: what could be changed in them, and what they hold that could be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from types import FunctionType, MethodType, ModuleType

PACKAGES = ("spec", "proofs", "properties", "sandproof")

LAZY = frozenset(
    {"_hash", "__dict__", "__weakref__", "__abstractmethods__", "_abc_impl", "__annotations__"}
)
"""Attributes that are filled in when they are first asked for."""

OF_PYTHON = frozenset({"__builtins__", "__warningregistry__"})
"""What Python itself keeps in a module, the second whenever a warning is about a line of it."""

Parts = Iterable[tuple[str, object]]
Read = Callable[[object], Parts]


def is_ours(name: str) -> bool:
    """Tell whether a module belongs to this project."""
    return name.partition(".")[0] in PACKAGES


def reader_of(value: object) -> Read | None:
    """Return what lists the parts of an object that could be changed, or hold what could be."""
    kind = type(value)
    if kind is FunctionType:
        return of_function
    if kind in READERS:
        return READERS[kind]
    if isinstance(value, ModuleType):
        return of_module if is_ours(value.__name__) else None
    if isinstance(value, type):
        return of_class if is_ours(value.__module__) else None
    return of_instance if is_ours(kind.__module__) else None


def of_function(value: object) -> Parts:
    """List what a function is made of, and what it remembers of the functions around it."""
    assert isinstance(value, FunctionType)
    parts: list[tuple[str, object]] = [
        ("__code__", value.__code__),
        ("__defaults__", value.__defaults__),
        ("__kwdefaults__", value.__kwdefaults__),
        ("__globals__", value.__globals__),
    ]
    if value.__closure__:
        for name, cell in zip(value.__code__.co_freevars, value.__closure__, strict=False):
            with suppress(ValueError):  # A variable that was never set.
                parts.append((name, cell.cell_contents))
    parts.extend(value.__dict__.items())
    return parts


def of_module(value: object) -> Parts:
    """List what a module holds."""
    return [part for part in vars(value).items() if part[0] not in OF_PYTHON]


def of_helper(value: object) -> Parts:
    """List the functions and classes that a module holds."""
    return [part for part in vars(value).items() if callable(part[1]) and part[0] != "_"]


def of_class(value: object) -> Parts:
    """List what a class holds."""
    assert isinstance(value, type)
    yield "__bases__", value.__bases__
    yield from (part for part in vars(value).items() if part[0] not in LAZY)


def of_instance(value: object) -> Parts:
    """List the attributes of an object of a type of this project."""
    for name in slots_of(type(value)):  # type: ignore[arg-type]
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:
            yield name, None
    with suppress(AttributeError):
        held = object.__getattribute__(value, "__dict__")
        yield from (part for part in held.items() if part[0] not in LAZY)


@functools.cache
def slots_of(kind: type) -> tuple[str, ...]:
    """Name the slots of a type, but for those that are filled in later."""
    found = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    listed = [(each,) if isinstance(each, str) else tuple(each) for each in found]
    return tuple(name for names in listed for name in names if name not in LAZY)


def of_dictionary(value: object) -> Parts:
    """List the entries of a dictionary."""
    assert isinstance(value, dict)
    return [(str(place), part) for place, pair in enumerate(value.items()) for part in pair]


def of_sequence(value: object) -> Parts:
    """List the members of a collection."""
    assert isinstance(value, list | set)
    return [(str(place), part) for place, part in enumerate(value)]


def of_constant(value: object) -> Parts:
    """List the members of a collection, which stay what they are, but may themselves change."""
    assert isinstance(value, tuple | frozenset)
    return [(str(place), part) for place, part in enumerate(value)]


def of_wrapper(value: object) -> Parts:
    """List the functions behind a method, a property or a remembered function."""
    names = ("__func__", "__self__", "__wrapped__", "fget", "fset", "func")
    return [(name, getattr(value, name)) for name in names if hasattr(value, name)]


READERS: dict[type, Read] = {
    Fraction: of_instance,  # Its two numbers can be set.
    dict: of_dictionary,
    **dict.fromkeys((list, set), of_sequence),
    **dict.fromkeys((tuple, frozenset), of_constant),
    **dict.fromkeys((staticmethod, classmethod, property, MethodType), of_wrapper),
    **dict.fromkeys((functools.partial, functools.cached_property), of_wrapper),
    type(slots_of): of_wrapper,
}
