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
from proofs._chain import Chain
from proofs._step import CHECK as STEP
from proofs.attribution_summaries_are_private import CHAIN as SUMMARIES
from proofs.discrete_gaussian_is_concentrated import CHECK as GAUSSIAN
from proofs.discrete_laplace_is_normalised import CHECK as LAPLACE
from proofs.event_level_reports_are_private import CHAIN as EVENTS
from proofs.event_level_reports_are_private import CLIENT_IS_MECHANISM
from proofs.individual_filters_compose import CHECK as INDIVIDUAL_FILTERS
from proofs.the_ledger_never_passes_the_caps import CHECK as LEDGER
from spec import (
    PAPER,
    aggregation_service,
    event_client,
    event_outputs,
    filters,
    noise,
    summary_mechanism,
    system,
)
from spec.neighbours import credits_deleted
from spec.verdicts import Check, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """Hold what is changed in which function, and the check that notices."""

    name: str
    function: Any
    old: str
    new: str
    noticed_by: Check


MUTANTS = (
    Mutant(
        name="M_SR never stores its ledger",
        function=summary_mechanism.SummaryMechanism.step,
        old="return replace(state, service=service), response",
        new="return state, response",
        noticed_by=STEP,
    ),
    Mutant(
        name="the system never stores its ledger",
        function=system.ask,
        old="return replace(system, service=service), (shown,)",
        new="return system, (shown,)",
        noticed_by=STEP,
    ),
    Mutant(
        name="time cannot pass",
        function=system.pass_time,
        old="if until < since:",
        new="if until >= since:",
        noticed_by=STEP,
    ),
    Mutant(
        name="reports that are due stay in flight as well",
        function=system.pass_time,
        old="if each.arrival > until",
        new="if each.arrival >= until",
        noticed_by=STEP,
    ),
    Mutant(
        name="windows pass again",
        function=system.pass_time,
        old="rules.pass_windows(at, since, draw)",
        new="rules.pass_windows(at, 0, draw)",
        noticed_by=STEP,
    ),
    Mutant(
        name="what was granted is not counted",
        function=system.grant,
        old="return replace(client, budgets=budgets), granted",
        new="return client, granted",
        noticed_by=STEP,
    ),
    Mutant(
        name="identifiers of reports are not noted",
        function=system.claim_identifier,
        old="return replace(system, used_ids=system.used_ids.set(report_id, None))",
        new="return system",
        noticed_by=STEP,
    ),
    Mutant(
        name="nobody is removed from the other world",
        function=credits_deleted.without_unit,
        old="if not is_of",
        new="if True or is_of",
        noticed_by=STEP,
    ),
    Mutant(
        name="everybody is removed from the other world",
        function=credits_deleted.without_unit,
        old="if not is_of(rules, unit, worlds, move, each)",
        new="if not each",
        noticed_by=STEP,
    ),
    Mutant(
        name="a source repeats its first bucket",
        function=event_client.report_truthfully,
        old="data=data, bucket=bucket)",
        new="data=data, bucket=specification.buckets[0])",
        noticed_by=CLIENT_IS_MECHANISM,
    ),
    Mutant(
        name="a drawn response repeats its first bucket",
        function=event_client.pass_window,
        old="specification.buckets[before : before + count]",
        new="specification.buckets[:1] * count",
        noticed_by=CLIENT_IS_MECHANISM,
    ),
    Mutant(
        name="a trigger counts for the newest source",
        function=event_client.register_event_trigger,
        old="records[places[0]] = replace",
        new="records[0] = replace",
        noticed_by=CLIENT_IS_MECHANISM,
    ),
    Mutant(
        name="values of triggers are taken away",
        function=event_client.register_event_trigger,
        old=".get(trigger.data, 0) + trigger.value",
        new=".get(trigger.data, 0) - trigger.value",
        noticed_by=CLIENT_IS_MECHANISM,
    ),
    Mutant(
        name="without a unit there is everybody",
        function=filters.without_unit,
        old="units - {unit}",
        new="units | {unit}",
        noticed_by=INDIVIDUAL_FILTERS,
    ),
    Mutant(
        name="the lower tail of Gaussian noise is above one",
        function=noise.DiscreteGaussian.tail,
        old="return 1 - enclosed",
        new="return 2 - enclosed",
        noticed_by=GAUSSIAN,
    ),
    Mutant(
        name="noise lists an outcome that it does not have",
        function=noise.Noisy.outcomes,
        old="range(low, high + 1)",
        new="range(low, high + 2)",
        noticed_by=LAPLACE,
    ),
    Mutant(
        name="outputs are listed with the room of another datum",
        function=event_outputs.OutputSet.__iter__,
        old="*room[datum + 1 :]",
        new="*room[datum - 1 :]",
        noticed_by=CLIENT_IS_MECHANISM,
    ),
    Mutant(
        name="no output goes on from where it has begun",
        function=event_outputs.OutputSet.extends,
        old="windows - len(counts)",
        new="windows + len(counts)",
        noticed_by=CLIENT_IS_MECHANISM,
    ),
    Mutant(
        name="charges are not written down",
        function=aggregation_service.settle,
        old="ledger.update(charged), batch",
        new="ledger, batch",
        noticed_by=LEDGER,
    ),
    Mutant(
        name="a charge may be one query late",
        function=aggregation_service.charge,
        old="if epsilon > at.limits.epsilon",
        new="if spent.epsilon >= at.limits.epsilon",
        noticed_by=LEDGER,
    ),
)


NOTICING = (STEP, CLIENT_IS_MECHANISM, LEDGER, INDIVIDUAL_FILTERS, GAUSSIAN, LAPLACE)


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


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_not_proved(mutant: Mutant) -> None:
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


@pytest.mark.parametrize("check", NOTICING, ids=lambda each: each.claim)
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
