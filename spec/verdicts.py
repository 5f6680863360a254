r"""The vocabulary of claims, checks, evidence and verdicts.

A claim is one sentence about the specification. A check examines a claim on given rules and
answers with a finding: which kind of *evidence* there is, or for which *reason* there is none. A
claim's verdict is put together from the findings of all its checks. Whatever code decides by is a
field of one of these types; texts are for readers only.

Paper: none (vocabulary).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from spec.neighbours import Relation


class Verdict(StrEnum):
    """Say what is known about a claim.

    `PROVED` is for the values that its bound names. `SEARCHED` means that no attack was found where
    the claim says that one must be looked for; it is no proof. `REFUTED` comes with a
    counterexample that was replayed. `UNKNOWN` comes with the reason. `UNAFFECTED` means that
    nothing the claim depends on changed.
    """

    PROVED = "proved"
    SEARCHED = "searched"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    UNAFFECTED = "unaffected"


class Kind(StrEnum):
    """Say what a claim is for."""

    GUARANTEE = "guarantee"
    LEMMA = "lemma"
    ASSUMPTION = "assumption"


class Evidence(StrEnum):
    """Say what a check brings.

    A `PROOF` is about all values and all lengths. The next three are searches that were finished
    and found no attack: for all values of runs of one shape, exactly in a small universe, or in
    random runs. An `ATTACK` is a counterexample that was replayed. An `ALARM` is something that
    must not happen: while there is one, nothing else counts as shown.
    """

    NONE = "none"
    PROOF = "proof"
    ALL_VALUES_UP_TO_SHAPE = "all values up to a shape"
    EXACT_IN_UNIVERSE = "exact in a universe"
    RANDOM_RUNS = "random runs"
    ATTACK = "attack"
    ALARM = "alarm"


VERDICTS = {
    Evidence.NONE: Verdict.UNKNOWN,
    Evidence.PROOF: Verdict.PROVED,
    Evidence.ALL_VALUES_UP_TO_SHAPE: Verdict.SEARCHED,
    Evidence.EXACT_IN_UNIVERSE: Verdict.SEARCHED,
    Evidence.RANDOM_RUNS: Verdict.SEARCHED,
    Evidence.ATTACK: Verdict.REFUTED,
    Evidence.ALARM: Verdict.UNKNOWN,
}
"""What each kind of evidence says when there is no other."""


class Shape(StrEnum):
    """Name where attacks are looked for. A claim's row lists the shapes that it needs."""

    NONE = ""
    SMALL_UNIVERSE = "small universe"
    FURTHER_UNIVERSE = "further universe"
    REAL_SIZES = "runs at real sizes"
    REAL_PARAMETERS = "real parameters"
    RANDOM_RUNS = "random runs"
    SCRIPTS = "scripts with holes"
    SHORT_LOOPS = "loops of a few rounds"


GAMES = (Shape.SMALL_UNIVERSE, Shape.FURTHER_UNIVERSE)
"""The shapes that are solved exactly for every adversary."""


class Reason(StrEnum):
    """Say why a check brings no evidence, or what its alarm is about."""

    NONE = ""
    NOT_RUN = "the check was not run"
    INTERRUPTED = "interrupted"
    OUT_OF_STEPS = "the steps allowed are used up"
    OUT_OF_ROOM = "more would have to be remembered than is allowed"
    OUT_OF_RESOURCES = "not decided here: time or memory ran out"
    MISBEHAVED = "a rule did what no rule may do"
    CANNOT_FOLLOW = "the check cannot follow these rules"
    RULES_CHANGED = "the check is about the paper's own rules"
    NO_CONCLUSION = "what was found does not decide the claim"
    WORLDS_DIFFER = "the worlds differ, and no attack was made of it"
    LEMMA_OPEN = "a lemma is not proved"
    STEP_OPEN = "a step of the proof is open"
    VACUOUS = "neighbours never differed, or no query was answered"
    NOISE_OPEN = "cutting infinite noise leaves the answer open"
    SOLVERS_DISAGREE = "solvers disagree"
    DOES_NOT_REPLAY = "a counterexample does not replay"
    NOT_WRITTEN = "an attack could not be written down"
    RAISED = "the check raised an exception"
    RELATION_UNDEFINED = "the neighbour relation is undefined"
    NO_WITNESS = "what should be possible is not"
    PROVED_AND_REFUTED = "proved and refuted at once"
    RESTS_ON_ALARM = "proved from a claim about which there is an alarm"


