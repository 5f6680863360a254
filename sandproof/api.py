"""What stands behind `sandproof.check`: from a file, or from rules, to the result of a run."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path

from sandproof import verdict
from sandproof.about import Request, rule_names
from sandproof.jobs import CHECK_SECONDS, Options
from sandproof.problems import BadInput, brief, suggestion
from sandproof.result import Result
from sandproof.settings import Settings
from spec import PAPER, Limits, Rules
from spec.claims import CLAIMS
from spec.numbers import Base


def checked(
    proposal: Rules | PathLike[str] | str | None,
    *,
    effort: str,
    seed: int,
    jobs: int | None,
    timeout: float | None,
    only: tuple[str, ...],
) -> Result:
    """Check a proposal as the command line does; raise what is wrong with the input."""
    if effort not in CHECK_SECONDS:
        raise BadInput(f"there is no effort {effort!r}; there are {', '.join(CHECK_SECONDS)}")
    for name in only:
        if name not in CLAIMS:
            raise BadInput(f"there is no claim {name!r}{suggestion(name, CLAIMS)}")
    options = Options(effort=effort, seed=seed, timeout=timeout, only=only)
    if jobs is not None:
        options = replace(options, jobs=jobs)
    (result,) = verdict.run([request_of(proposal)], options)
    if result.bad_input:
        raise BadInput(result.bad_input)
    return result


def request_of(proposal: Rules | PathLike[str] | str | None) -> Request:
    """Return what is to be checked."""
    if proposal is None:
        return Request()
    if isinstance(proposal, Rules):
        return request_of_rules(proposal)
    if not isinstance(proposal, str | PathLike):
        raise BadInput(f"a proposal is a path or a spec.Rules, not {brief(proposal)}")
    return Request(path=Path(proposal))


def request_of_rules(rules: Rules) -> Request:
    """Return the file that defines rules, or the parameters in which they differ from the paper's.

    Functions do not travel to child processes, and a verdict is about code that can be read.
    """
    changed = [name for name in rule_names() if getattr(rules, name) is not getattr(PAPER, name)]
    if not changed and rules.initial == PAPER.initial:
        return Request(settings=settings_of(rules.limits))
    for name in changed:
        module = sys.modules.get(getattr(getattr(rules, name), "__module__", ""))
        file = getattr(module, "__file__", None)
        if file is not None and getattr(module, "RULES", None) == rules:
            return Request(path=Path(file))
    raise BadInput(
        f"the changed rules ({', '.join(changed) or 'initial'}) are not the RULES of a file: write "
        "them to one, and check its path"
    )


def settings_of(limits: Limits) -> Settings:
    """Return the parameters that are not the paper's, as `--set` would set them."""
    found: dict[str, Fraction | None] = {}
    for name in (each.name for each in fields(Limits)):
        value = getattr(limits, name)
        if value != getattr(PAPER.limits, name):
            number = value.value if isinstance(value, Base) else value
            found[name] = None if number is None else Fraction(number)
    return tuple(found.items())
