"""The words of a proposal: what its rules mention, to be tried on them.

A rule may look for a certain key, name, size or flag. Default universes know none of these, so the
numbers and names that a proposal's functions mention, and the types that it adds, are collected and
made into universes of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from types import CodeType, FunctionType, ModuleType
from typing import TypeVar

from proofs._instructions import Code, NoSource, code_of
from spec.aggregation_service import Query
from spec.attribution_client import Source, Trigger
from spec.event_client import EventSource, EventTrigger
from spec.numbers import SpecError
from spec.private_aggregation_client import Event
from spec.reports import KEY_BITS

MOST = 8
LONGEST = 20
KNOWN = frozenset({0, 1, 2})
"""Numbers that the default universes try as keys, values and counts."""

FEWEST_BITS = 8
KINDS = (Source, Trigger, Event, Query, EventSource, EventTrigger)

NAMING = frozenset({"LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD"})
"""Instructions with a name that may be one of the file."""

K = TypeVar("K", Source, Trigger, Event, Query, EventSource, EventTrigger)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Hold the numbers and names that a proposal's functions mention, and the types it adds."""

    numbers: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    types: tuple[type, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.numbers or self.texts or self.types)

    @property
    def around(self) -> tuple[int, ...]:
        """Return the numbers, and what is just below and above them."""
        near = {number + step for number in self.numbers for step in (-1, 0, 1)}
        return tuple(sorted(near - KNOWN))

    @property
    def keys(self) -> tuple[int, ...]:
        """Return the numbers that can be keys, and keys of as many bits as they say.

        First come those whose upper bits are one of the numbers, above as many bits as another.
        """
        widths = [number for number in self.numbers if FEWEST_BITS <= number < KEY_BITS]
        upper = [number << bits for bits in widths for number in self.numbers if number != bits]
        powers = [2**number for number in widths]
        found = dict.fromkeys((*upper, *self.numbers, *powers))
        return tuple(key for key in found if key < 2**KEY_BITS)

    def variants(self, given: K) -> Iterator[K]:
        """Return the same as an instance of each type that the proposal adds for it.

        Fields of its own have their defaults first, then other values of the same type.
        """
        for kind in self.types:
            if issubclass(kind, type(given)):
                names = [each.name for each in fields(type(given))]
                own = {name: getattr(given, name) for name in names}
                added = [each for each in fields(kind) if each.name not in own]
                defaults = {x.name: x.default for x in added if x.default is not MISSING}
                others = {name: self.another(value) for name, value in defaults.items()}
                for values in (defaults, others):
                    try:
                        yield kind(**{**own, **values})
                    except (SpecError, TypeError, ValueError):
                        continue

    def another(self, value: object) -> object:
        """Return another value of the same type, if there is one to be thought of."""
        match value:
            case bool():
                return not value
            case int() | Fraction():
                return value + 1
            case str():
                return self.texts[0] if self.texts else value + "a"
            case _:
                return value


NO_WORDS = Vocabulary()


def vocabulary_of(*modules: ModuleType) -> Vocabulary:
    """Collect the words of a proposal from all the files that it brings."""
    found: list[object] = []
    types: list[type] = []
    for module in modules:
        for value in vars(module).values():
            if getattr(value, "__module__", "") == module.__name__:
                for function in functions_in(value):
                    if function.__code__.co_filename == module.__file__:
                        found += mentioned(function.__code__, vars(module))
                if inspect.isclass(value) and issubclass(value, KINDS):
                    types.append(value)
    words = list(dict.fromkeys(map(typed, flat(found))))
    numbers = [word for kind, word in words if kind is int and isinstance(word, int)]
    numbers += [int(word) for _, word in words if isinstance(word, str) and word.isdecimal()]
    texts = [word for kind, word in words if kind is str and isinstance(word, str)]
    return Vocabulary(
        numbers=tuple(number for number in numbers if number >= 0 and number not in KNOWN)[:MOST],
        texts=tuple(text for text in texts if is_name(text))[:MOST],
        types=tuple(types),
    )


def functions_in(value: object) -> Iterator[FunctionType]:
    """Return a function, or the methods of a class."""
    if inspect.isfunction(value):
        yield value
    elif inspect.isclass(value):
        yield from (each for each in vars(value).values() if inspect.isfunction(each))


def mentioned(code: CodeType, names: dict[str, object]) -> Iterator[object]:
    """Return the constants of a function and of those inside it, and the globals it names.

    They are read off its source, in the same order under every version of Python. The names of
    keywords in calls are constants of the code, and no words of the function; nor is its docstring.
    """
    with suppress(NoSource):
        yield from mentioned_in(code_of(code), names)


def mentioned_in(code: Code, names: dict[str, object]) -> Iterator[object]:
    """Return what a function mentions, by its code."""
    keywords = {step.arg for step in code.steps if step.opname == "KW_NAMES"}
    for place, constant in enumerate(code.co_consts):
        if isinstance(constant, Code):
            yield from mentioned_in(constant, names)
        elif place not in keywords:
            yield constant
    named = dict.fromkeys(step.argval for step in code.steps if step.opname in NAMING)
    yield from (names[str(name)] for name in named if name in names)


def flat(values: list[object]) -> Iterator[object]:
    """Return the values, and those in collections of them; a fraction mentions two numbers."""
    for value in values:
        if isinstance(value, tuple | list):
            yield from flat(list(value))
        elif isinstance(value, set | frozenset):
            yield from flat(sorted(value, key=repr)[:MOST])
        elif isinstance(value, dict):
            yield from flat([*list(value)[:MOST], *list(value.values())[:MOST]])
        elif isinstance(value, range):
            yield from (value.start, value.stop)
        elif isinstance(value, Fraction):
            yield from (value.numerator, value.denominator)
        else:
            yield value


def typed(value: object) -> tuple[type, object]:
    """Return a value with its type, so that True is not 1; what is no word is None."""
    kind = type(value)
    return (kind, value) if kind in (int, str) else (type(None), None)


def is_name(text: str) -> bool:
    """Tell whether a text could be the name of something."""
    return 0 < len(text) <= LONGEST and text.isprintable() and " " not in text