ALARMS = frozenset(
    {
        Reason.SOLVERS_DISAGREE,
        Reason.DOES_NOT_REPLAY,
        Reason.NOT_WRITTEN,
        Reason.RAISED,
        Reason.RELATION_UNDEFINED,
        Reason.PROVED_AND_REFUTED,
        Reason.RESTS_ON_ALARM,
    }
)
"""The reasons that are alarms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """State a claim: its name is a sentence, `rules` are the fields of `Rules` it depends on.

    `subjects` are the objects of the specification it is about, as dotted names. `relation` is
    the paper's neighbour relation for it, where there is one. `shapes` are those that must
    be searched whole before the claim may be called searched; without any it never is.
    """

    id: str
    kind: Kind
    statement: str
    formula: str
    paper: str
    subjects: tuple[str, ...]
    rules: tuple[str, ...] = ()
    relation: Relation | None = None
    not_covered: str = ""
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Report one step of a check: what was asked, what was found, and by which solvers."""

    name: str
    verdict: Verdict
    by: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Report what a check found about a claim.

    `evidence` is its kind, `shape` where it was looked for. Where there is none, `reason` says why;
    an alarm's `reason` says which, and an attack may carry one besides. `rests_on` names the claims
    that it takes for granted. `relation` names the neighbour relation it ran with, where there is
    one. What is `named` was found in a universe that the proposal names. The rest is for readers:
    `method` says how, `bound` up to where, `assumes` under what, `detail` why, in a line each.
    `counterexample` maps names to exact values, written out. `attack` is an attack in the form that
    `properties` describes.
    """

    claim: str
    check: str
    evidence: Evidence = Evidence.NONE
    reason: Reason = Reason.NONE
    shape: Shape = Shape.NONE
    rests_on: tuple[str, ...] = ()
    relation: str = ""
    named: bool = False
    method: str = ""
    bound: str = ""
    assumes: str = ""
    detail: str = ""
    seconds: str = ""
    steps: tuple[Step, ...] = ()
    counterexample: Mapping[str, str] | None = None
    attack: object = None

    @property
    def verdict(self) -> Verdict:
        """Return what this finding alone says about the claim."""
        return VERDICTS[self.evidence]

    @property
    def is_alarm(self) -> bool:
        """Tell whether something happened that must not happen, whatever else was found."""
        return self.evidence is Evidence.ALARM or self.reason in ALARMS


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Name a broken variant that a check must refute, and run the check on it.

    `rules` are the broken rules, where the variant is a change of rules.
    """

    name: str
    run: Callable[[], Finding]
    rules: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Hold a check of one claim: how to run it on given rules of its family, and its controls.

    `evidence` is the kind that it brings if it finds no attack, `shape` where it looks, `relation`
    the neighbour relation that it uses. A check that is `spare` is one more search, which may be
    saved where the claim is proved. One that is `named` searches a universe that the
    proposal names, besides those that are searched anyway.
    """

    claim: str
    name: str
    run: Callable[[Any], Finding]
    controls: Sequence[Control]
    evidence: Evidence = Evidence.EXACT_IN_UNIVERSE
    shape: Shape = Shape.NONE
    relation: Relation | None = None
    spare: bool = False
    named: bool = False

    @property
    def proves(self) -> bool:
        """Tell whether this is a proof."""
        return self.evidence is Evidence.PROOF
