"""Run the checks of proposals in child processes, and put together what they found.

A job is one check on one proposal's rules. Each child loads the proposal for itself, because rules
are functions and do not travel between processes. Guarantees come first, and of their checks the
games before the proofs, because a game can refute. Every claim is decided. A job may be needless:
because of what an earlier job in this order found, and never because of one that merely happened to
finish earlier. So the result does not depend on how many jobs run side by side, or how quickly. The
lemmas on which the proofs of guarantees rest are jobs of their own, shared by all these proofs; a
lemma that depends on no changed rule is proved once for all proposals.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Protocol, runtime_checkable

from proofs import CHECKS, findings_on, lemmas_of, refuted_lemmas
from properties.checks import PRIVACY, applies, concerns, property_checks
from properties.observation import NoEncoding
from properties.vocabulary import NO_WORDS, Vocabulary
from sandproof.guard import Guard, RuleMisbehaved, Trace
from sandproof.integrity import watching
from sandproof.processes import Ending, Outcome, Pool, Task, cores
from sandproof.proposal import (
    About,
    BadInput,
    NotFollowed,
    Proposal,
    Request,
    at_line,
    brief_text,
    load,
    told,
)
from sandproof.reach import Listing, Reach, Reached, listing
from sandproof.result import AttackRecord, ClaimResult, Repair, Result, with_failed_assumptions
from spec import PAPER
from spec.claims import CLAIMS
from spec.distributions import NotReplayable
from spec.neighbours import Relation
from spec.universe import Universe
from spec.verdicts import (
    ALARMS,
    GAMES,
    Check,
    Claim,
    Evidence,
    Finding,
    Kind,
    Reason,
    Shape,
    Verdict,
)

LOAD_SECONDS = 10.0
CALL_SECONDS = 10.0
CHECK_SECONDS = {"quick": 600.0, "standard": 1200.0, "deep": 20_000.0}
"""The seconds of a child's own time that a check may take: several times what its steps take."""

SLOW = (Shape.SMALL_UNIVERSE, Shape.FURTHER_UNIVERSE, Shape.LONG_RUNS, Shape.RANDOM_RUNS)
"""Where checks of a guarantee about neighbours look that take their time, in their order."""

COMPOSED = "summary_and_event_reports_compose"
PARTS = ("attribution_summaries_are_private", "event_level_reports_are_private")
"""The guarantee about one source's reports together, and those that it is composed of."""

PROVED: dict[str, Finding] = {}
"""The lemmas that this process has seen proved for rules that leave them alone."""

