"""Check changes to the Privacy Sandbox measurement APIs, from the command line or from Python.

>>> import sandproof
>>> result = sandproof.check("my_change.py")  # doctest: +SKIP
>>> result.verdict, result.attack  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from sandproof.result import Result
    from spec.level1 import Level1Rules
    from spec.rules import Rules

VERSION = "0.2.0"
"""The version of Sandproof, which its package carries as well."""


def check(
    proposal: Rules | Level1Rules | PathLike[str] | str | None = None,
    *,
    settings: Sequence[str] = (),
    family: str | None = None,
    effort: str = "standard",
    seed: int = 0,
    jobs: int | None = None,
    timeout: float | None = None,
    only: Sequence[str] = (),
    cache: bool = True,
) -> Result:
    """Decide every claim for a proposal: its file, its `RULES`, or nothing for the paper's own.

    The `family` is "paper" or "w3c", the W3C's Attribution Level 1; by default a proposal may be of
    either. `settings` are parameters to change, such as "delta=1e-6". `effort` is quick, standard
    or deep. `jobs` checks run side by side, by default one per core. `only` names claims, if not
    all are asked for. What was found before is looked up and kept in the user's `cache`. The result
    has a `verdict`, and an `attack` if one was found; in a notebook it is shown as a report. What
    cannot be checked at all raises `sandproof.problems.BadInput`.

    Rules are checked as the file that defines them: its code is run in child processes, with limits
    on time and memory. So `RULES` that are no module's own, such as those of a notebook, must be
    written to a file first; those that change parameters only need none.
    """
    from sandproof.problems import BadInput

    (result,) = check_all(
        [proposal],
        settings=settings,
        family=family,
        effort=effort,
        seed=seed,
        jobs=jobs,
        timeout=timeout,
        only=only,
        cache=cache,
    )
    if result.bad_input:
        raise BadInput(result.bad_input)
    return result


def check_all(
    proposals: Sequence[Rules | Level1Rules | PathLike[str] | str | None],
    *,
    settings: Sequence[str] = (),
    family: str | None = None,
    effort: str = "standard",
    seed: int = 0,
    jobs: int | None = None,
    timeout: float | None = None,
    only: Sequence[str] = (),
    cache: bool = True,
    refuted: Callable[[str], None] | None = None,
) -> Iterator[Result]:
    """Check several proposals side by side, and yield their results in order.

    A proposal that cannot be checked has a result that says so in `bad_input`. `refuted` is told
    the name of a proposal as soon as it is certain that it is refuted, long before all of its
    claims are decided. This is what every command of the command line calls that checks.
    """
    from sandproof import api

    options = api.options(effort, seed, jobs, timeout, only, cache)
    requests = [api.request_of(each, settings, family) for each in proposals]
    return api.results(requests, options, refuted)
