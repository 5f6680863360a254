"""Jobs and what they find: the plain data that the parent and its children exchange."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sandproof.this_process import cores
from spec.verdicts import ALARMS, Evidence, Finding, Reason, Shape

if TYPE_CHECKING:
    from sandproof.reach import Reached

CHECK_SECONDS = {"quick": 600.0, "standard": 1200.0, "deep": 20_000.0}
"""The seconds of a child's own time that a check may take: several times what its steps take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Hold how to check: how hard, with which seed, on how many cores, for how long each.

    `store` is the folder where findings are kept and looked up.
    """

    effort: str = "standard"
    seed: int = 0
    jobs: int = field(default_factory=cores)
    timeout: float | None = None
    memory: int | None = None
    only: tuple[str, ...] = ()
    store: Path | None = None

    @property
    def seconds(self) -> float:
        """Return the seconds that one check may take."""
        return CHECK_SECONDS[self.effort] if self.timeout is None else self.timeout

    def asks_for(self, claim: str) -> bool:
        """Tell whether a claim was asked for."""
        return not self.only or claim in self.only


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Name one check of a proposal by its claim and its name.

    `place` says how early it comes in the plan, `shape` where its check looks, `named` that it is a
    universe that the proposal names. One that `proves` is a proof; a `spare` one is needless where
    its claim is proved. `put_back` names a rule that is put back to see whether that repairs
    the claim. A job that is `helping` was not asked for: others rest on what it finds.
    """

    place: int
    claim: str
    check: str
    shape: Shape = Shape.NONE
    named: bool = False
    proves: bool = False
    spare: bool = False
    put_back: str = ""
    helping: bool = False

    @property
    def is_quick(self) -> bool:
        """Tell whether this is one of the searches that come before all else, and refute quickly.

        What they run is imported with the plan.
        """
        return not (self.proves or self.put_back or self.shape is Shape.RANDOM_RUNS)

    @property
    def name(self) -> str:
        """Return the name that progress shows."""
        return f"{self.claim}: {self.check}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Hold what a child found, what it has to say about the rules it ran, and lemmas on the way.

    `published` are the lemmas that were proved on the family's own rules.
    `reached` is what it ran of the proposal's code, if it is a check that decides. What is `stored`
    was found by an earlier run.
    """

    finding: Finding
    misbehaved: tuple[str, ...] = ()
    exhausted: Mapping[str, str] = field(default_factory=dict)
    lemmas: Mapping[str, Finding] = field(default_factory=dict)
    published: Mapping[str, Finding] = field(default_factory=dict)
    reached: Reached = frozenset()
    stored: bool = False


def undecided(job: Job, reason: Reason, detail: str) -> Finding:
    """Return the finding of a check that could not be finished."""
    evidence = Evidence.ALARM if reason in ALARMS else Evidence.NONE
    return Finding(
        claim=job.claim,
        check=job.check,
        shape=job.shape,
        named=job.named,
        evidence=evidence,
        reason=reason,
        detail=detail,
    )
