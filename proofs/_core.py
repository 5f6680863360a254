r"""What a proposal has put around the rules of the paper: the rules that are left without it.

A rule that only stands between the ad-tech and another rule gives the ad-tech nothing that it could
not compute by itself. The *core* of a proposal is its rules without such additions:

- `reveal` and `answer`, if what they show is computed from what is released and from public data,
  where `answer` asks the paper's `answer` for the charged batch, at most once;
- `serve`, if it asks the paper's `serve`, any number of times, always with the state that the last
  answer left, and keeps that state, to which it may add what is public;
- `settle`, if it refuses in public, or leaves the charges to the paper's `settle`, or charges one
  report after the other, as `proofs/_settled.py` says;
- `charge`, if it refuses in public, or is the paper's and notes something, as
  `proofs/_charged.py` says;
- `batch`, if it selects reports in public and leaves it to the paper's `batch` to make it a set;
- `totals`, if every contribution adds at most its value, by itself, as `proofs/_totals.py` says;
- `register_source` and `register_event_source`, as `proofs/_registering.py` says;
- `attribute`, `propose`, `contribute`, `admit`, `send`, `event_matches`, `event_attribute`,
  `register_event_trigger`, `pass_windows` and `event_visible`, as `proofs/_clients.py` says;
- `budget_entries`, if the entries of a report are what is written on it, its contents left out, and
  limits and constants, all as they are, or whole numbers computed from its identifier, so that they
  equal those of every other query: what a report took part in is then counted under each entry.
  Further entries may depend on the time: they refuse more, in public;
- a rule that is the paper's own function, written down again.

An adversary who talks to the core can do by itself whatever the additions do: ask less, ask for
other reports, show less, remember what was shown, toss coins. So if the core is private, the rules
are. What is public is the same with and without a unit: the query, the time, the limits, the number
and the identifiers of the reports, what was released, and the state of the service, whose ledger is
by abort_does_not_depend_on_attribution. Which values are public is decided by `proofs/_flow.py` on
the code of the rules, for all values and all lengths. A rule that raises is no rule.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter_ns
from types import FunctionType
from typing import cast

from immutables import Map

from proofs import _clients, _registering
from proofs._asked import asked_by
from proofs._charged import CHARGED_OR_REFUSED, SPENT, AroundCharge
from proofs._flow import read, returned, unclean, unguarded
from proofs._followed import _immutable
from proofs._instructions import Code, steps_of
from proofs._labels import (
    DRAW,
    NO_MEMBER,
    PUBLIC,
    Label,
    NotFollowed,
    NotPublic,
    Pack,
    Policy,
    Several,
    is_public,
)
from proofs._proof import Proof, Step, StepResult
from proofs._rewritten import rewritten
from proofs._served import (
    AT,
    BATCH,
    CURRENT,
    FILED,
    FILING,
    NAMED,
    REPORT,
    AroundAnswer,
    AroundBatch,
    AroundFiling,
    AroundServe,
    AtTheService,
    changes,
    computing,
)
from proofs._settled import LISTED, WAYS, AroundSettle, are_listed
from proofs._single import GRANTED_ALONE, SENT_ALONE
from proofs._totals import SUMS, AroundTotals, statements_on, two_loops
from spec import PAPER, Rules
from spec.aggregation_service import (
    Answer,
    Ledger,
    Outcome,
    Service,
    Spent,
    charge,
    distinct_reports,
    settle,
)
from spec.attribution_client import AttributionClient, Source, attribute, register_source
from spec.contributions import Budget, Budgets, Credit, Unit, admit, contribute, send
from spec.distributions import Draw
from spec.event_client import (
    EventClient,
    EventReport,
    EventSource,
    SourceRecord,
    event_attribute,
    event_matches,
    pass_windows,
    register_event_source,
)
from spec.lemmas import SERVICE
from spec.private_aggregation_client import AggregationClient, propose
from spec.reports import Contribution, Key, Report, Sent
from spec.rules import (
    AtContribution,
    AtEvent,
    AtEventSource,
    AtEventTrigger,
    AtService,
    AtSource,
    AtTrigger,
    AtWindows,
    Initial,
)


@dataclass(frozen=True, kw_only=True)
class Around(Step[Rules]):
    """State that a rule is the paper's with nothing around it but what an adversary could do."""

    name: str
    rule: str
    arguments: tuple[Label, ...]
    policy: Callable[[], Policy]
    allowed: tuple[Label, ...] = (PUBLIC,)

    def decide(self, subject: Rules) -> StepResult:
        """Follow the code of the rule; what is not public and reaches what is seen disproves."""
        start, reason, leaks = perf_counter_ns(), "", False
        try:
            self.follow(subject)
        except NotFollowed as error:
            reason = str(error)
        except NotPublic as error:
            reason, leaks = str(error), True
        return StepResult(
            name=self.name,
            verdict="UNKNOWN" if reason else "PROVED",
            by=("flow",),
            seconds=Fraction(perf_counter_ns() - start, 10**9),
            reason=reason,
            disproved=leaks,
        )

    def follow(self, subject: Rules) -> None:
        """Raise what cannot be followed, or tells more than an adversary could know."""
        rule = getattr(subject, self.rule)
        if rule is getattr(PAPER, self.rule):
            return
        for found in returned(unguarded(rule), self.arguments, self.policy_for(subject)):
            if not self.allows(found):
                raise NotPublic(f"{self.rule} returns {_told(found)}")

    def policy_for(self, _: Rules) -> Policy:
        """Return what may be done with labels, beside the other rules."""
        return self.policy()

    def allows(self, found: Label) -> bool:
        """Tell whether a rule may return a value with this label."""
        return any(_is(found, way) for way in self.allowed)


