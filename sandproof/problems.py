"""What is wrong with input, said in one line: the errors, and how values and places are named."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from types import TracebackType

from sandproof.families.claim_names import CLAIM_NAMES

MEANT = re.compile(r"\. Did you mean '\w+'\?$")
"""What Python 3.13 adds about a keyword that a function does not have."""

LARGEST = 2**20
"""The size of a file up to which it is read here, and not in a child with limits."""


class BadInput(Exception):
    """Report input that cannot be used, in one line."""


class NotFollowed(Exception):
    """Report in one line code that asks for more than a rule is given: nothing is decided of it."""


def parsed(path: Path) -> bytes:
    """Return the source of a proposal; refuse a file that is not there, is empty or no Python."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if not source.strip():
        raise BadInput(f"{path}: the file is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # They are told where the file is run.
            compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise BadInput(f"{path}{wrong_syntax(error)}") from None
    except ValueError as error:  # So says Python before 3.11.4 of null bytes.
        raise BadInput(f"{path}: syntax error: {error}") from None
    return source


def refuse_unreadable(path: Path) -> None:
    """Refuse a file that cannot even be read as a program, without running it.

    A file that is more than a slip of the pen is left to a child with limits.
    """
    with suppress(OSError, MemoryError, RecursionError):
        if not path.exists() or (path.is_file() and path.stat().st_size <= LARGEST):
            parsed(path)


def wrong_syntax(error: SyntaxError) -> str:
    """Say at which line a file is no Python, and why."""
    place = "" if error.lineno is None else f", line {error.lineno}"
    return f"{place}: syntax error: {error.msg}"


def told(error: BaseException) -> str:
    """Return an exception in one line, as every version of Python tells it."""
    text = " ".join(safely(str, error).split())
    if isinstance(error, TypeError):
        text = MEANT.sub("", text)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def safely(write: Callable[[object], str], value: object) -> str:
    """Write a value that may fail to be written."""
    try:
        return write(value)
    except Exception as error:
        return f"(cannot be written: {type(error).__name__})"


def at_line(trace: TracebackType | None, files: Sequence[Path]) -> str:
    """Say at which line of a proposal's files an exception came up, if it did there."""
    named = {str(file): file for file in files}
    frames = [frame for frame in traceback.extract_tb(trace) if frame.filename in named]
    if not frames:
        return ""
    last = frames[-1]
    inside = "" if last.name == "<module>" else f", in {last.name}"
    elsewhere = "" if last.filename == str(files[0]) else f", file {named[last.filename].name}"
    return f"{elsewhere}, line {last.lineno}{inside}"


def brief(value: object) -> str:
    """Show a value and its type in a few words."""
    if value is None:
        return "None"
    kind = type(value).__name__
    text = brief_text(safely(str if isinstance(value, Fraction) else repr, value))
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}: {text}"


def brief_text(text: str) -> str:
    """Return a text in one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."


def known_claim(name: str) -> str:
    """Return the name of a claim; one that is not there is bad input, with the closest that is."""
    claims = [each for names in CLAIM_NAMES.values() for each in names]
    if name not in claims:
        inside = [each for each in claims if name in each]
        hint = suggestion(name, inside or claims) or "; sandproof claims --list shows all"
        raise BadInput(f"there is no claim {name!r}{hint}")
    return name


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a hint at the name that was probably meant, if one is close."""
    listed = list(known)
    close = get_close_matches(word, listed, n=1) or (listed if len(listed) == 1 else [])
    return f"; did you mean {close[0]}?" if close else ""
