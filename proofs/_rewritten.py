"""The paper's own functions, written down again: known by their code.

Two functions do the same if they have the same instructions, constants and names, and if every name
that they take from their modules stands for the same value. How local variables are called does not
matter, nor a docstring.
"""

from __future__ import annotations

import dataclasses
import dis
from dataclasses import replace
from types import CodeType, FunctionType

from proofs._flow import unclean, unguarded
from spec import PAPER, Rules

FLAGS = 0xFFFF
"""The flags of a function that change what it does; others tell what its file imports."""


def rewritten(rules: Rules) -> Rules:
    """Return the rules with the paper's functions in the place of those that have their code."""
    same = {
        field.name: getattr(PAPER, field.name)
        for field in dataclasses.fields(Rules)
        if _same_function(unguarded(getattr(rules, field.name)), getattr(PAPER, field.name))
    }
    return replace(rules, **same) if same else rules


def _same_function(first: object, second: object) -> bool:
    """Tell whether two functions do the same, as far as their code and its names tell."""
    if first is second or type(first) is not FunctionType or type(second) is not FunctionType:
        return False
    plain = (first.__closure__, first.__defaults__, first.__kwdefaults__)
    if any(plain) or second.__closure__ or second.__defaults__ or second.__kwdefaults__:
        return False
    if not is_same_code(first.__code__, second.__code__) or unclean(first):
        return False
    missing = object()
    return all(
        first.__globals__.get(name, missing) is second.__globals__.get(name, missing)
        for name in _global_names(first.__code__)
    )


def is_same_code(first: CodeType, second: CodeType) -> bool:
    """Tell whether two pieces of code do the same, if the names that they take are the same."""
    alike = (
        *("co_code", "co_names", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount"),
        *("co_nlocals", "co_freevars", "co_cellvars", "co_exceptiontable"),
    )
    if first.co_flags & FLAGS != second.co_flags & FLAGS:
        return False
    if any(getattr(first, name) != getattr(second, name) for name in alike):
        return False
    if first.co_varnames[: first.co_argcount] != second.co_varnames[: second.co_argcount]:
        return False
    constants = list(map(_without_docstring, (first, second)))
    return len(constants[0]) == len(constants[1]) and all(
        is_same_code(a, b)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
        else type(a) is type(b) and a == b and not isinstance(a, CodeType)
        for a, b in zip(*constants, strict=True)
    )


def _without_docstring(code: CodeType) -> tuple[object, ...]:
    """Return the constants of a function without the first, its docstring, if no code loads it."""
    used = (s.arg for s in dis.get_instructions(code) if s.opname in ("LOAD_CONST", "KW_NAMES"))
    return code.co_consts if 0 in used else (None, *code.co_consts[1:])


def _global_names(code: CodeType) -> set[str]:
    inner = (_global_names(each) for each in code.co_consts if isinstance(each, CodeType))
    own = {s.argval for s in dis.get_instructions(code) if s.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return own.union(*inner)
