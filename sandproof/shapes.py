"""Shapes: a JSON Schema turned into a function that says quickly whether a value follows it.

It knows the keywords that the schema of traces uses, and fails on others. Why a value does not
follow a schema is said by `jsonschema`, which is slower by far.

A keyword is about values of one type. So a schema becomes a table from types to tests, and a value
is tested once, for what is said of its own type. What is said of the names in an object is decided
once for each list of names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

Shape: TypeAlias = Callable[[Any], bool]
Fields: TypeAlias = Mapping[str, Any]
Kinds: TypeAlias = dict[type, Shape | None]
"""The types that a value may have, each with what else is to be tested, if anything."""

TYPES = {"integer": int, "string": str, "array": list, "object": dict}

SILENT = {"description", "title", "$schema", "$defs", "type", "$ref"}
"""The keywords that make no test of their own."""


def shape_of(schema: Fields, root: Fields) -> Shape:
    """Return the function that says whether a value follows a schema; `root` holds `$defs`."""
    kinds = kinds_of(schema, root)

    def follows(value: Any) -> bool:
        test = kinds.get(type(value), _refuse)
        return test is None or test(value)

    return follows


def kinds_of(schema: Fields, root: Fields) -> Kinds:
    """Return the types that a schema allows, each with a test."""
    if unknown := schema.keys() - SILENT - set().union(*KEYWORDS.values()):
        raise NotImplementedError(f"keywords {sorted(unknown)}")
    kinds: Kinds = {}
    if "$ref" in schema:
        kinds |= kinds_of(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    elif "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        kinds |= {TYPES[name]: None for name in names}
    else:
        raise NotImplementedError("a schema of values of any type")
    for kind, keywords in KEYWORDS.items():
        if kind in kinds and schema.keys() & keywords:
            kinds[kind] = _both(kinds[kind], MAKERS[kind](schema, root))
    return kinds


def _refuse(_: Any) -> bool:
    return False


def _both(first: Shape | None, second: Shape) -> Shape:
    return second if first is None else lambda value: first(value) and second(value)


def _integer(schema: Fields, _: Fields) -> Shape:
    least: int = schema["minimum"]
    return lambda value: value >= least


def _string(schema: Fields, _: Fields) -> Shape:
    search = re.compile(schema.get("pattern", "")).search
    most: int | None = schema.get("maxLength")
    return lambda value: search(value) is not None and (most is None or len(value) <= most)


def _array(schema: Fields, root: Fields) -> Shape:
    fewest: int = schema.get("minItems", 0)
    most: int | None = schema.get("maxItems")
    kinds = kinds_of(schema["items"], root)

    def follows(value: Any) -> bool:
        if len(value) < fewest or (most is not None and len(value) > most):
            return False
        for part in value:
            test = kinds.get(type(part), _refuse)
            if test is not None and not test(part):
                return False
        return True

    return follows


def _object(schema: Fields, root: Fields) -> Shape:
    if schema.get("additionalProperties") is not False:
        raise NotImplementedError("an object with properties that are not listed")
    inner = {name: kinds_of(each, root) for name, each in schema["properties"].items()}
    fits = _names({name: schema[name] for name in NAMES & schema.keys()})

    @lru_cache(maxsize=256)
    def fit(names: tuple[str, ...]) -> bool:
        return inner.keys() >= set(names) and fits(names)

    def follows(value: Any) -> bool:
        if not fit(tuple(value)):
            return False
        for name, part in value.items():
            test = inner[name].get(type(part), _refuse)
            if test is not None and not test(part):
                return False
        return True

    return follows


def _names(schema: Fields) -> Callable[[tuple[str, ...]], bool]:
    """Return the function that says whether the names in an object are as a schema has them."""
    if unknown := schema.keys() - NAMES:
        raise NotImplementedError(f"keywords {sorted(unknown)} of names")
    required = frozenset(schema.get("required", ()))
    fewest: int = schema.get("minProperties", 0)
    most: int | None = schema.get("maxProperties")
    choices = [_names(each) for each in schema["oneOf"]] if "oneOf" in schema else None

    def follow(names: tuple[str, ...]) -> bool:
        return (
            required.issubset(names)
            and len(names) >= fewest
            and (most is None or len(names) <= most)
            and (choices is None or sum(choice(names) for choice in choices) == 1)
        )

    return follow


NAMES = frozenset({"required", "minProperties", "maxProperties", "oneOf"})
"""The keywords that say something of the names in an object."""

KEYWORDS: dict[type, frozenset[str]] = {
    int: frozenset({"minimum"}),
    str: frozenset({"pattern", "maxLength"}),
    list: frozenset({"items", "minItems", "maxItems"}),
    dict: NAMES | {"properties", "additionalProperties"},
}
"""The keywords that say something of values of a type."""

MAKERS: dict[type, Callable[[Fields, Fields], Shape]] = {
    int: _integer,
    str: _string,
    list: _array,
    dict: _object,
}
"""How a test of values of a type is made."""
