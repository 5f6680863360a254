"""Single-point mutants of the specification that change what can be observed are noticed.

A mutant is a function of `spec` with one place of its code changed, wherever the function is used.
The checks named beside it are of the guarantees that `sandproof check` decides.
"""

from __future__ import annotations

import inspect
import random
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import pytest

from benchmarks._mutants import ROOT, all_mutants, covering, equivalents
from benchmarks._until_certain import must_fail
from proofs._chain import Chain
from proofs._step import CHECK as STEP
from proofs.attribution_summaries_are_private import CHAIN as SUMMARIES
from proofs.concentrated_filters_compose import CHECK as CONCENTRATED
from proofs.discrete_gaussian_is_concentrated import CHECK as GAUSSIAN
from proofs.discrete_laplace_is_normalised import CHECK as LAPLACE
from proofs.event_level_reports_are_private import CHAIN as EVENTS
from proofs.event_level_reports_are_private import CLIENT_IS_MECHANISM
from proofs.individual_filters_compose import CHECK as INDIVIDUAL_FILTERS
from proofs.joint_convexity import CHECK as LAWS
from proofs.randomized_response_is_private import CHECK as RESPONSES
from proofs.the_ledger_never_passes_the_caps import CHECK as LEDGER
from proofs.the_papers_examples_come_out import CHECK as EXAMPLES
from sandproof.about import About, Change
from sandproof.jobs import Found, Job, Options
from sandproof.plan import Loaded
from sandproof.schedule import Schedule
from spec import (
    PAPER,
    aggregation_service,
    attribution_client,
    concentrated,
    distributions,
    event_client,
    event_outputs,
    filters,
    noise,
    private_aggregation_client,
    randomized_response,
    summary_mechanism,
    system,
)
from spec.neighbours import (
    credits_deleted,
    moved_to_dummy,
    never_matches,
    nulled_after_admission,
    relation,
)
from spec.verdicts import Check, Evidence, Finding, Reason


@dataclass(frozen=True, slots=True)
class Mutant:
    """Hold what is changed in which function, and the check that notices."""

    function: Any
    old: str
    new: str
    noticed_by: Check