@dataclass(frozen=True, kw_only=True)
class AroundEntries(Around):
    """State that a report has an entry, the same in every query, and contents are part of none."""

    def follow(self, subject: Rules) -> None:
        """Raise what the rule computes: it may not compare as equal in another query."""
        rule = unguarded(subject.budget_entries)
        if rule is PAPER.budget_entries or type(rule) is not FunctionType:
            return super().follow(subject)
        where = f"in the entries of a report, from line {rule.__code__.co_firstlineno}"
        computed = computing(read(rule))
        if computed:
            raise NotFollowed(f"{computed} {where}")
        try:
            super().follow(subject)
        except NotFollowed as error:
            raise NotFollowed(f"{error} {where}") from error

    def allows(self, found: Label) -> bool:
        """Ask for one entry at least that is the same at every time."""
        fixed = isinstance(found, Pack) and not all(map(changes, found.members))
        return fixed and is_public(found)


@dataclass(frozen=True, kw_only=True)
class AroundSend(Around):
    """State that the paper's report leaves once, or does not."""

    def follow(self, subject: Rules) -> None:
        """Where the paper grants one contribution at a time, the report may hold zeros beside."""
        try:
            self._follow_report(subject)
        except (NotFollowed, NotPublic) as error:
            if not _are_papers(subject, (*CONTRIBUTING, "contribute")):
                raise
            _show(SENT_ALONE, subject, error)

    def _follow_report(self, subject: Rules) -> None:
        """Raise a loop inside of a loop, in which a report could leave twice."""
        super().follow(subject)
        rule = unguarded(subject.send)
        if rule is PAPER.send or type(rule) is not FunctionType:
            return
        if loops_in(read(rule)) > 1:
            raise NotFollowed(f"loops in which a report could leave twice in {rule.__name__}")


def loops_in(code: Code) -> int:
    """Count the loops in code, and in the functions inside of it."""
    return sum(step.opname == "FOR_ITER" for step in steps_of(code))


@dataclass(frozen=True, kw_only=True)
class AroundSums(Around):
    """State that every contribution adds to the sum of its key by itself, at most its value."""

    def follow(self, subject: Rules) -> None:
        """Raise another shape of the code, or what one contribution adds that is too much."""
        rule = unguarded(subject.totals)
        if rule is PAPER.totals:
            return
        if type(rule) is not FunctionType:
            raise NotFollowed("a rule that is not a plain function")
        two_loops(read(rule))
        policy = AroundTotals()
        if returned(rule, self.arguments, policy) != (SUMS,):
            raise NotFollowed("totals returns something else than the sums")
        for statement in statements_on(policy.asked):
            found = statement.decide(subject)
            if found.verdict != "PROVED":
                disproved = found.verdict == "REFUTED"
                raise (NotPublic if disproved else NotFollowed)(str(found))


