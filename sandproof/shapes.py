"""Shapes: a JSON Schema turned into a function that says quickly whether a value follows it.

It knows the keywords that the schema of traces uses, and fails on others. Why a value does not
follow a schema is said by `jsonschema`, which is slower by far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any], bool]
Fields = Mapping[str, Any]

TYPES = {"integer": int, "string": str, "array": list, "object": dict}

SILENT = {"description", "title", "$schema", "$defs", "additionalProperties"}
"""The keywords that make no test of their own."""


def shape_of(schema: Fields, root: Fields) -> Shape:
    """Return the function that says whether a value follows a schema; `root` holds `$defs`."""
    if "properties" in schema and schema.get("additionalProperties") is not False:
        raise NotImplementedError("an object with properties that are not listed")
    tests = [
        PLAIN[keyword](schema[keyword])
        if keyword in PLAIN
        else NESTED[keyword](schema[keyword], root)
        for keyword in sorted(schema.keys() - SILENT, key=[*PLAIN, *NESTED].index)
    ]
    if len(tests) == 1:
        return tests[0]

    def follows(value: Any) -> bool:
        for test in tests:  # noqa: SIM110 (`all` takes twice the time)
            if not test(value):
                return False
        return True

    return follows


def _type(names: str | list[str]) -> Shape:
    kinds = frozenset(TYPES[name] for name in ([names] if isinstance(names, str) else names))
    return lambda value: type(value) in kinds


def _minimum(least: int) -> Shape:
    return lambda value: not isinstance(value, int) or value >= least


def _pattern(pattern: str) -> Shape:
    search = re.compile(pattern).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _longest(most: int) -> Shape:
    return lambda value: not isinstance(value, str) or len(value) <= most


def _fewest_items(least: int) -> Shape:
    return lambda value: not isinstance(value, list) or len(value) >= least


def _most_items(most: int) -> Shape:
    return lambda value: not isinstance(value, list) or len(value) <= most


def _required(names: list[str]) -> Shape:
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or wanted <= value.keys()


def _fewest(least: int) -> Shape:
    return lambda value: not isinstance(value, dict) or len(value) >= least


def _most(most: int) -> Shape:
    return lambda value: not isinstance(value, dict) or len(value) <= most


def _reference(name: str, root: Fields) -> Shape:
    return shape_of(root["$defs"][name.removeprefix("#/$defs/")], root)


def _items(items: Fields, root: Fields) -> Shape:
    shape = shape_of(items, root)
    return lambda value: not isinstance(value, list) or all(map(shape, value))


def _properties(properties: Fields, root: Fields) -> Shape:
    shapes = {name: shape_of(inner, root) for name, inner in properties.items()}

    def follows(value: Any) -> bool:
        if isinstance(value, dict):
            for name, part in value.items():
                if name not in shapes or not shapes[name](part):
                    return False
        return True

    return follows


def _one_of(schemas: list[Fields], root: Fields) -> Shape:
    shapes = [shape_of(each, root) for each in schemas]
    return lambda value: sum([shape(value) for shape in shapes]) == 1


PLAIN: dict[str, Callable[[Any], Shape]] = {
    "type": _type,
    "minimum": _minimum,
    "pattern": _pattern,
    "maxLength": _longest,
    "minItems": _fewest_items,
    "maxItems": _most_items,
    "required": _required,
    "minProperties": _fewest,
    "maxProperties": _most,
}
"""How a test is made for a keyword that says something of a value itself."""

NESTED: dict[str, Callable[[Any, Fields], Shape]] = {
    "$ref": _reference,
    "items": _items,
    "properties": _properties,
    "oneOf": _one_of,
}
"""How a test is made for a keyword that leads to other schemas."""