SLIPS: list[tuple[Check, dict[str, tuple[Any, str, str]]]] = [
    (
        STEP,
        {
            "M_SR never stores its ledger": (
                summary_mechanism.SummaryMechanism.step,
                "return replace(state, service=service), response",
                "return state, response",
            ),
            "the system never stores its ledger": (
                system.ask,
                "return replace(system, service=service), (shown,)",
                "return system, (shown,)",
            ),
            "time cannot pass": (system.pass_time, "if until < since:", "if until >= since:"),
            "reports that are due stay in flight as well": (
                system.pass_time,
                "if each.arrival > until",
                "if each.arrival >= until",
            ),
            "windows pass again": (
                system.pass_time,
                "rules.pass_windows(at, since, draw)",
                "rules.pass_windows(at, 0, draw)",
            ),
            "what was granted is not counted": (
                system.grant,
                "return replace(client, budgets=budgets), granted",
                "return client, granted",
            ),
            "identifiers of reports are not noted": (
                system.claim_identifier,
                "return replace(system, used_ids=system.used_ids.set(report_id, None))",
                "return system",
            ),
            "nobody is removed from the other world": (
                credits_deleted.without_unit,
                "if not is_of",
                "if True or is_of",
            ),
            "everybody is removed from the other world": (
                credits_deleted.without_unit,
                "if not is_of(rules, unit, worlds, move, each)",
                "if not each",
            ),
        },
    ),
    (
        CLIENT_IS_MECHANISM,
        {
            "a source repeats its first bucket": (
                event_client.report_truthfully,
                "data=data, bucket=bucket)",
                "data=data, bucket=specification.buckets[0])",
            ),
            "a drawn response repeats its first bucket": (
                event_client.pass_window,
                "specification.buckets[before : before + count]",
                "specification.buckets[:1] * count",
            ),
            "a trigger counts for the newest source": (
                event_client.register_event_trigger,
                "records[places[0]] = replace",
                "records[0] = replace",
            ),
            "values of triggers are taken away": (
                event_client.register_event_trigger,
                ".get(trigger.data, 0) + trigger.value",
                ".get(trigger.data, 0) - trigger.value",
            ),
            "outputs are listed with the room of another datum": (
                event_outputs.OutputSet.__iter__,
                "*room[datum + 1 :]",
                "*room[datum - 1 :]",
            ),
            "no output goes on from where it has begun": (
                event_outputs.OutputSet.extends,
                "windows - len(counts)",
                "windows + len(counts)",
            ),
        },
    ),
    (
        INDIVIDUAL_FILTERS,
        {
            "without a unit there is everybody": (
                filters.without_unit,
                "units - {unit}",
                "units | {unit}",
            ),
        },
    ),
    (
        GAUSSIAN,
        {
            "the lower tail of Gaussian noise is above one": (
                noise.DiscreteGaussian.tail,
                "return 1 - enclosed",
                "return 2 - enclosed",
            ),
        },
    ),
    (
        CONCENTRATED,
        {
            "equal laws are close only if something is spent": (
                concentrated.divergence_within_every_order,
                'return exact(rho, "rho") >= 0',
                'return exact(rho, "rho") >= 1',
            ),
            "a divergence is compared with another power": (
                concentrated.divergence_at_most,
                "(alpha - 1) * limit",
                "(alpha + 1) * limit",
            ),
            "less than delta is cut off": (
                concentrated.concentrated_indistinguishable,
                "< 1 - allowed",
                "<= 1 - allowed",
            ),
        },
    ),
    (
        LAWS,
        {
            "two laws are close below delta only": (
                distributions.indistinguishable,
                "hockey_stick(q, p, limit)) <= allowed",
                "hockey_stick(q, p, limit)) < allowed",
            ),
            "an irrational power is taken for its upper bound": (
                distributions.indistinguishable,
                "hockey_stick(q, p, high)) > allowed",
                "hockey_stick(q, p, high)) >= allowed",
            ),
        },
    ),
    (
        EXAMPLES,
        {
            "an ad that never matches has event-level reports": (
                never_matches.never_match,
                "record.source.source_id != unit and",
                "record.source.source_id != unit or",
            ),
            "event-level reports are forgotten where attribution runs again": (
                nulled_after_admission.null_after_admission,
                "replace(own, events=worlds.real.events)",
                "own",
            ),
            "what was drawn from one law is taken for a draw from another": (
                relation.SharedDraws.again,
                "isinstance(law, Law) and",
                "isinstance(law, Law) or",
            ),
            "an ad does not know when it was registered": (
                attribution_client.register_source,
                "replace(source, registered_at=at.now)",
                "source",
            ),
            "a purchase for nothing contributes": (
                attribution_client.contributions,
                "at.cause.value > 0",
                "at.cause.value >= 0",
            ),
            "the dummy has the name of the ad": (
                moved_to_dummy.move_credits_to_dummy,
                "source_id=DUMMY, ",
                "",
            ),
            "an event-level source matches when it expires": (
                event_client.event_matches,
                "at.now < record.source.expiry",
                "at.now <= record.source.expiry",
            ),
            "windows that end in one go pass backwards": (
                event_client.pass_windows,
                "(record.registered_at + end, place",
                "(record.registered_at - end, place",
            ),
            "a program may return a list": (
                private_aggregation_client.run_program,
                "isinstance(returned, tuple) and",
                "isinstance(returned, tuple) or",
            ),
            "admission sees the client from before it decided": (
                system.grant,
                "replace(at, client=client)",
                "at",
            ),
            "time has passed in the mechanism": (
                summary_mechanism.add_record,
                "now=0",
                "now=1",
            ),
            "all budgets have a part in who is credited": (
                attribution_client.attribute,
                "replace(at.client, budgets=own)",
                "at.client",
            ),
        },
    ),
    (
        RESPONSES,
        {
            "a set has more than one sequence": (
                randomized_response.respond,
                "law.outputs.output(0)",
                "law.outputs.output(1)",
            ),
            "what does not begin a sequence begins one": (
                randomized_response.Sequences.extends,
                "== prefix",
                "!= prefix",
            ),
        },
    ),
    (
        LAPLACE,
        {
            "noise lists an outcome that it does not have": (
                noise.Noisy.outcomes,
                "range(low, high + 1)",
                "range(low, high + 2)",
            ),
        },
    ),
    (
        LEDGER,
        {
            "charges are not written down": (
                aggregation_service.settle,
                "ledger.update(charged), batch",
                "ledger, batch",
            ),
            "a charge may be one query late": (
                aggregation_service.charge,
                "if epsilon > at.limits.epsilon",
                "if spent.epsilon >= at.limits.epsilon",
            ),
        },
    ),
]
"""What is changed in which function, by the check that notices."""

MUTANTS = {
    name: Mutant(*change, noticed_by=check)
    for check, changes in SLIPS
    for name, change in changes.items()
}