@dataclass(frozen=True, kw_only=True)
class AroundAttribute(Around):
    """State that a trigger is credited to registered sources, in the order of attempts or not."""

    def policy_for(self, subject: Rules) -> Policy:
        """Let the order of attempts be one of the sources, if it is the paper's."""
        return _clients.Deciding(subject.attempt_order is PAPER.attempt_order)


@dataclass(frozen=True, kw_only=True)
class AroundContribute(Around):
    """State that each credit is granted by itself, or that there is one, and it is or is not."""

    def follow(self, subject: Rules) -> None:
        """Where nothing but the paper decides, there is one credit at a time."""
        try:
            super().follow(subject)
        except (NotFollowed, NotPublic):
            if not _are_papers(subject, DECIDING):
                raise
            self._follow_one(subject)

    def _follow_one(self, subject: Rules) -> None:
        """Where it also says what is contributed, there is one contribution at a time."""
        try:
            ONE_CREDIT.follow(subject)
        except (NotFollowed, NotPublic) as error:
            if not _are_papers(subject, CONTRIBUTING):
                raise
            _show(GRANTED_ALONE, subject, error)


DECIDING = ("attribute", "propose")
"""The rules that say who is credited."""

CONTRIBUTING = (*DECIDING, "contributions", "run_program")
"""The rules that say who is credited with what; the paper's know one contribution at a time."""


def _show(
    statements: tuple[Step[Rules], ...], subject: Rules, error: NotFollowed | NotPublic
) -> None:
    """Decide statements in the place of a rule that could not be followed."""
    for statement in statements:
        found = statement.decide(subject)
        if found.verdict != "PROVED":
            raise type(error)(f"{error}; {found}") from error


def _are_papers(subject: Rules, names: tuple[str, ...]) -> bool:
    return all(getattr(subject, each) is getattr(PAPER, each) for each in names)


def _is(found: Label, way: Label) -> bool:
    """Tell whether a label is one that may be returned; what may be public may be any such."""
    if isinstance(way, Several) and way.member == _clients.CREDITED:
        members = found.members if isinstance(found, Pack) else (found,)
        if isinstance(found, Several):
            members = (found.member,)
        return all(each in (way.member, NO_MEMBER) for each in members)
    if isinstance(way, Several) and way.member == LISTED:
        return are_listed(found)
    if isinstance(way, Several) and way.member == _clients.SENT:
        return isinstance(found, Several) and found.member in (way.member, NO_MEMBER)
    if isinstance(found, Pack) and isinstance(way, Pack):
        pairs = zip(found.members, way.members, strict=False)
        return len(found.members) == len(way.members) and all(_is(a, b) for a, b in pairs)
    return is_public(found) if way == PUBLIC else found == way


def _told(label: Label) -> str:
    if isinstance(label, Pack):
        return f"({', '.join(map(_told, label.members))})"
    return label.what


@dataclass(frozen=True, kw_only=True)
class Beginning(Step[Rules]):
    """State that clients begin as the paper's do, and the service with an empty ledger.

    A client of another type may hold more, if no rule of clients is left that could look at it. So
    may a service, if none is left of the rules that are run with a service of their own: put on the
    paper's, they would be judged in a state in which they never are.
    """

    name: str

    def decide(self, subject: Rules) -> StepResult:
        """Compare the states, but for what clients and a service of other types hold beside."""
        start = perf_counter_ns()
        begins = type(subject.initial) is Initial and self._begins(subject)
        why = self._is_run_with_more(subject) if begins else BEGINS_WITH_SOMETHING
        return StepResult(
            name=self.name,
            verdict="UNKNOWN" if why else "PROVED",
            by=("flow",),
            seconds=Fraction(perf_counter_ns() - start, 10**9),
            reason=why,
            disproved=not begins,
        )

    def _begins(self, subject: Rules) -> bool:
        initial, paper = subject.initial, PAPER.initial
        clients = [f.name for f in dataclasses.fields(Initial) if f.name != "service"]
        more = [name for name in clients if getattr(initial, name) is not getattr(paper, name)]
        alone = all(getattr(subject, each) is getattr(PAPER, each) for each in ON_DEVICES)
        if more and not (alone and all(_extends(initial, name) for name in more)):
            return False
        plain = isinstance(initial.service, Service) and _immutable(initial.service)
        return plain and not initial.service.ledger

    def _is_run_with_more(self, subject: Rules) -> str:
        """Say which rules are left that are run with a service that holds more, if any."""
        left = [name for name in AT_SERVICE if getattr(subject, name) is not getattr(PAPER, name)]
        if type(subject.initial.service) is Service or not left:
            return ""
        return f"the service begins with more, and {', '.join(left)} is run with it"


