"""The text of traces: read whole or line by line, parsed exactly, checked against the schema."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from sandproof.shapes import Shape, shape_of

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

T = TypeVar("T")
Fields = dict[str, Any]

STANDARD_INPUT = Path("-")
"""The name under which lines are read from standard input."""

LONGEST_LINE = 2**26
"""The most bytes of a line that are read: enough for a query that lists a million keys."""

LONGEST_REASON = 300
"""The most characters of a reason that are shown."""


class BadTrace(Exception):
    """Report a trace that cannot be used: where, and why."""

    def __init__(self, where: str, why: str) -> None:
        reason = " ".join(why.split())
        if len(reason) > LONGEST_REASON:
            reason = reason[:LONGEST_REASON] + " …"
        super().__init__(f"{where}: {reason}" if where else reason)


@dataclass(frozen=True, slots=True)
class Inexact:
    """Stand for a number that JSON writes with a decimal point or an exponent, or calls NaN."""

    text: str


def read_document(path: Path) -> Fields:
    """Return a trace that is one JSON document and follows the schema."""
    text = guarded(path.read_bytes)
    try:
        data = parsed(text)
    except json.JSONDecodeError as error:
        raise BadTrace(f"line {error.lineno}, column {error.colno}", error.msg) from None
    return checked(data, "")


def read_lines(path: Path) -> Iterator[tuple[str, Fields]]:
    """Yield the header and the moves of a trace in JSON Lines, each with the line it stands in."""
    return checked_lines(guarded(lambda: opened(path)))


def opened(path: Path) -> IO[bytes]:
    """Open a file, or a copy of standard input, which stays when that is closed in a child."""
    return os.fdopen(os.dup(0), "rb") if path == STANDARD_INPUT else path.open("rb")


def checked_lines(file: IO[bytes]) -> Iterator[tuple[str, Fields]]:
    """Yield the lines of a file that follow the schema; the first is the header."""
    number, kind = 0, "header"
    with file:
        while line := guarded(lambda: file.readline(LONGEST_LINE + 1)):
            number += 1
            where = f"line {number}"
            if len(line) > LONGEST_LINE:
                raise BadTrace(where, f"longer than {LONGEST_LINE} bytes")
            try:
                yield where, checked(parsed(line), kind)
            except json.JSONDecodeError as error:
                raise BadTrace(f"{where}, column {error.colno}", error.msg) from None
            except BadTrace as error:
                raise BadTrace(where, str(error)) from None
            kind = "move"
    if not number:
        raise BadTrace("line 1", "there is no header, an object with a description and limits")


def guarded(read: Callable[[], T]) -> T:
    """Return what is read, or say that it cannot be read."""
    try:
        return read()
    except OSError as error:
        raise BadTrace("", error.strerror or str(error)) from None


def parsed(text: bytes) -> Any:
    """Return the data of JSON in which no name stands twice."""
    try:
        return DECODER.decode(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadTrace(f"byte {error.start}", "not UTF-8") from None
    except RecursionError:
        raise BadTrace("", "nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise BadTrace("", str(error)) from None


def distinct(pairs: list[tuple[str, Any]]) -> Fields:
    """Return the fields of an object, or refuse a name that stands in it twice."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadTrace("", f"the name {twice!r} stands twice in one object")
    return fields


DECODER = json.JSONDecoder(parse_float=Inexact, parse_constant=Inexact, object_pairs_hook=distinct)


@cache
def schema() -> Fields:
    """Return the JSON Schema of traces."""
    text = files("sandproof").joinpath("schemas/trace.schema.json").read_text(encoding="utf-8")
    loaded: Fields = json.loads(text)
    return loaded


def schema_of(kind: str) -> Fields:
    """Return the schema of a header or a move, or that of a whole trace."""
    return {"$ref": f"#/$defs/{kind}", "$defs": schema()["$defs"]} if kind else schema()


@cache
def shape(kind: str) -> Shape:
    """Return the function that says whether data follow the schema of a kind."""
    return shape_of(schema_of(kind), schema())


def checked(data: Any, kind: str) -> Fields:
    """Return data that follow the schema of a kind, or say why they do not."""
    if not shape(kind)(data):
        refuse_inexact(data, "")
        # Only here, because data that follow the schema do without it.
        from jsonschema import Draft202012Validator

        errors = Draft202012Validator(schema_of(kind)).iter_errors(data)
        first = min(errors, key=lambda error: list(map(str, error.path)))
        raise BadTrace(first.json_path.removeprefix("$").removeprefix("."), reason(first))
    fields: Fields = data
    return fields


def refuse_inexact(data: object, where: str) -> None:
    """Refuse a number that is not exact, wherever it stands."""
    if isinstance(data, Inexact):
        raise BadTrace(
            where, f'{data.text} is not exact; write a whole number or a string such as "1/2"'
        )
    inside: Iterable[tuple[str, object]] = ()
    if isinstance(data, dict):
        inside = ((f"{where}.{name}" if where else name, part) for name, part in data.items())
    elif isinstance(data, list):
        inside = ((f"{where}[{index}]", part) for index, part in enumerate(data))
    for name, part in inside:
        refuse_inexact(part, name)


def reason(error: ValidationError) -> str:
    """Say why data do not follow the schema."""
    if error.validator == "oneOf":
        moves = [name for name in schema()["$defs"]["move"]["properties"] if name != "at"]
        return f"a move holds `at` or exactly one of {', '.join(moves)}"
    return str(error.message)
