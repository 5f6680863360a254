"""Proofs for all values, on the functions of spec themselves.

`CHECKS` holds the check of every proof file, in the order of their names. A file is imported when
its check is run, or asked for its controls. A check shares what it finds with the chains that it is
a link of. So that processes can share the work, `lemmas_of` names what a proof rests on, and
`findings_on` hands over what was found on given rules.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from proofs._deferred import deferred
from spec.verdicts import Check, Evidence, Finding


@cache
def check_of_file(name: str) -> Check:
    """Return the check of a proof file; each file proves the claim whose name it has."""
    file, chain, memory = (import_module(f"{__name__}.{x}") for x in (name, "_chain", "_memory"))
    found: Check = memory.memoryless(chain.remembered(file.CHECK))
    return found


CHECKS = tuple(
    deferred(name, "proof", partial(check_of_file, name), Evidence.PROOF)
    for name in sorted(module.name for module in iter_modules(__path__) if not module.ispkg)
    if not name.startswith("_")
)


def lemmas_of(
    claim: str, changed: Collection[str] = (), failed: Collection[str] = ()
) -> tuple[str, ...]:
    """Name the lemmas on which the proof of a guarantee may still rest, in order.

    Given are the rules that have changed and the lemmas that are known to fail. A proof that is no
    chain of lemmas, or that has failed, rests on none.
    """
    chain = getattr(import_module(f"{__name__}.{claim}"), "CHAIN", None)
    links = () if chain is None else chain.lemmas(changed, failed)
    deepest = (lemmas_of(link, changed, failed) or (link,) for link in links)
    return tuple(dict.fromkeys(lemma for lemmas in deepest for lemma in lemmas))


def refuted_lemmas(claim: str, refuted: Collection[str]) -> tuple[str, ...]:
    """Name the refuted lemmas on which a claim's proof rests, if none of its ways does without.

    Where a way is left, there are none.
    """
    chain = getattr(import_module(f"{__name__}.{claim}"), "CHAIN", None)
    fallen = [
        [
            lemma
            for link in way
            for lemma in ((link,) if link in refuted else refuted_lemmas(link, refuted))
        ]
        for way in (() if chain is None else chain.claims_of_ways)
    ]
    named = dict.fromkeys(lemma for way in fallen for lemma in way)
    return tuple(named) if fallen and all(fallen) else ()


def findings_on(rules: Any) -> dict[str, Finding]:
    """Return what lemmas found on given rules, by their names; what is added is recalled."""
    chain = import_module(f"{__name__}._chain")
    found: dict[str, Finding] = chain.findings_on(rules)
    return found