BEGINS_WITH_SOMETHING = "a client or the service begins with something"

AT_SERVICE = ("batch", "settle", "answer", "reveal", "serve")
"""The rules of the service that are run with the service itself, not with a hidden one."""


HELPING_TO_DECIDE = ("matches", "attempt_order", "contributions", "run_program")
"""The rules that a proof leaves free: what they answer is decided once, for both worlds."""

ON_DEVICES = tuple(
    each.name
    for each in dataclasses.fields(Rules)
    if each.name not in ("limits", "initial", *SERVICE, *HELPING_TO_DECIDE)
)
"""The rules of clients, but for those that a proof leaves free."""


def _extends(initial: Initial, name: str) -> bool:
    """Tell whether a client is the paper's, with something beside."""
    client, paper = getattr(initial, name), getattr(PAPER.initial, name)
    if not isinstance(client, type(paper)) or not _immutable(client):
        return False
    names = (each.name for each in dataclasses.fields(paper))
    return all(getattr(client, each) == getattr(paper, each) for each in names)


ONE_CREDIT = Around(
    name="a single credit is granted as in the paper, or not at all",
    rule="contribute",
    arguments=(_clients.ADMITTING, Several("the credits", _clients.ONE_CREDIT)),
    policy=_clients.AdmittingOne,
    allowed=_clients.GRANTED_OR_NOT,
)

