"""What a child process does: load a proposal once, then say what it is, or run one check on it.

Rules are functions and do not travel between processes, so each child loads the proposal for
itself. What it answers is plain data. Whatever happens while a check runs, it answers with a
finding, and says who is to blame.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from proofs import findings_on
from properties.observation import NoEncoding
from sandproof.about import Request
from sandproof.calls import Calls
from sandproof.claim_result import PROPOSAL, AttackRecord
from sandproof.families import Family, claim_named, family_named
from sandproof.guard import Guard, RuleMisbehaved
from sandproof.integrity import Unwatched, snapshot
from sandproof.jobs import Found, Job, Options, undecided
from sandproof.plan import Loaded, checks_for, describe
from sandproof.problems import BadInput, NotFollowed, at_line, told
from sandproof.proposal import Proposal, load
from sandproof.reach import Reach
from sandproof.store import users_store
from spec.distributions import NotReplayable
from spec.verdicts import GAMES, Check, Finding, Kind, Reason, Verdict


@runtime_checkable
class Tellable(Protocol):
    """Describe an attack that can be told."""

    def story(self) -> str:
        """Return the attack as text."""
        ...

    def to_json(self) -> dict[str, object]:
        """Return the attack as plain data."""
        ...


def load_in_child(request: Request, options: Options) -> Callable[[Calls], object]:
    """Return the work that loads a proposal and says what it is."""

    def work(_: Calls) -> Loaded | BadInput | NotFollowed | Unwatched:
        try:
            loaded = describe(load(request), options)
            snapshot().refuse_later_imports()
            return loaded
        except (BadInput, NotFollowed, Unwatched) as error:
            return error
        except MemoryError:
            return BadInput(f"{request.name}: ran out of memory while it was loaded")
        except RecursionError:
            return BadInput(f"{request.name}: recurses without end while it is loaded")

    return work


def check_in_child(
    request: Request,
    job: Job,
    options: Options,
    lemmas: Mapping[str, Finding],
    published: Mapping[str, Finding],
) -> Callable[[Calls], object]:
    """Return the work that runs one check on a proposal's rules.

    Given is what lemmas found on these rules, and which are proved on the family's own.
    """

    def work(trace: Calls) -> Found | Unwatched:
        keep_hypothesis_at_home()
        proposal = load(request, again=True)
        if job.put_back:
            nearest = family_named(proposal.about.family).nearest(proposal.rules)
            changed = {job.put_back: getattr(nearest, job.put_back)}
            proposal = replace(proposal, rules=replace(proposal.rules, **changed))
        check = check_of_job(proposal, options, job)
        if check.proves:
            findings_on(family_named(proposal.about.family).own).update(published)
        try:
            return run_guarded(check, proposal, request, job, trace, lemmas)
        except Unwatched as later:
            return later

    return work


def keep_hypothesis_at_home() -> None:
    """Let Hypothesis, if it is imported, not write into the folder where the user happens to be."""
    folder, configuration = users_store(), sys.modules.get("hypothesis.configuration")
    if folder is not None and configuration is not None:
        configuration.set_hypothesis_home_dir(folder / "hypothesis")


def check_of_job(proposal: Proposal, options: Options, job: Job) -> Check:
    """Return the check of a job; a repair is tried with the same check at quick effort."""
    wanted = job.claim, job.check
    if job.put_back and options.effort != "deep":
        quick = checks_for(proposal, replace(options, effort="quick"))
        if wanted in quick:
            return quick[wanted]
    return checks_for(proposal, options)[wanted]


def run_guarded(
    check: Check,
    proposal: Proposal,
    request: Request,
    job: Job,
    trace: Calls,
    lemmas: Mapping[str, Finding],
) -> Found:
    """Run a check with the changed rules guarded; whatever happens, return a finding."""
    path = request.path or Path(request.name)
    reach = Reach(proposal.files, noted=not check.proves)
    twice = not check.proves
    guard = Guard(path=path, files=proposal.files, twice=twice, trace=trace, reach=reach)
    rules = guard.around(proposal.rules)
    # Searches rest on no lemma, and do without what proofs import.
    known = findings_on(rules) if check.proves else {}
    known.update(lemmas)
    try:
        finding = portable(check.run(rules))
        relation = check.relation or claim_named(check.claim).relation
        name = "" if relation is None else relation.name
        finding = replace(finding, check=job.check, relation=name, named=job.named)
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
    behaved = not guard.misbehaved and not guard.exhausted
    return Found(
        finding=finding,
        misbehaved=tuple(guard.misbehaved),
        exhausted=dict(guard.exhausted),
        lemmas={name: each for name, each in known.items() if name not in lemmas},
        published=proved_on_own(family_named(proposal.about.family))
        if behaved and check.proves
        else {},
        reached=reach.reached if decides(finding) else frozenset(),
    )


def proved_on_own(family: Family) -> dict[str, Finding]:
    """Return the lemmas that are known to be proved on the own rules of a family."""
    return {
        claim: found
        for claim, found in findings_on(family.own).items()
        if claim in family.claims
        and family.claims[claim].kind is not Kind.GUARANTEE
        and found.verdict is Verdict.PROVED
    }


def decides(finding: Finding) -> bool:
    """Tell whether code that a check has run is code that it has searched whole."""
    shapes = {*GAMES, *claim_named(finding.claim).shapes}
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


def portable(finding: Finding) -> Finding:
    """Return the finding as plain data: an attack may hold objects of the proposal's own types."""
    attack = finding.attack
    if isinstance(attack, Tellable):
        to_pytest = getattr(attack, "to_pytest", None)
        test = to_pytest(PROPOSAL) if callable(to_pytest) else ""
        data = attack.to_json() | {"factor": (finding.counterexample or {}).get("factor", "")}
        attack = AttackRecord(story=attack.story(), data=data, test=str(test))
    numbers = {name: str(value) for name, value in (finding.counterexample or {}).items()}
    return replace(finding, attack=attack, counterexample=numbers)
