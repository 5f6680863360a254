"""The schedule: which job of a plan comes next, and which are needless by now.

Every claim is decided. A job may be needless: because of what an earlier job of the plan found, and
never because of one that merely happened to end earlier. So the result does not depend on how many
jobs run side by side, or how quickly. The lemmas on which the proofs of guarantees rest are jobs of
their own, shared by all these proofs; a lemma that depends on no changed rule is proved once for
all proposals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sandproof.families import all_claims, claim_named
from sandproof.jobs import Found, Job, Options, undecided
from sandproof.plan import Loaded
from spec.verdicts import Evidence, Finding, Kind, Reason, Shape, Verdict

PROVED: dict[tuple[str, str], Finding] = {}
"""The lemmas that this process has seen proved for a version, by the version's name and theirs."""


def recall(loaded: Loaded, look_up: Callable[[str], Found | None]) -> None:
    """Look up which lemmas were seen proved on the family's own rules, where that is not known."""
    own = loaded.family.own_name
    for job in loaded.jobs:
        if job.proves and (own, job.claim) not in PROVED:
            found = look_up(job.claim)
            if found is not None and found.finding.verdict is Verdict.PROVED:
                PROVED[own, job.claim] = found.finding


class Schedule:
    """Hand out the jobs of a plan, and keep what they find."""

    def __init__(self, loaded: Loaded, options: Options) -> None:
        self.loaded, self.only = loaded, frozenset(options.only)
        self.pending = [
            job for job in loaded.jobs if loaded.affects(job.claim) and options.asks_for(job.claim)
        ]
        self.running: set[Job] = set()
        self.found: dict[Job, Found] = {}
        self.total = len(self.pending)
        self.proofs = {job.claim: job for job in loaded.jobs if job.proves}
        self.lemmas = {
            lemma: found
            for (version, lemma), found in PROVED.items()
            if version == loaded.version and loaded.leaves_alone(lemma)
        }
        for claim in loaded.family.claims.keys() - self.proofs.keys():
            lemma = Job(place=-1, claim=claim, check="proof", proves=True)
            unknown = undecided(lemma, Reason.NOT_RUN, "no proof for these neighbours")
            self.lemmas.setdefault(claim, unknown)
        self.helped = not self.only
        self.repairing = False

    @property
    def done(self) -> bool:
        """Tell whether nothing is left to do."""
        return not self.pending and not self.running

    def start_next(self) -> Job | None:
        """Return the next job, if there is one that can start now; it counts as running."""
        job = self._choose()
        if job is not None:
            if job in self.pending:
                self.pending.remove(job)
            self.running.add(job)
        return job

    def _choose(self) -> Job | None:
        """Return the job to start: one proof beside the searches, then the other proofs.

        Until the first search has ended there are searches only: what they run is imported first.
        What can be spared where a claim is proved waits for its proof.
        """
        unproved = {job.claim for job in (*self.pending, *self.running) if job.proves}
        searches = [
            job
            for job in self.pending
            if not job.proves and not (job.spare and job.claim in unproved)
        ]
        alone = not self.running or not self.found
        if searches and (alone or any(job.proves for job in self.running)):
            return searches[0]
        for job in self.pending:
            if job.proves:
                chosen = self._first_lemma(job)
                if chosen is not None:
                    return chosen
        return searches[0] if searches else None

    def _first_lemma(self, job: Job) -> Job | None:
        """Return a proof, or a lemma that it waits for, or nothing while others are running."""
        failed = {x for x, found in self.lemmas.items() if found.verdict is not Verdict.PROVED}
        changed = self.loaded.about.changed
        lemmas_of = self.loaded.family.lemmas_of
        lemmas = () if job.put_back else lemmas_of(job.claim, changed, failed)
        rests = not job.put_back and bool(lemmas_of(job.claim, (), ()))
        running = {each.claim for each in self.running if each.proves}
        missing = [lemma for lemma in lemmas if lemma not in self.lemmas]
        for lemma in missing:
            if lemma not in running:
                asked_for = self.proofs[lemma]
                return asked_for if asked_for in self.pending else replace(asked_for, helping=True)
        busy = missing or (rests and any(lemmas_of(claim, (), ()) for claim in running))
        return None if busy else job

    def take(self, job: Job, found: Found) -> set[Job]:
        """Take in what a job found; return the running jobs that this makes needless."""
        self.running.discard(job)
        self.found[job] = found
        dropped: set[Job] = set()
        if not job.put_back:
            self._share(job, found)
            kept = self.kept()
            dropped = {other for other in self.running if needless(other, kept)}
            self.running -= dropped
            self.pending = [other for other in self.pending if not needless(other, kept)]
        if self.done and not self.helped:
            self._plan_lemmas()
        if self.done and not self.repairing:
            self._plan_repairs()
        return dropped

    def put_off(self, job: Job) -> None:
        """Let a job that was begun be the next one."""
        self.running.discard(job)
        self.pending.insert(0, job)

    def give_up(self, job: Job) -> None:
        """Go on without what a job would have found: a repair that was not finished is none."""
        self.running.discard(job)

    def _share(self, job: Job, found: Found) -> None:
        """Keep what lemmas found, for the proofs that rest on them."""
        if job.proves:
            self.lemmas[job.claim] = found.finding
        if not found.misbehaved and not found.exhausted:
            self.lemmas.update(found.lemmas)
            PROVED.update(
                ((self.loaded.version, lemma), each)
                for lemma, each in found.lemmas.items()
                if lemma in all_claims()
                and self.loaded.leaves_alone(lemma)
                and each.verdict is Verdict.PROVED
            )
            PROVED.update(
                ((self.loaded.family.own_name, lemma), each)
                for lemma, each in found.published.items()
            )

    @property
    def published(self) -> dict[str, Finding]:
        """Return the lemmas that are known to be proved on the family's own rules."""
        own = self.loaded.family.own_name
        return {lemma: x for (version, lemma), x in PROVED.items() if version == own}

    def _plan_lemmas(self) -> None:
        """Ask about the lemmas on which the claims rest that were asked for and are not attacked.

        A lemma that falls, or raises an alarm, costs what rests on it, whether it is shown or not.
        """
        self.helped = True
        attacked = {job.claim for job, found in self.own().items() if found.finding.attack}
        family = self.loaded.family
        resting: set[str] = set()
        above = set(self.only - attacked)
        while above:
            lemmas = {lemma for claim in above for lemma in family.rests_on(claim)}
            above = lemmas - resting
            resting |= lemmas
        known = {job.place for job in self.found}
        self.pending = [
            replace(job, helping=True)
            for job in self.loaded.jobs
            if job.claim in resting - self.only
            and job.place not in known
            and self.loaded.affects(job.claim)
        ]
        self.total += len(self.pending)

    def _plan_repairs(self) -> None:
        """Put back one changed rule at a time, and ask again the checks that refuted."""
        self.repairing = True
        fields = sorted(self.loaded.about.changed)
        refuting = [
            job
            for job, found in self.own().items()
            if found.finding.verdict is Verdict.REFUTED
            and claim_named(job.claim).kind is Kind.GUARANTEE
        ]
        self.pending = [
            replace(job, put_back=name)
            for name in fields
            for job in refuting
            if len(fields) > 1 and name in claim_named(job.claim).rules
        ]
        self.total += len(self.pending)

    def kept(self) -> dict[Job, Found]:
        """Return what counts of what was found: nothing that an earlier job made needless."""
        kept: dict[Job, Found] = {}
        for job in sorted(self.found, key=lambda job: (job.place, job.helping)):
            if not job.put_back and not needless(job, kept):
                kept[job] = self.found[job]
        return kept

    def own(self) -> dict[Job, Found]:
        """Return what the jobs found that were asked for."""
        return {job: found for job, found in self.kept().items() if not job.helping}

    def repairs(self) -> dict[tuple[str, str], list[Finding]]:
        """Return what was found with a rule put back, by rule and claim."""
        tried: dict[tuple[str, str], list[Finding]] = {}
        for job in sorted(self.found, key=lambda job: (job.put_back, job.place)):
            if job.put_back:
                tried.setdefault((job.put_back, job.claim), []).append(self.found[job].finding)
        return tried

    def unfinished(self) -> set[str]:
        """Name the claims whose jobs are not all done."""
        return {job.claim for job in (*self.pending, *self.running) if not job.put_back}