AROUND: dict[str, Step[Rules]] = {
    "reveal": Around(
        name="what is revealed is computed from what is released and from public data",
        rule="reveal",
        arguments=(AT, BATCH, PUBLIC),
        policy=AtTheService,
    ),
    "answer": Around(
        name="an answer is computed from what the paper's answer releases for one charge",
        rule="answer",
        arguments=(AT, BATCH, DRAW),
        policy=AroundAnswer,
    ),
    "serve": Around(
        name="the service keeps the ledger, and what else it keeps and shows is public",
        rule="serve",
        arguments=(AT, NAMED, DRAW),
        policy=AroundServe,
        allowed=(Pack("served", (CURRENT, PUBLIC)),),
    ),
    "settle": Around(
        name="a batch is refused in public, or charged as in the paper or report by report",
        rule="settle",
        arguments=(AT, BATCH),
        policy=AroundSettle,
        allowed=WAYS,
    ),
    "charge": Around(
        name="an entry is charged as in the paper, and more may be refused in public",
        rule="charge",
        arguments=(AT, SPENT, REPORT),
        policy=AroundCharge,
        allowed=CHARGED_OR_REFUSED,
    ),
    "batch": Around(
        name="the reports of a batch are selected in public, and are a set",
        rule="batch",
        arguments=(AT, NAMED),
        policy=AroundBatch,
        allowed=(BATCH,),
    ),
    "totals": AroundSums(
        name="a contribution adds at most its value to the sum of its key, whatever else is there",
        rule="totals",
        arguments=(AT, BATCH),
        policy=AroundTotals,
    ),
    "attribute": AroundAttribute(
        name="a trigger is credited to registered sources",
        rule="attribute",
        arguments=(_clients.SEEN, DRAW),
        policy=_clients.Deciding,
        allowed=(_clients.DECIDED,),
    ),
    "propose": Around(
        name="an event is credited to its own unit",
        rule="propose",
        arguments=(_clients.SEEN, DRAW),
        policy=_clients.Proposing,
        allowed=(_clients.DECIDED,),
    ),
    "admit": Around(
        name="what is admitted is counted as in the paper, and more may be refused",
        rule="admit",
        arguments=(_clients.ONE_PART, _clients.UNIT, _clients.SPENT, _clients.PART),
        policy=_clients.AdmittingPart,
        allowed=_clients.ADMITTED_OR_NOT,
    ),
    "send": AroundSend(
        name="the paper's report is sent, as is decided in public",
        rule="send",
        arguments=(_clients.SENDING, _clients.ALL_GRANTED),
        policy=_clients.Sending,
        allowed=_clients.SENT_OR_NOT,
    ),
    "budget_entries": AroundEntries(
        name="a report has an entry, the same in every query, and all entries whatever it holds",
        rule="budget_entries",
        arguments=(FILING, FILED),
        policy=AroundFiling,
    ),
    "contribute": AroundContribute(
        name="each credit is granted by itself, as in the paper or within its unit's own budget",
        rule="contribute",
        arguments=(_clients.ADMITTING, Several("the credits", _clients.CREDIT)),
        policy=_clients.Admitting,
        allowed=(_clients.GRANTED,),
    ),
    "register_source": Around(
        name="a source is registered as in the paper, as it is or changed in public, or not at all",
        rule="register_source",
        arguments=(_registering.REGISTERING, _registering.GIVEN),
        policy=_registering.Registering,
        allowed=(_registering.REGISTERED, _registering.KEEPER),
    ),
    "register_event_source": Around(
        name="an event-level source is registered as in the paper, as it is or changed in public",
        rule="register_event_source",
        arguments=(_registering.REGISTERING, _registering.GIVEN, DRAW),
        policy=_registering.RegisteringEvents,
        allowed=(_registering.REGISTERED, _registering.KEEPER),
    ),
    "event_matches": Around(
        name="which source may take a trigger does not depend on drawn responses",
        rule="event_matches",
        arguments=(_clients.TRIGGERED, _clients.RECORD),
        policy=_clients.Matching,
    ),
    "event_attribute": Around(
        name="which sources are credited with a trigger does not depend on drawn responses",
        rule="event_attribute",
        arguments=(_clients.TRIGGERED,),
        policy=_clients.Crediting,
    ),
    "register_event_trigger": Around(
        name="a trigger is counted as in the paper, and what else is noted is no drawn response",
        rule="register_event_trigger",
        arguments=(_clients.TRIGGERED, _clients.UNITS),
        policy=_clients.Counting,
        allowed=(_clients.RECORDS_AFTER,),
    ),
    "pass_windows": Around(
        name="what windows send is computed from the paper's reports and from what is registered",
        rule="pass_windows",
        arguments=(_clients.PASSING, _clients.SINCE, DRAW),
        policy=_clients.Passing,
        allowed=(Pack("passed", (_clients.SOURCES_AFTER, PUBLIC)),),
    ),
    "event_visible": Around(
        name="an event-level report is shown as the ad-tech could compute it",
        rule="event_visible",
        arguments=(_clients.PASSED, PUBLIC),
        policy=_clients.Passing,
    ),
}
"""What may be put around each rule."""

