"""One proposal on its way to a result: its tasks for the pool, and what becomes of the answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from sandproof import combine
from sandproof.about import About, Request
from sandproof.children import check_in_child, load_in_child
from sandproof.families import Family, all_claims, family_named
from sandproof.integrity import Unwatched, snapshot, watch_everything
from sandproof.jobs import Found, Job, Options, undecided
from sandproof.plan import Loaded
from sandproof.problems import BadInput, NotFollowed, brief_text
from sandproof.processes import Ending, Outcome, Pool, Task
from sandproof.result import Result, deciding
from sandproof.schedule import Schedule, recall
from sandproof.store import Store, digest_of, lasting
from spec.verdicts import Evidence, Reason

LOAD_SECONDS = 10.0
CALL_SECONDS = 10.0


class Case:
    """Load a proposal, plan and run its jobs, and combine what they find."""

    def __init__(self, request: Request, options: Options) -> None:
        self.request, self.options = request, options
        self.started = time.monotonic()
        self.loading = False
        self.schedule: Schedule | None = None
        self.bad_input = ""
        self.not_followed = ""
        self.printed: dict[int, str] = {}
        self.gave_up = False
        self.store = Store(options.store)
        for name in mentioned_families(request):
            family_named(name)

    @property
    def done(self) -> bool:
        """Tell whether nothing is left to do."""
        refused = bool(self.bad_input or self.not_followed)
        return refused or (self.schedule is not None and self.schedule.done)

    @property
    def counts(self) -> tuple[int, int]:
        """Return how many jobs are done, and how many there are in all."""
        return (len(self.schedule.found), self.schedule.total) if self.schedule else (0, 0)

    @property
    def is_refuted(self) -> bool:
        """Tell whether it is certain that the verdict will be refuted, whatever else is found.

        An attack counts if no job that comes earlier in the plan is left: such a job could still
        make what a later one found needless.
        """
        if self.schedule is None:
            return False
        jobs = (*self.schedule.pending, *self.schedule.running)
        first_left = min((job.place for job in jobs if not job.put_back), default=None)
        attacked = {
            job.claim
            for job, found in self.schedule.own().items()
            if found.finding.evidence is Evidence.ATTACK
            and (first_left is None or job.place < first_left)
        }
        loaded = self.schedule.loaded
        asked_for = [x for x in loaded.family.claims.values() if self.options.asks_for(x.id)]
        return any(claim.id in attacked for claim in deciding(asked_for, loaded.about.own))

    def next_task(self) -> Assigned | None:
        """Return the next piece of work, if there is one that can start now."""
        if self.done:
            return None
        if self.schedule is None:
            return None if self.loading else self._load()
        job = self.schedule.start_next()
        if job is None:
            return None
        lemmas = {} if job.put_back else dict(self.schedule.lemmas)
        digest = self.digest(job)
        return Assigned(
            name=job.name,
            work=check_in_child(self.request, job, self.options, lemmas, self.schedule.published),
            seconds=self.options.seconds,
            call_seconds=min(CALL_SECONDS, self.options.seconds / 2),
            case=self,
            job=job,
            digest=digest,
            known=self.store.get(digest),
        )

    def digest(self, job: Job) -> str:
        """Return under what the finding of a job is kept."""
        assert self.schedule is not None
        about = f"{self.request.name} {self.schedule.loaded.digest}"
        shared = self.schedule.loaded.version
        return digest_of(job, self.options, shared if self._is_shared(job) else about)

    def _is_shared(self, job: Job) -> bool:
        """Tell whether a job is a proof about rules that the proposal leaves alone.

        Then what it finds is the same for all proposals.
        """
        assert self.schedule is not None
        alone = self.schedule.loaded.leaves_alone(job.claim)
        return job.proves and not job.put_back and alone

    def begin(self, task: Assigned, pool: Pool) -> None:
        """Start a task, or take in at once what is known."""
        if task.known is None:
            if task.job is not None and not task.job.is_quick:
                watch_everything()
            pool.start(replace(task, partly_watched=not snapshot().everything))
        else:
            self.take(Outcome(task=task, ending=Ending.ANSWERED, answer=task.known), pool)

    def _load(self) -> Assigned:
        self.loading, self.started = True, time.monotonic()
        work = load_in_child(self.request, self.options)
        seconds = min(LOAD_SECONDS, self.options.seconds)
        return Assigned(name="load", work=work, seconds=seconds, case=self)

    def take(self, outcome: Outcome, pool: Pool) -> None:
        """Take in how a task ended, and end what it makes needless."""
        assert isinstance(outcome.task, Assigned)
        job = outcome.task.job
        if isinstance(outcome.answer, Unwatched) and outcome.task.partly_watched:
            self._start_again(job)
            return
        if outcome.printed:
            self.printed[-1 if job is None else job.place] = outcome.printed
        if job is None:
            self._take_loaded(outcome)
            return
        assert self.schedule is not None
        found = outcome.answer
        if job.put_back and not isinstance(found, Found):
            self.schedule.give_up(job)
            self.gave_up = True
            return
        if not isinstance(found, Found):
            found = unanswered(self.request.name, job, outcome)
        if not found.finding.seconds:
            timed = replace(found.finding, seconds=f"{outcome.seconds:.3f}")
            found = replace(found, finding=timed)
        if not found.stored and not outcome.printed:
            self._keep(outcome.task.digest, job, found)
        dropped = self.schedule.take(job, found)
        pool.stop(
            lambda task: isinstance(task, Assigned) and task.case is self and task.job in dropped
        )

    def _start_again(self, job: Job | None) -> None:
        """Let a task be begun once more, with everything watched."""
        watch_everything()
        if job is None:
            self.loading = False
        else:
            assert self.schedule is not None
            self.schedule.put_off(job)

    def _keep(self, digest: str, job: Job, found: Found) -> None:
        """Keep what a job found; what is the same for all proposals rests on nothing else."""
        assert self.schedule is not None
        if self._is_shared(job):
            alone = self.schedule.loaded.leaves_alone
            known = all_claims()
            lemmas = {x: lemma for x, lemma in found.lemmas.items() if x in known and alone(x)}
            found = replace(found, lemmas=lemmas)
        self.store.put(digest, found)
        for lemma, finding in found.published.items():
            if lemma not in self.schedule.published:
                digest = self._published(self.schedule.loaded.family, lemma)
                self.store.put(digest, Found(finding=finding))

    def _published(self, family: Family, lemma: str) -> str:
        """Return under what is kept that a lemma is proved on the family's own rules."""
        job = Job(place=-1, claim=lemma, check="proof", proves=True)
        return digest_of(job, self.options, family.own_name)

    def _take_loaded(self, outcome: Outcome) -> None:
        match outcome.answer:
            case Loaded() as loaded:
                family = loaded.family
                recall(loaded, lambda lemma: self.store.get(self._published(family, lemma)))
                self.schedule = Schedule(loaded, self.options)
            case BadInput() as problem:
                self.bad_input = str(problem)
            case NotFollowed() as problem:
                self.not_followed = str(problem)
            case _:
                late = f"did not finish loading within {outcome.task.seconds:g} s"
                self.bad_input = f"{self.request.name}: {outcome.how or late}"

    def result(self, interrupted: bool = False) -> Result:
        """Combine what has been found so far."""
        result = Result(
            about=About(name=self.request.name, family=self.request.family),
            effort=self.options.effort,
            seed=self.options.seed,
            seconds=time.monotonic() - self.started,
            bad_input=self.bad_input,
            not_followed=self.not_followed,
            notes=tuple(self._notes()),
            interrupted=interrupted,
            only=self.options.only,
        )
        if self.schedule is None:
            return result
        every = self.schedule.loaded.family.claims.values()
        claims = [claim for claim in every if self.options.asks_for(claim.id)]
        kept = self.schedule.kept().values()
        misbehaved = [line for found in kept for line in found.misbehaved]
        exhausted = [line for found in kept for line in found.exhausted.values()]
        combined = replace(
            result,
            about=self.schedule.loaded.about,
            claims=combine.claim_results(self.schedule, claims, interrupted),
            misbehaved=tuple(dict.fromkeys(misbehaved)),
            exhausted=tuple(dict.fromkeys(exhausted)),
            repairs=tuple(combine.repairs(self.schedule)),
            files=self.schedule.loaded.files,
        )
        return replace(combined, lasting=self._is_lasting(combined))

    def _is_lasting(self, result: Result) -> bool:
        """Tell whether the same would be found the next time, and nothing has to be looked into."""
        assert self.schedule is not None
        quiet = not (self.printed or self.gave_up or result.interrupted or result.alarms)
        return self.done and quiet and all(map(lasting, self.schedule.found.values()))

    def _notes(self) -> Iterator[str]:
        """Say what else is worth knowing: that the proposal prints, what was found before."""
        if self.printed:
            first = self.printed[min(self.printed)]
            yield f"{self.request.name}: prints while it runs: {brief_text(first)!r}"
        if self.schedule and (known := sum(x.stored for x in self.schedule.found.values())):
            every = len(self.schedule.found)
            yield f"{known} of {every} findings come from the store; --no-cache asks again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned(Task):
    """Be a task that a case has handed out: to load its proposal, or to do a job.

    `known` is what an earlier run found, if that was kept under the `digest`. One that is
    `partly_watched` was begun before everything was written down.
    """

    case: Case
    job: Job | None = None
    digest: str = ""
    known: Found | None = None
    partly_watched: bool = False