def needless(job: Job, earlier: Mapping[Job, Found]) -> bool:
    """Tell whether jobs that come earlier in the plan have made a job needless.

    They have if a rule misbehaved, if a rule that the claim depends on did not return, if there is
    an attack on the claim to show and the job would only search for another, or if the claim is
    proved, or is a lemma and refuted, and the job can be spared. Random runs, which have no
    probabilities to show, are needless after any attack that a search has found.
    """
    # An attack never spares the proof of its claim. So a claim that is attacked and proved has both
    # findings at the end of every run, whichever came first, and `weigh` raises the alarm.
    if job.put_back:
        return False
    for other, found in earlier.items():
        if other.place >= job.place:
            continue
        if found.misbehaved or not found.exhausted.keys().isdisjoint(claim_named(job.claim).rules):
            return True
        if other.claim == job.claim and not other.helping:
            finding = found.finding
            attacked = finding.attack is not None or (
                job.shape is Shape.RANDOM_RUNS
                and finding.evidence is Evidence.ATTACK
                and not other.proves
            )
            decided = finding.verdict is Verdict.PROVED or (
                finding.verdict is Verdict.REFUTED
                and claim_named(job.claim).kind is not Kind.GUARANTEE
            )
            if (attacked and not job.proves) or (decided and job.spare):
                return True
    return False