BEGINNING = Beginning(name="the service begins with an empty ledger, and no client with records")


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Hold the rules without what was put around them, and why some of that could not be taken off.

    `steps` are those of what was taken off. `unclean` says of rules that changed why nothing can be
    said of what they return.
    """

    rules: Rules
    steps: tuple[StepResult, ...]
    kept: dict[str, str]
    unclean: dict[str, str]


def _inside(rule: object) -> object:
    """Return the function that a guard or partial arguments were put around."""
    while type(rule := unguarded(rule)) is functools.partial:
        rule = cast("functools.partial[object]", rule).func
    return rule


def core_of(rules: Rules) -> Core:
    """Take off the rules what was put around them."""
    core = rewritten(rules)
    functions = {
        field.name: rule
        for field in dataclasses.fields(Rules)
        if getattr(rules, field.name) is not getattr(PAPER, field.name)
        and type(rule := _inside(getattr(rules, field.name))) is FunctionType
    }
    changed = [name for name in AROUND if getattr(core, name) is not getattr(PAPER, name)]
    steps = {name: AROUND[name].decide(core) for name in changed}
    off = {name for name in steps if steps[name].verdict == "PROVED"}
    asked = _asked_by_what_is_left(core, {*off, "initial"})
    steps |= {name: _left(steps[name], asked[name]) for name in off & asked.keys()}
    apart = {name: getattr(PAPER, name) for name in steps if steps[name].verdict == "PROVED"}
    core = replace(core, **apart) if apart else core
    if core.initial is not PAPER.initial:
        steps["initial"] = _left(BEGINNING.decide(core), asked.get("initial", ""))
        if steps["initial"].verdict == "PROVED":
            core, apart["initial"] = replace(core, initial=PAPER.initial), PAPER.initial
    return Core(
        rules=PAPER if core == PAPER else core,
        steps=tuple(steps[name] for name in apart),
        kept={name: step.reason for name, step in steps.items() if name not in apart},
        unclean={name: why for name, rule in functions.items() if (why := unclean(rule))},
    )


def _left(step: StepResult, why: str) -> StepResult:
    """Return the step, or that it is left open for a reason."""
    return replace(step, verdict="UNKNOWN", reason=why) if why else step


def _asked_by_what_is_left(rules: Rules, apart: set[str]) -> dict[str, str]:
    """Say what stays of what could be taken off, because a rule that is left may ask for it.

    A rule that is left is judged where the paper's rules stand in the place of those that were
    taken off. If it asked one of them, it would be judged by answers that it never gets.
    """
    asked: dict[str, str] = {}
    changed = [
        each.name
        for each in dataclasses.fields(Rules)
        if getattr(rules, each.name) is not getattr(PAPER, each.name)
    ]
    pending = [name for name in changed if name not in apart]
    while pending:
        left = pending.pop()
        found = asked_by(getattr(rules, left), rules) & apart - asked.keys() - {left}
        asked |= dict.fromkeys(sorted(found), f"{left}, which is left, may ask it")
        pending += sorted(found)
    return asked


def show_real_reports(_: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Hashable:
    """Show beside the answer how many reports carry something."""
    return outcome, sum(not report.is_null for report in batch)


def answer_twice(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
    """Answer twice for one charge."""
    first, second = PAPER.answer(at, batch, draw), PAPER.answer(at, batch, draw)
    return Answer(released=first.released + second.released)


def forget_the_charge(
    at: AtService, reports: tuple[Report, ...], draw: Draw
) -> tuple[Service, Hashable]:
    """Answer, and keep the ledger from before."""
    _, shown = PAPER.serve(at, reports, draw)
    return at.service, shown


def refuse_null_batches(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[Ledger, tuple[Report, ...] | None]:
    """Refuse a batch of null reports."""
    empty = all(report.is_null for report in batch)
    return (at.service.ledger, None) if empty else settle(at, batch)


def spare_null_reports(at: AtService, spent: Spent, report: Report) -> Spent | None:
    """Refuse a report that carries something if its entry was charged before."""
    return None if spent.queries and not report.is_null else charge(at, spent, report)


def leave_out_null_reports(at: AtService, reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Make a batch of the reports that carry something."""
    return distinct_reports(at, tuple(each for each in reports if not each.is_null))


def count_double(_: AtService, batch: tuple[Report, ...]) -> Mapping[Key, int]:
    """Add twice every value."""
    sums: dict[Key, int] = {}
    for report in batch:
        for part in report.contributions:
            sums[part.key] = sums.get(part.key, 0) + 2 * part.value
    return sums


def credit_a_pool(at: AtTrigger, draw: Draw) -> tuple[AttributionClient, tuple[Credit, ...]]:
    """Credit a unit that is no source."""
    client, credits = attribute(at, draw)
    return client, tuple(replace(each, unit="pool") for each in credits)


def credit_the_device(at: AtEvent, draw: Draw) -> tuple[AggregationClient, tuple[Credit, ...]]:
    """Credit a device with what its time windows contribute."""
    client, credits = propose(at, draw)
    return client, tuple(replace(each, unit=at.cause.device) for each in credits)


def share_a_budget(
    at: AtContribution, credits: tuple[Credit, ...]
) -> tuple[Budgets, tuple[Credit, ...]]:
    """Grant nothing more once all units together have contributed so much."""
    used = sum(spent.value for spent in at.client.budgets.values())
    return contribute(at, credits if used < 10 * at.limits.contribution_budget else ())


