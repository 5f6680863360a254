"""Check changes to the Privacy Sandbox measurement APIs, from the command line or from Python.

>>> import sandproof
>>> result = sandproof.check("my_change.py")  # doctest: +SKIP
>>> result.verdict, result.attack  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from sandproof.result import Result
    from spec.rules import Rules

VERSION = "0.1.0"
"""The version of Sandproof, which its package carries as well."""


def check(
    proposal: Rules | PathLike[str] | str | None = None,
    *,
    effort: str = "standard",
    seed: int = 0,
    jobs: int | None = None,
    timeout: float | None = None,
    only: tuple[str, ...] = (),
) -> Result:
    """Decide every claim for a proposal: its file, its `RULES`, or nothing for the paper's own.

    `effort` is quick, standard or deep. `jobs` checks run side by side, by default one per core.
    `only` names claims, if not all are asked for. The result has a `verdict`, and an `attack` if
    one was found; in a notebook it is shown as a report. What cannot be checked at all raises
    `sandproof.problems.BadInput`.

    Rules are checked as the file that defines them: its code is run in child processes, with limits
    on time and memory. So `RULES` that are no module's own must be written to a file first.
    """
    from sandproof.api import checked

    return checked(proposal, effort=effort, seed=seed, jobs=jobs, timeout=timeout, only=only)
