"""What stands behind `sandproof.check`: what to check, and how."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from sandproof.about import About, Request
from sandproof.exact_numbers import Settings
from sandproof.families import NAMES, Family, Rules, families, family_of, parameters
from sandproof.jobs import CHECK_SECONDS, Options
from sandproof.problems import BadInput, brief, known_claim, refuse_unreadable
from sandproof.result import Result
from sandproof.settings import parse_settings, settable
from sandproof.store import users_store, version_digest
from sandproof.this_process import collecting_no_garbage, in_child
from sandproof.whole import keep, known_result, question_of
from spec.numbers import Base


def options(
    effort: str,
    seed: int,
    jobs: int | None,
    timeout: float | None,
    only: Sequence[str],
    cache: bool,
) -> Options:
    """Return how to check, or raise what is wrong with it."""
    if in_child():
        raise BadInput("a proposal cannot check proposals: check it from another file")
    if effort not in CHECK_SECONDS:
        raise BadInput(f"there is no effort {effort!r}; there are {', '.join(CHECK_SECONDS)}")
    chosen = Options(
        effort=effort,
        seed=seed,
        timeout=timeout,
        only=tuple(map(known_claim, only)),
        store=users_store() if cache else None,
    )
    return chosen if jobs is None else replace(chosen, jobs=jobs)


def request_of(
    proposal: Rules | PathLike[str] | str | None,
    settings: Sequence[str] = (),
    family: str | None = None,
) -> Request:
    """Return what is to be checked; without a proposal it is the first version of a family."""
    if family is not None and family not in NAMES:
        raise BadInput(f"there is no family {family!r}; there are {', '.join(NAMES)}")
    named = family or "paper"
    given = parse_settings(settings, parameters.own_parameters(named))
    if proposal is None:
        return Request(settings=given, family=named)
    if isinstance(proposal, str | PathLike):
        wanted = family is not None
        return Request(path=Path(proposal), settings=given, family=named, wanted=wanted)
    of_rules = family_of(proposal)
    if of_rules is None:
        known = " or a ".join(each.rules_name for each in families())
        raise BadInput(f"a proposal is a path or a {known}, not {brief(proposal)}")
    request = request_of_rules(of_rules, proposal)
    return replace(request, settings=tuple((dict(request.settings) | dict(given)).items()))


def results(
    requests: Sequence[Request], options: Options, refuted: Callable[[str], None] | None
) -> Iterator[Result]:
    """Yield the results in order: what can be said at once, and what has to be found out."""
    questions = [question_of(each, options) for each in requests]
    known = [
        refusal(request, options) or known_result(question, options)
        for request, question in zip(requests, questions, strict=True)
    ]
    asked = [each for each, result in zip(requests, known, strict=True) if result is None]
    found = run(asked, options, refuted) if asked else iter(())
    for request, question, result in zip(requests, questions, known, strict=True):
        if result is not None:
            yield result
            continue
        result = next(found)
        keep(result, question, question_of(request, options), options)
        yield result


def run(
    requests: Sequence[Request], options: Options, refuted: Callable[[str], None] | None
) -> Iterator[Result]:
    """Run the checks, with the solvers, which take longer to import than all that was before."""
    with collecting_no_garbage():
        from sandproof import verdict

    # The store is to know what was imported just now.
    version_digest.cache_clear()
    return verdict.run(requests, options, refuted)


def refusal(request: Request, options: Options) -> Result | None:
    """Return the result for a file that cannot even be read as a program."""
    if request.path is None:
        return None
    try:
        refuse_unreadable(request.path)
    except BadInput as problem:
        return Result(
            about=About(name=request.name),
            effort=options.effort,
            seed=options.seed,
            bad_input=str(problem),
            only=options.only,
        )
    return None


def request_of_rules(family: Family, rules: Rules) -> Request:
    """Return the file that defines rules, or the parameters in which they differ from a version.

    Functions do not travel to child processes, and a verdict is about code that can be read.
    """
    own = family.nearest(rules)
    changed = [x for x in family.rule_names() if getattr(rules, x) is not getattr(own, x)]
    changed += [x for x in family.parts if getattr(rules, x) != getattr(own, x)]
    if not changed:
        version = next(name for name, each in family.versions.items() if each is own)
        settings = settings_of(own.limits, rules.limits)
        first = own is family.own
        return Request(settings=settings, family=family.name, version="" if first else version)
    for name in changed:
        module = sys.modules.get(getattr(getattr(rules, name), "__module__", ""))
        file = getattr(module, "__file__", None)
        if file is not None and getattr(module, "RULES", None) == rules:
            return Request(path=Path(file))
    raise BadInput(
        f"the changed rules ({', '.join(changed)}) are not the RULES of a file: write "
        "them to one, and check its path"
    )


def settings_of(published: Any, limits: Any) -> Settings:
    """Return the parameters that are not the published ones, as `--set` would set them."""
    found: dict[str, Fraction | None] = {}
    for name in (each.name for each in fields(limits)):
        value = getattr(limits, name)
        if value != getattr(published, name):
            if not settable(value):
                raise BadInput(f"the parameter {name} is no number: write the rules to a file")
            number = value.value if isinstance(value, Base) else value
            found[name] = None if number is None else Fraction(number)
    return tuple(found.items())
