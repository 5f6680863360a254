"""Proofs for all values, on the functions of spec themselves.

`CHECKS` holds the check of every proof file, in the order of their names. It is collected when it
is first asked for. A check shares what it finds with the chains that it is a link of.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from spec.claims import Check

CHECKS: tuple[Check, ...]


def __getattr__(name: str) -> tuple[Check, ...]:
    if name != "CHECKS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _collected()


@cache
def _collected() -> tuple[Check, ...]:
    names = sorted(module.name for module in iter_modules(__path__))
    found = (import_module(f"{__name__}.{name}") for name in names if not name.startswith("_"))
    chain = import_module(f"{__name__}._chain")
    return tuple(chain.remembered(module.CHECK) for module in found)