ORDER = {Kind.GUARANTEE: 0, Kind.ASSUMPTION: 1, Kind.LEMMA: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Hold how to check: how hard, with which seed, on how many cores, for how long each."""

    effort: str = "standard"
    seed: int = 0
    jobs: int = field(default_factory=cores)
    timeout: float | None = None
    memory: int | None = None
    only: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Return the seconds that one check may take."""
        return CHECK_SECONDS[self.effort] if self.timeout is None else self.timeout


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Name a check; a `spare` one is needless where its claim is proved."""

    claim: str
    check: str
    shape: Shape = Shape.NONE
    proves: bool = False
    spare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Say what a proposal is and which checks there are for it, in order.

    `overridden` are the guarantees that it asks about whatever it changes, `another_relation` those
    that are decided with a neighbour relation that is not the paper's for them.
    """

    about: About
    checks: tuple[Planned, ...]
    overridden: frozenset[str]
    another_relation: frozenset[str]
    listing: Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Name one check of a proposal by its place in the list.

    `put_back` names a rule that is put back. A job that is `helping` was not asked for: others rest
    on what it finds.
    """

    place: int
    planned: Planned
    put_back: str = ""
    helping: bool = False

    @property
    def claim(self) -> str:
        """Return the claim that it is about."""
        return self.planned.claim

    @property
    def check(self) -> str:
        """Return the name of its check."""
        return self.planned.check

    @property
    def is_proof(self) -> bool:
        """Tell whether this is a proof."""
        return self.planned.proves

    @property
    def name(self) -> str:
        """Return the name that progress shows."""
        return f"{self.claim}: {self.check}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Hold what a child found, what it has to say about the rules it ran, and lemmas on the way.

    `reached` is what it ran of the proposal's code, if it is a check that decides.
    """

    finding: Finding
    misbehaved: tuple[str, ...] = ()
    exhausted: Mapping[str, str] = field(default_factory=dict)
    lemmas: Mapping[str, Finding] = field(default_factory=dict)
    reached: Reached = frozenset()


@runtime_checkable
class Tellable(Protocol):
    """Describe an attack that can be told."""

    def story(self) -> str:
        """Return the attack as text."""
        ...

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        ...


def checks_of(
    effort: str,
    seed: int,
    relation: Relation | None,
    universes: tuple[Universe, ...],
    words: Vocabulary = NO_WORDS,
) -> tuple[Check, ...]:
    """Return every check in order; those for another neighbour relation do not count."""
    found = (*property_checks(effort, seed, relation, universes, words), *CHECKS)
    kept = [
        check
        for check in found
        if not overridden(CLAIMS[check.claim], relation) or check.relation is relation
    ]
    return tuple(sorted(kept, key=lambda check: rank(check, effort)))


def checks_for(proposal: Proposal, options: Options) -> tuple[Check, ...]:
    """Return every check for a proposal, but for those that depend on nothing that it changes."""
    relation, universes = proposal.relation, proposal.universes
    found = checks_of(options.effort, options.seed, relation, universes, proposal.words)
    changed = proposal.about.changed
    if not changed or relation is not None:
        return found
    return tuple(x for x in found if not x.rules or not changed.isdisjoint(x.rules))


def rank(check: Check, effort: str) -> tuple[int, int]:
    """Say how early a check comes: guarantees first, and of their checks what refutes quickly.

    Proofs come last, and after them what can be spared where they succeed. With a relation that is
    not the paper's, games come before scripts: they say by which factor a guarantee fails.
    """
    claim = CLAIMS[check.claim]
    slow = 1 + SLOW.index(check.shape) if check.shape in SLOW and claim.relation else 0
    if check.shape is Shape.SCRIPTS and check.relation is not claim.relation:
        slow = len(SLOW)
    late = len(SLOW) + (2 if spared(check, effort) else 1)
    return ORDER[claim.kind], late if check.proves or spared(check, effort) else slow


def spared(check: Check, effort: str) -> bool:
    """Tell whether a check is needless where its claim is proved."""
    return check.spare and effort == "quick"


def asked_for(proposal: Proposal) -> frozenset[str]:
    """Name the guarantees that a proposal asks about even if none of their rules changed.

    It does so with another neighbour relation, or, where it changes nothing, with its universes.
    """
    found = under_another_relation(proposal)
    if not proposal.about.changes:
        universes = proposal.universes
        found |= {claim for claim in PRIVACY for each in universes if concerns(each, claim)}
    return found


def under_another_relation(proposal: Proposal) -> frozenset[str]:
    """Name the guarantees that are decided with a relation that is not the paper's for them."""
    return frozenset(c.id for c in CLAIMS.values() if overridden(c, proposal.relation))


def overridden(claim: Claim, relation: Relation | None) -> bool:
    """Tell whether a proposal asks for a guarantee with another neighbour relation."""
    return (
        relation is not None
        and claim.kind is Kind.GUARANTEE
        and claim.relation is not None
        and claim.relation is not relation
        and applies(relation, claim.id)
    )


def check_relation(proposal: Proposal) -> None:
    """Refuse a neighbour relation that is about no guarantee: nothing would be decided with it."""
    relation = proposal.relation
    if relation is not None and not any(applies(relation, claim) for claim in PRIVACY):
        raise BadInput(
            f"{proposal.about.name}: NEIGHBOURS is about units {relation.units!r} and reports "
            f"{relation.reports!r}, which no guarantee is about"
        )


def load_in_child(request: Request, options: Options) -> Callable[[Trace], object]:
    """Return the work that loads a proposal and says what it is."""

    def work(_: Trace) -> Loaded | BadInput | NotFollowed:
        try:
            proposal = load(request)
            check_relation(proposal)
            checks = checks_for(proposal, options)
        except (BadInput, NotFollowed) as error:
            return error
        except MemoryError:
            return BadInput(f"{request.name}: ran out of memory while it was loaded")
        except RecursionError:
            return BadInput(f"{request.name}: recurses without end while it is loaded")
        named = tuple(
            Planned(
                claim=check.claim,
                check=check.name,
                shape=check.shape,
                proves=check.proves,
                spare=spared(check, options.effort),
            )
            for check in checks
        )
        changed = {name: getattr(proposal.rules, name) for name in proposal.about.changed}
        return Loaded(
            about=proposal.about,
            checks=named,
            overridden=asked_for(proposal),
            another_relation=under_another_relation(proposal),
            listing=listing(proposal.files, changed),
        )

    return work


def check_in_child(
    request: Request, job: Job, options: Options, lemmas: Mapping[str, Finding]
) -> Callable[[Trace], object]:
    """Return the work that runs one check on a proposal's rules, given what lemmas found."""

    def work(trace: Trace) -> Found:
        proposal = load(request, again=True)
        if job.put_back:
            changed = {job.put_back: getattr(PAPER, job.put_back)}
            proposal = replace(proposal, rules=replace(proposal.rules, **changed))
        check = check_for(proposal, options, job)
        return run_guarded(check, proposal, request, job, trace, lemmas)

    return work


def check_for(proposal: Proposal, options: Options, job: Job) -> Check:
    """Return the check of a job; a repair is tried with the same check at quick effort."""
    if job.put_back and options.effort != "deep":
        for check in checks_for(proposal, replace(options, effort="quick")):
            if (check.claim, check.name) == (job.claim, job.check):
                return check
    return checks_for(proposal, options)[job.place]


def run_guarded(
    check: Check,
    proposal: Proposal,
    request: Request,
    job: Job,
    trace: Trace,
    lemmas: Mapping[str, Finding],
) -> Found:
    """Run a check with the changed rules guarded; whatever happens, return a finding."""
    path = request.path or Path(request.name)
    proves = check in CHECKS
    reach = Reach(proposal.files, noted=not proves)
    guard = Guard(path=path, files=proposal.files, twice=not proves, trace=trace, reach=reach)
    rules = guard.around(proposal.rules)
    known = findings_on(rules)
    known.update(lemmas)
    try:
        finding = portable(check.run(rules), request)
        used = check.relation or CLAIMS[check.claim].relation
        finding = replace(finding, relation="" if used is None else used.name)
        if guard.asked:
            again = load(request, again=True) if proposal.repeatable else proposal
            guard.ask_again(again.rules)
    except BaseException as error:
        blame = blamed(error, guard)
        if blame and blame not in (*guard.misbehaved, *guard.exhausted.values()):
            guard.misbehaved.append(blame)
        finding = undecided(job, Reason.MISBEHAVED, blame)
        if not blame:
            finding = undecided(job, Reason.RAISED, f"{told(error)}{where(error)}")
    if tampering := proposal.tampering():
        guard.misbehaved.append(tampering)
    if finding.reason is Reason.RAISED and guard.misbehaved:
        finding = undecided(job, Reason.MISBEHAVED, guard.misbehaved[0])
    return Found(
        finding=finding,
        misbehaved=tuple(guard.misbehaved),
        exhausted=dict(guard.exhausted),
        lemmas={name: each for name, each in known.items() if name not in lemmas},
        reached=reach.reached if decides(finding) else frozenset(),
    )


def decides(finding: Finding) -> bool:
    """Tell whether code that a check has run is code that it has searched whole."""
    shapes = {*GAMES, *CLAIMS[finding.claim].shapes}
    return finding.verdict is Verdict.SEARCHED and finding.shape in shapes


def blamed(error: BaseException, guard: Guard) -> str:
    """Say in one line what the proposal did, if it is the proposal that failed."""
    if isinstance(error, RuleMisbehaved):
        return str(error)
    if isinstance(error, NoEncoding):
        return f"{guard.path}: {error}"
    if isinstance(error, NotReplayable):
        return f"{guard.path}: a rule changes its answer from call to call: {error}"
    if error is guard.refused:
        place = at_line(error.__traceback__, guard.files)
        return f"{guard.path}{place}: rule `{guard.refused_by}` raised {told(error)}"
    place = at_line(error.__traceback__, guard.files)
    return f"{guard.path}{place}: raised {told(error)}" if place else ""


def where(error: BaseException) -> str:
    """Say where in this project an exception came up."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}, line {trace.tb_lineno})"


def undecided(job: Job, reason: Reason, detail: str) -> Finding:
    """Return the finding of a check that could not be finished."""
    evidence = Evidence.ALARM if reason in ALARMS else Evidence.NONE
    return Finding(
        claim=job.claim,
        check=job.check,
        shape=job.planned.shape,
        evidence=evidence,
        reason=reason,
        detail=detail,
    )


def portable(finding: Finding, request: Request) -> Finding:
    """Return the finding as plain data: an attack may hold objects of the proposal's own types."""
    attack = finding.attack
    if isinstance(attack, Tellable):
        to_pytest = getattr(attack, "to_pytest", None)
        path = "" if request.path is None else str(request.path)
        test = to_pytest(path) if callable(to_pytest) else ""
        data = attack.to_json() | {"factor": (finding.counterexample or {}).get("factor", "")}
        attack = AttackRecord(story=attack.story(), data=data, test=str(test))
    numbers = {name: str(value) for name, value in (finding.counterexample or {}).items()}
    return replace(finding, attack=attack, counterexample=numbers)


class Session:
    """Check one proposal: know which jobs are left, and take in what they find."""

    def __init__(self, request: Request, options: Options) -> None:
        self.request, self.options = request, options
        self.started = time.monotonic()
        self.about = About(name=request.name)
        self.overridden: frozenset[str] = frozenset()
        self.another_relation: frozenset[str] = frozenset()
        self.listing = Listing()
        self.loaded = False
        self.bad_input = ""
        self.not_followed = ""
        self.pending: list[Job] = []
        self.running: set[Job] = set()
        self.found: dict[Job, Found] = {}
        self.lemmas: dict[str, Finding] = {}
        self.proofs: dict[str, Job] = {}
        self.repairing = False
        self.printed: dict[int, str] = {}
        self.interrupted = False
        self.total = 0

    @property
    def done(self) -> bool:
        """Tell whether nothing is left to do."""
        return bool(self.bad_input) or (self.loaded and not self.pending and not self.running)

    def next_task(self) -> Task | None:
        """Return the next piece of work, if there is one that can start now."""
        if not self.loaded:
            if self.running:
                return None
            self.started = time.monotonic()
            load = Job(place=-1, planned=Planned(claim="", check="load"))
            self.running.add(load)
            work = load_in_child(self.request, self.options)
            seconds = min(LOAD_SECONDS, self.options.seconds)
            return Assigned(name="load", work=work, seconds=seconds, job=load, session=self)
        job = self._choose()
        if job is None:
            return None
        if not job.helping:
            self.pending.remove(job)
        self.running.add(job)
        lemmas = {} if job.put_back else dict(self.lemmas)
        return Assigned(
            name=job.name,
            work=check_in_child(self.request, job, self.options, lemmas),
            seconds=self.options.seconds,
            call_seconds=min(CALL_SECONDS, self.options.seconds / 2),
            job=job,
            session=self,
        )

    def _choose(self) -> Job | None:
        """Return the job to start: one proof beside the other checks, then the other proofs.

        What can be spared where a claim is proved waits for its proof.
        """
        unproved = {job.claim for job in (*self.pending, *self.running) if job.is_proof}
        others = [
            job
            for job in self.pending
            if not job.is_proof and not (job.planned.spare and job.claim in unproved)
        ]
        if others and (not self.running or any(job.is_proof for job in self.running)):
            return others[0]
        for job in self.pending:
            if job.is_proof:
                chosen = self._first_lemma(job)
                if chosen is not None:
                    return chosen
        return others[0] if others else None

    def _first_lemma(self, job: Job) -> Job | None:
        """Return a proof, or a lemma that it waits for, or nothing while others are running."""
        failed = {x for x, found in self.lemmas.items() if found.verdict is not Verdict.PROVED}
        changed = self.about.changed
        lemmas = () if job.put_back else lemmas_of(job.claim, changed, failed)
        running = {each.claim for each in self.running if each.is_proof}
        missing = [lemma for lemma in lemmas if lemma not in self.lemmas]
        for lemma in missing:
            if lemma not in running:
                asked_for = self.proofs[lemma]
                return asked_for if asked_for in self.pending else replace(asked_for, helping=True)
        busy = missing or (lemmas and any(lemmas_of(claim, changed) for claim in running))
        return None if busy else job

    def take(self, outcome: Outcome, pool: Pool) -> None:
        """Take in how a task ended."""
        assert isinstance(outcome.task, Assigned)
        job = outcome.task.job
        self.running.discard(job)
        if outcome.printed:
            self.printed[job.place] = outcome.printed
        if not self.loaded:
            self._take_loaded(outcome)
            return
        answer = outcome.answer
        if job.put_back:
            if isinstance(answer, Found):
                self.found[job] = answer
            return
        if not isinstance(answer, Found):
            answer = self._unanswered(job, outcome)
        if not answer.finding.seconds:
            timed = replace(answer.finding, seconds=f"{outcome.seconds:.3f}")
            answer = replace(answer, finding=timed)
        self.found[job] = answer
        self._share(job, answer)
        kept = self._kept()
        self._drop(lambda other: needless(other, kept), pool)
        self.plan_repairs()

    def _share(self, job: Job, answer: Found) -> None:
        """Keep what lemmas found, for the proofs that rest on them."""
        if job.is_proof:
            self.lemmas[job.claim] = answer.finding
        if not answer.misbehaved and not answer.exhausted:
            self.lemmas.update(answer.lemmas)
            PROVED.update(
                (lemma, found)
                for lemma, found in answer.lemmas.items()
                if lemma in CLAIMS and self.leaves_alone(lemma) and found.verdict is Verdict.PROVED
            )

    def _kept(self) -> dict[Job, Found]:
        """Return what counts of what was found: nothing that an earlier job made needless."""
        kept: dict[Job, Found] = {}
        for job in sorted(self.found, key=lambda job: (job.place, job.helping)):
            if not job.put_back and not needless(job, kept):
                kept[job] = self.found[job]
        return kept

    def _take_loaded(self, outcome: Outcome) -> None:
        self.loaded = True
        match outcome.answer:
            case Loaded() as loaded:
                self.about, self.overridden = loaded.about, loaded.overridden
                self.another_relation = loaded.another_relation
                self.listing = loaded.listing
                self._plan(loaded)
            case BadInput() as problem:
                self.bad_input = str(problem)
            case NotFollowed() as problem:
                self.not_followed = str(problem)
            case _:
                seconds = f"did not finish loading within {outcome.task.seconds:g} s"
                what = outcome.how or seconds
                self.bad_input = f"{self.request.name}: {what}"

    def _plan(self, loaded: Loaded) -> None:
        jobs = [Job(place=place, planned=each) for place, each in enumerate(loaded.checks)]
        self.pending = [
            job for job in jobs if self.affected(CLAIMS[job.claim]) and self.wanted(job.claim)
        ]
        self.total = len(self.pending)
        self.proofs = {job.claim: job for job in jobs if job.is_proof}
        self.lemmas = {lemma: PROVED[lemma] for lemma in PROVED if self.leaves_alone(lemma)}
        for claim in CLAIMS.keys() - self.proofs.keys():
            lemma = Job(place=-1, planned=Planned(claim=claim, check="proof", proves=True))
            unknown = undecided(lemma, Reason.NOT_RUN, "no proof for these neighbours")
            self.lemmas.setdefault(claim, unknown)

    def leaves_alone(self, claim: str) -> bool:
        """Tell whether no rule that a claim names has changed."""
        return self.about.changed.isdisjoint(CLAIMS[claim].rules)

    def wanted(self, claim: str) -> bool:
        """Tell whether a claim was asked for."""
        return not self.options.only or claim in self.options.only

    def affected(self, claim: Claim) -> bool:
        """Tell whether a claim depends on what changed; all are checked for the paper's own."""
        changed = self.about.changed
        if not changed and not self.overridden:
            return True
        return claim.id in self.overridden or not changed.isdisjoint(claim.rules)

    def _unanswered(self, job: Job, outcome: Outcome) -> Found:
        """Say why a check did not answer."""
        rule = outcome.rule
        who = f"{self.request.name}: rule `{rule}`" if rule else f"{self.request.name}: {job.name}"
        if outcome.ending is Ending.DIED and not rule:
            return Found(finding=undecided(job, Reason.RAISED, f"{who} {outcome.how}"))
        if outcome.ending is Ending.DIED:
            message = f"{who} {outcome.how}"
            finding = undecided(job, Reason.MISBEHAVED, message)
            return Found(finding=finding, misbehaved=(message,))
        if outcome.ending is Ending.HUNG:
            message = f"{who} did not return within {outcome.call_seconds:.0f} s"
        else:
            message = f"{self.request.name}: {job.name} was not finished within "
            message += f"{outcome.task.seconds:g} s"
        finding = undecided(job, Reason.OUT_OF_RESOURCES, message)
        hung = outcome.ending is Ending.HUNG
        return Found(finding=finding, exhausted={rule: message} if hung else {})

    def _drop(self, unwanted: Callable[[Job], bool], pool: Pool) -> None:
        dropped = {job for job in self.running if unwanted(job)}
        self.pending = [job for job in self.pending if not unwanted(job)]
        self.running -= dropped
        pool.stop(
            lambda task: isinstance(task, Assigned) and task.session is self and task.job in dropped
        )

    def plan_repairs(self) -> None:
        """Put back one changed rule at a time, and ask again the checks that refuted."""
        if not self.done or self.repairing:
            return
        self.repairing = True
        fields = sorted(self.about.changed)
        refuting = [
            job
            for job, answer in self._own().items()
            if answer.finding.verdict is Verdict.REFUTED
            and CLAIMS[job.claim].kind is Kind.GUARANTEE
        ]
        self.pending = [
            replace(job, put_back=name)
            for name in fields
            for job in refuting
            if len(fields) > 1 and name in CLAIMS[job.claim].rules
        ]
        self.total += len(self.pending)

    def result(self) -> Result:
        """Put together what has been found so far."""
        rows = [self._claim_result(claim) for claim in CLAIMS.values() if self.wanted(claim.id)]
        kept, related = self._kept(), self._related(rows)
        misbehaved = [line for found in kept.values() for line in found.misbehaved]
        exhausted = [line for found in kept.values() for line in found.exhausted.values()]
        return Result(
            about=self.about,
            claims=() if self.bad_input or self.not_followed or not self.loaded else related,
            effort=self.options.effort,
            seed=self.options.seed,
            seconds=time.monotonic() - self.started,
            bad_input=self.bad_input
            or ("" if self.loaded else f"{self.request.name}: interrupted"),
            not_followed=self.not_followed,
            misbehaved=tuple(dict.fromkeys(misbehaved)),
            exhausted=tuple(dict.fromkeys(exhausted)),
            notes=tuple(self._notes()),
            repairs=tuple(self._repairs()),
            interrupted=self.interrupted,
        )

    def _related(self, rows: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
        """Return the results with what they take from each other."""
        refuted = {row.claim.id for row in rows if row.verdict is Verdict.REFUTED}
        refuted |= {x for x, found in self.lemmas.items() if found.verdict is Verdict.REFUTED}
        fallen = [
            replace(row, refuted_lemmas=refuted_lemmas(row.claim.id, refuted)) for row in rows
        ]
        return with_failed_assumptions(composed(fallen))

    def _notes(self) -> Iterator[str]:
        """Say what else is worth knowing: that the proposal prints."""
        if self.printed:
            first = self.printed[min(self.printed)]
            yield f"{self.request.name}: prints while it runs: {brief_text(first)!r}"

    def _own(self) -> dict[Job, Found]:
        """Return what the jobs found that were asked for."""
        return {job: found for job, found in self._kept().items() if not job.helping}

    def _claim_result(self, claim: Claim) -> ClaimResult:
        if not self.affected(claim):
            return ClaimResult(claim=claim, affected=False, why=why_unaffected(claim))
        mine = [found.finding for job, found in self._own().items() if job.claim == claim.id]
        return ClaimResult(
            claim=claim,
            findings=tuple(mine),
            another_relation=self.about.relation if claim.id in self.another_relation else "",
            own=not (self.about.changes or self.about.relation or self.about.universes),
            blocked=self._blocked(claim),
            unreached=self._unreached(claim, mine),
        )

    def _blocked(self, claim: Claim) -> str:
        """Say why nothing but an attack counts for a claim, if that is so."""
        kept = self._kept().values()
        misbehaved = [line for found in kept for line in found.misbehaved]
        hung = [
            line for found in kept for rule, line in found.exhausted.items() if rule in claim.rules
        ]
        left = {job.claim for job in (*self.pending, *self.running) if not job.put_back}
        unfinished = self.interrupted and claim.id in left
        return next(iter([*misbehaved, *hung, *([Reason.INTERRUPTED.value] * unfinished)]), "")

    def _unreached(self, claim: Claim, findings: Sequence[Finding]) -> str:
        """Say which code of the changed rules no game reached, if a guarantee rests on games.

        All games count: a rule of both clients has code for triggers and code for events.
        """
        if claim.kind is not Kind.GUARANTEE or not any(
            finding.verdict is Verdict.SEARCHED for finding in findings
        ):
            return ""
        reached = frozenset().union(*(found.reached for found in self._own().values()))
        return self.listing.complaint(self.about.changed & set(claim.rules), reached)

    def _repairs(self) -> Iterator[Repair]:
        tried: dict[tuple[str, str], list[Finding]] = {}
        for job in sorted(self.found, key=lambda job: (job.put_back, job.place)):
            if job.put_back:
                tried.setdefault((job.put_back, job.claim), []).append(self.found[job].finding)
        for (name, claim), findings in tried.items():
            result = ClaimResult(claim=CLAIMS[claim], findings=tuple(findings))
            if result.verdict in (Verdict.PROVED, Verdict.SEARCHED):
                yield Repair(field=name, claim=claim, how=f"{result.verdict}: {result.reason}")


def needless(job: Job, earlier: Mapping[Job, Found]) -> bool:
    """Tell whether jobs that come earlier in the plan have made a job needless.

    They have if a rule misbehaved, if a rule that the claim depends on did not return, if there is
    an attack on the claim to show, or if the claim is proved and the job can be spared.
    """
    if job.put_back:
        return False
    for other, found in earlier.items():
        if other.place >= job.place:
            continue
        if found.misbehaved or not found.exhausted.keys().isdisjoint(CLAIMS[job.claim].rules):
            return True
        if other.claim == job.claim and not other.helping:
            proved = found.finding.verdict is Verdict.PROVED
            if found.finding.attack is not None or (proved and job.planned.spare):
                return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned(Task):
    """Be a task that a session has handed out."""

    job: Job
    session: Session


def composed(claims: Sequence[ClaimResult]) -> Sequence[ClaimResult]:
    """Let what is composed hold as far as its parts do, if its own checks leave it open.

    The clients share no state, whatever the rules: each rule is given one client only. So the
    hybrid argument of the proof composes whatever is known of the parts, if it is known for the
    same neighbours.
    """
    if len({each.another_relation for each in claims if each.claim.id in (COMPOSED, *PARTS)}) > 1:
        return claims
    known = {each.claim.id: each.verdict for each in claims}
    kept = (Verdict.PROVED, Verdict.SEARCHED, Verdict.UNAFFECTED)
    if not all(known.get(part) in kept for part in PARTS):
        return claims
    parts = Finding(
        claim=COMPOSED,
        check="parts",
        evidence=Evidence.EXACT_IN_UNIVERSE,
        shape=Shape.SMALL_UNIVERSE,
        method="hybrid of its two parts, summary reports swapped first",
        bound=f"as far as {' and '.join(PARTS)} are searched",
        assumes="the clients share no state",
    )
    return [
        replace(each, findings=(*each.findings, parts), unreached="")
        if each.claim.id == COMPOSED and each.verdict is Verdict.UNKNOWN
        else each
        for each in claims
    ]


def why_unaffected(claim: Claim) -> str:
    """Say why a claim is unaffected by a proposal."""
    if not claim.rules:
        return "it is about fixed functions and depends on no rule"
    return "it depends on none of the changed rules"


@contextmanager
def terminable() -> Iterator[None]:
    """Let a request to terminate end like an interrupt: children are ended, results are printed."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Progress:
    """Show on a terminal what is running."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.started = time.monotonic()
        self.width = 0

    def __call__(self, done: int, total: int, names: Sequence[str]) -> None:
        """Replace the line that is shown."""
        if not self.shown:
            return
        seconds = time.monotonic() - self.started
        line = f"[{done}/{total}] {seconds:.0f} s  {', '.join(names)}"[:79]
        print("\r" + line.ljust(self.width), end="", file=sys.stderr, flush=True)
        self.width = len(line)

    def clear(self) -> None:
        """Remove the line."""
        if self.shown and self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)
            self.width = 0


def run(requests: Sequence[Request], options: Options) -> Iterator[Result]:
    """Check proposals and yield their results in order, each as soon as it is there.

    An interrupt ends the children and yields what has been found until then.
    """
    sessions = [Session(request, options) for request in requests]
    progress = Progress()
    waiting = list(sessions)
    with terminable(), watching(), Pool(options.jobs, options.memory) as pool:
        try:
            while waiting:
                _start(sessions, pool)
                if waiting[0].done:
                    progress.clear()
                    yield waiting.pop(0).result()
                    continue
                outcome = pool.wait(lambda: _tick(progress, sessions, pool))
                if outcome is not None:
                    assert isinstance(outcome.task, Assigned)
                    outcome.task.session.take(outcome, pool)
        except KeyboardInterrupt:
            progress.clear()
            for session in waiting:
                session.interrupted = not session.done
                yield session.result()


def _start(sessions: list[Session], pool: Pool) -> None:
    for session in sessions:
        while pool.has_room and (task := session.next_task()) is not None:
            pool.start(task)


def _tick(progress: Progress, sessions: list[Session], pool: Pool) -> None:
    done = sum(len(session.found) for session in sessions)
    total = sum(session.total for session in sessions)
    progress(done, total, [child.task.name for child in pool.running])