def admit_and_forget(
    at: AtContribution, unit: Unit, spent: Budget, contribution: Contribution
) -> tuple[Budget, bool]:
    """Admit what fits, and count nothing."""
    _, fits = admit(at, unit, spent, contribution)
    return spent, fits


def delay_null_reports(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    """Let a report arrive later if nothing was granted."""
    (sent,) = send(at, granted)
    return (replace(sent, arrival=at.now if granted else at.now + 1),)


def enter_by_contents(at: AtService, report: Report) -> tuple[Hashable, ...]:
    """Keep an entry for what a report holds, and for each moment."""
    return report.contributions, at.now


def begin_anew(at: AtSource, source: Source) -> AttributionClient:
    """Forget the source that had the name before, and register this one."""
    others = tuple(each for each in at.client.sources if each.source_id != source.source_id)
    return register_source(replace(at, client=replace(at.client, sources=others)), source)


def draw_again(at: AtEventSource, source: EventSource, draw: Draw) -> EventClient:
    """Forget all sources before, and register this one."""
    return register_event_source(replace(at, client=EventClient()), source, draw)


def match_truthful_sources(at: AtEventTrigger, record: SourceRecord) -> bool:
    """Let a source that answers with a drawn output take no trigger."""
    return record.response is None and event_matches(at, record)


def pass_over_random_sources(at: AtEventTrigger) -> tuple[Unit, ...]:
    """Credit no source that answers with a drawn output."""
    random = {each.source.source_id for each in at.client.records if each.response is not None}
    return tuple(unit for unit in event_attribute(at) if unit not in random)


def leave_out_truthful_sources(
    at: AtWindows, since: int, draw: Draw
) -> tuple[EventClient, tuple[EventReport, ...]]:
    """Send no report if a source answers truthfully."""
    client, reports = pass_windows(at, since, draw)
    return client, () if any(each.response is None for each in client.records) else reports


def show_what_was_sent(at: AtWindows, report: EventReport) -> Hashable:
    """Show beside a report how many truthful ones there were."""
    return report, sum(each.sent for each in at.client.records)


def note_only(at: AtEventTrigger, _: tuple[Unit, ...]) -> EventClient:
    """Leave every account as it is."""
    return at.client


USED = replace(PAPER.initial, service=Service(ledger=Map({1: Spent()})))

POST_PROCESSING = Proof(
    claim="attribution_summaries_are_private",
    subject=PAPER,
    steps=(*AROUND.values(), BEGINNING),
    unproved_for={
        "real reports are counted": replace(PAPER, reveal=show_real_reports),
        "two answers for one charge": replace(PAPER, answer=answer_twice),
        "the ledger is never stored": replace(PAPER, serve=forget_the_charge),
        "batches of null reports are refused": replace(PAPER, settle=refuse_null_batches),
        "real reports are charged once": replace(PAPER, charge=spare_null_reports),
        "null reports are left out": replace(PAPER, batch=leave_out_null_reports),
        "repeated reports count again": replace(PAPER, batch=lambda _, reports: reports),
        "every value counts double": replace(PAPER, totals=count_double),
        "a trigger is credited to nobody's unit": replace(PAPER, attribute=credit_a_pool),
        "an event is credited to its device": replace(PAPER, propose=credit_the_device),
        "units share a budget": replace(PAPER, contribute=share_a_budget),
        "what is admitted is not counted": replace(PAPER, admit=admit_and_forget),
        "null reports are late": replace(PAPER, send=delay_null_reports),
        "a report has entries for what it holds": replace(PAPER, budget_entries=enter_by_contents),
        "a budget is begun anew": replace(PAPER, register_source=begin_anew),
        "a response is drawn again": replace(PAPER, register_event_source=draw_again),
        "random sources take no triggers": replace(PAPER, event_matches=match_truthful_sources),
        "random sources are passed over": replace(PAPER, event_attribute=pass_over_random_sources),
        "truthful sources are left out": replace(PAPER, pass_windows=leave_out_truthful_sources),
        "a report shows a number": replace(PAPER, event_visible=show_what_was_sent),
        "a report has been charged before": replace(PAPER, initial=USED),
        "triggers are noted and not counted": replace(PAPER, register_event_trigger=note_only),
    },
)
"""What is taken off the rules, and for each of it something that may not be."""
