"""Which rules a rule of a proposal could ask: by every name in the code that it could run.

A rule is given all rules, and may ask any of them: `at.rules.charge(…)`. It may also call a
function of spec that asks rules in its turn, such as the paper's `settle`. So the names in its code
are followed: into its file and other files of the proposal, into spec, and into every rule that is
named, as it is and as it is in the paper. A name that is no rule where it stands, such as that of
another attribute, counts as well: too many rules are found, and none is missed.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import cast

from proofs._flow import _is_file_of_python, unguarded
from proofs._followed import CACHED, _ours
from spec import PAPER, Rules

FIELDS = frozenset(each.name for each in dataclasses.fields(Rules))


def asked_by(rule: object, rules: Rules) -> frozenset[str]:
    """Return the names of rules that a rule could ask, itself or through others."""
    names: set[str] = set()
    seen: dict[int, object] = {}
    pending: list[object] = [rule]
    while pending:
        value = unguarded(pending.pop())
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if type(value) is FunctionType:
            if not _ours(value) and _is_file_of_python(value.__code__.co_filename):
                continue
            found = _names(value.__code__)
            asked = (found & FIELDS) - names
            names |= asked
            pending += (getattr(every, name) for name in asked for every in (rules, PAPER))
            pending += _reached(value, found)
        else:
            pending += _parts(value)
    return frozenset(names)


def _names(code: CodeType) -> set[str]:
    """Return the names and texts in code, and in functions inside of it."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    texts = {each for each in code.co_consts if type(each) is str}
    return texts.union(code.co_names, *inner)


def _reached(function: FunctionType, names: set[str]) -> Iterator[object]:
    """List what a function takes from around it: by names, as defaults and from a closure."""
    for name in names & set(function.__globals__):
        value = function.__globals__[name]
        yield value
        if isinstance(value, ModuleType):
            yield from _of_module(value, names)
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    empty = CellType()
    yield from (each.cell_contents for each in function.__closure__ or () if each != empty)


def _of_module(module: ModuleType, names: set[str]) -> Iterator[object]:
    """List what names stand for in a module, and in modules that it holds under such names."""
    pending, seen = [module], {id(module)}
    while pending:
        inside = vars(pending.pop())
        for value in (inside[name] for name in names & set(inside)):
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                pending.append(value)
            yield value


def _parts(value: object) -> Iterable[object]:
    """List the functions that a value holds, or what may hold some in its turn."""
    if type(value) is functools.partial:
        held = cast("functools.partial[object]", value)
        return (held.func, *held.args, *held.keywords.values())
    if type(value) is CACHED:
        return (value.__wrapped__,)
    if type(value) in (property, staticmethod, classmethod):
        names = ("fget", "__func__")
        return tuple(getattr(value, name) for name in names if hasattr(value, name))
    if isinstance(value, type):
        return (*vars(value).values(), *value.__bases__)
    if isinstance(value, Mapping):
        return tuple(value.values())
    if type(value) in (tuple, list, set, frozenset):
        return tuple(cast(Iterable[object], value))
    if dataclasses.is_dataclass(value) and not isinstance(value, Rules):
        names_held = (each.name for each in dataclasses.fields(value))
        return tuple(getattr(value, name) for name in names_held if hasattr(value, name))
    return ()