def unanswered(name: str, job: Job, outcome: Outcome) -> Found:
    """Say why a check did not answer: who hung, crashed or ran out of time."""
    rule = outcome.rule
    who = f"{name}: rule `{rule}`" if rule else f"{name}: {job.name}"
    if outcome.ending is Ending.DIED:
        message = f"{who} {outcome.how}"
        if not rule:
            return Found(finding=undecided(job, Reason.RAISED, message))
        return Found(finding=undecided(job, Reason.MISBEHAVED, message), misbehaved=(message,))
    if outcome.ending is Ending.HUNG:
        message = f"{who} did not return within {outcome.call_seconds:.0f} s"
        finding = undecided(job, Reason.OUT_OF_RESOURCES, message)
        return Found(finding=finding, exhausted={rule: message})
    message = f"{name}: {job.name} was not finished within {outcome.task.seconds:g} s"
    return Found(finding=undecided(job, Reason.OUT_OF_RESOURCES, message))


def mentioned_families(request: Request) -> Iterator[str]:
    """Name the families whose rules a request may be about, as far as a glance tells.

    What they bring is imported before proposals are run; what is missing then, only later.
    """
    yield request.family
    with suppress(OSError):
        if request.path is not None and b"level1" in request.path.read_bytes():
            yield "w3c"