@contextmanager
def mutated(mutant: Mutant) -> Iterator[None]:
    """Change the code of a function while the block runs."""
    function: FunctionType = mutant.function
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(mutant.old) == 1, "the mutant is about code that is no longer there"
    scope: dict[str, Any] = dict(sys.modules[function.__module__].__dict__)
    flags = function.__code__.co_flags & 0x1000000
    exec(compile(source.replace(mutant.old, mutant.new), "<mutant>", "exec", flags), scope)
    kept = function.__code__
    function.__code__ = scope[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = kept


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_not_proved(name: str) -> None:
    mutant = MUTANTS[name]
    with mutated(mutant):
        assert mutant.noticed_by.run(replace(PAPER)).evidence is not Evidence.PROOF


def test_drawn_mutants_are_python_and_differ_in_one_place() -> None:
    drawn = random.Random(1).sample(all_mutants(), 200)
    assert len({(each.file, each.line, each.start, each.new) for each in drawn}) > 190
    for mutant in drawn:
        lines = (ROOT / mutant.file).read_text(encoding="utf-8").splitlines()
        old = lines[mutant.line - 1]
        lines[mutant.line - 1] = old[: mutant.start] + mutant.new + old[mutant.end :]
        assert lines[mutant.line - 1] != old
        compile("\n".join(lines), mutant.file, "exec")


def test_every_module_that_is_mutated_has_tests() -> None:
    for file in {mutant.file for mutant in all_mutants()}:
        for tests in covering(ROOT / file):
            assert (ROOT / tests).exists(), tests


def test_every_equivalent_mutant_has_a_reason_and_is_one() -> None:
    names = {mutant.name for mutant in all_mutants()}
    for name, reason in equivalents().items():
        assert reason
        assert name in names


SEARCH = Job(place=0, claim="the_ledger_never_passes_the_caps", check="search")
PROVING = replace(SEARCH, place=1, check="proof", proves=True)
SPARED = replace(SEARCH, place=2, check="further search", spare=True)
CHANGED = Change(field="charge", before="a", after="b")


@pytest.mark.parametrize(
    ("job", "evidence", "reason", "left", "certain"),
    [
        (SEARCH, Evidence.ATTACK, Reason.NONE, [PROVING], True),
        (SEARCH, Evidence.ALARM, Reason.RAISED, [PROVING], True),
        (SEARCH, Evidence.NONE, Reason.VACUOUS, [PROVING], True),
        (SEARCH, Evidence.NONE, Reason.OUT_OF_RESOURCES, [PROVING], False),
        (SEARCH, Evidence.EXACT_IN_UNIVERSE, Reason.NONE, [PROVING], False),
        (PROVING, Evidence.NONE, Reason.OUT_OF_RESOURCES, [SPARED], True),
        (PROVING, Evidence.NONE, Reason.OUT_OF_RESOURCES, [SEARCH], False),
        (PROVING, Evidence.NONE, Reason.OUT_OF_RESOURCES, [replace(PROVING, place=2)], False),
        (PROVING, Evidence.PROOF, Reason.NONE, [SPARED], False),
        (SPARED, Evidence.ATTACK, Reason.NONE, [PROVING], False),
        (SPARED, Evidence.ATTACK, Reason.NONE, [], True),
    ],
)
def test_a_check_ends_early_only_if_no_job_can_save_it(
    job: Job, evidence: Evidence, reason: Reason, left: list[Job], certain: bool
) -> None:
    finding = Finding(claim=job.claim, check=job.check, evidence=evidence, reason=reason)
    for changes, wanted in (((), certain), ((CHANGED,), False)):
        about = About(name="rules", changes=changes)
        schedule = Schedule(Loaded(about=about, jobs=(job, *left)), Options())
        schedule.pending = left
        schedule.found[job] = Found(finding=finding)
        assert must_fail(schedule) is wanted


@pytest.mark.parametrize("check", [check for check, _ in SLIPS], ids=lambda each: each.claim)
def test_the_papers_own_functions_are(check: Check) -> None:
    assert check.run(replace(PAPER)).evidence is Evidence.PROOF


@pytest.mark.parametrize(
    ("chain", "link"),
    [(SUMMARIES, STEP), (EVENTS, STEP), (EVENTS, CLIENT_IS_MECHANISM)],
    ids=lambda each: each.claim,
)
def test_every_way_to_a_guarantee_needs_what_notices(chain: Chain, link: Check) -> None:
    for way in chain.ways:
        assert any(isinstance(each, tuple) and each[1] is link for each in way)
