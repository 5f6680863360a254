"""The checks that machines make: one per machine and claim, with the broken rules it refutes.

The machines do not find everything.

- A run's moves are fixed before it starts, so an adversary that adapts its moves to the answers is
  left to the game.
- There are few reports, two keys and small budgets, so what shows only at size, such as untruncated
  noise on hundreds of keys, is left to the production parameters.
- A ledger in floating point shows in the machine of the service, which asks with a little more than
  an equal share of the caps. In the other machines every ε is a small whole number, which floating
  point adds without error.
- A defect that needs a particular sequence of moves takes luck. Responses that are randomized in
  every window show if a source has reports in two windows, which some seeds do not lead to in
  hundreds of runs. The game finds all that is as short as this.
- Noise whose probabilities are not rational, such as Gaussian noise, leaves the guarantees unknown.
- A rule that depends on chance and decides who is credited ends what can be learned from a run, and
  leaves rollouts undefined.
"""

from __future__ import annotations

from properties import broken
from properties.machines._machine import Machine
from properties.machines.aggregation_client import AggregationMachine
from properties.machines.aggregation_service import ServiceMachine
from properties.machines.attribution_client import AttributionMachine
from properties.machines.event_client import EventClientMachine
from properties.machines.event_mechanism import ResponseMachine
from properties.machines.run import check_name, machine_finding
from properties.machines.summary_mechanism import SummaryMachine
from properties.machines.system import (
    AggregationSystemMachine,
    AttributionSystemMachine,
    SystemMachine,
)
from spec.neighbours import EMPTY_STORE, MOVED_TO_DUMMY, Relation
from spec.paper import PAPER
from spec.rules import Rules
from spec.verdicts import Check, Control, Evidence, Finding, Shape

Broken = dict[str, Rules | Relation]

REAL_CHARGED: Broken = {"only real reports are charged": broken.REAL_REPORTS_CHARGED}
REPEATED: Broken = {"a repeated report counts twice": broken.REPEATS_COUNT}
SILENT: Broken = {"no report when the budget is used up": broken.SILENT_WHEN_EXHAUSTED}
LATE: Broken = {"a charge is compared before it is added": broken.LATE_LEDGER}
ONE_BY_ONE: Broken = {"reports are charged one by one": broken.CHARGED_ONE_BY_ONE}
UNBOUNDED: Broken = {"contributions are not bounded": broken.UNBOUNDED}
UNCOUNTED: Broken = {"the number of contributions is not bounded": broken.NO_SPARSITY}
MISSING: Broken = {"the output set misses outputs": broken.MISSING_OUTPUTS}
TOO_TRUTHFUL: Broken = {"the truth is told too often": broken.TOO_TRUTHFUL}

CONTROLS: dict[type[Machine], dict[str, Broken]] = {
    AttributionSystemMachine: {
        "attribution_summaries_are_private": {
            **REAL_CHARGED,
            **REPEATED,
            **SILENT,
            "the number of contributors is shown": broken.CONTRIBUTORS_SHOWN,
            "there is too little noise": broken.LITTLE_NOISE,
            "the dummy contributes": MOVED_TO_DUMMY,
        },
        "summary_mechanism_is_individually_private": {**REPEATED, **UNBOUNDED},
        "client_and_service_refine_the_mechanism": SILENT,
    },
    AggregationSystemMachine: {
        "aggregation_summaries_are_private": {
            **REAL_CHARGED,
            **REPEATED,
            **SILENT,
            "the neighbour's store is empty": EMPTY_STORE,
        },
        "client_and_service_refine_the_mechanism": SILENT,
    },
    SystemMachine: {
        "attribution_summaries_are_private": SILENT,
        "aggregation_summaries_are_private": SILENT,
        "summary_and_event_reports_compose": {
            **SILENT,
            "responses are never randomized": broken.ALWAYS_TRUTHFUL,
        },
        "the_ledger_never_passes_the_caps": LATE,
        "a_refused_query_charges_nothing": ONE_BY_ONE,
        "abort_does_not_depend_on_attribution": REAL_CHARGED,
        "client_and_service_refine_the_mechanism": SILENT,
    },
    SummaryMachine: {
        "summary_mechanism_is_individually_private": {
            **REAL_CHARGED,
            **REPEATED,
            **UNBOUNDED,
        },
        "contributions_stay_within_budget": {**UNBOUNDED, **UNCOUNTED},
        "the_ledger_never_passes_the_caps": LATE,
        "abort_does_not_depend_on_attribution": REAL_CHARGED,
    },
    ServiceMachine: {
        "the_ledger_never_passes_the_caps": {
            **LATE,
            "the ledger is in floating point": broken.FLOATING_LEDGER,
        },
        "a_refused_query_charges_nothing": ONE_BY_ONE,
        "abort_does_not_depend_on_attribution": REAL_CHARGED,
        "null_reports_are_charged": REAL_CHARGED,
        "a_batch_is_a_set": REPEATED,
        "noise_is_chosen_in_public": {"the batch sets the threshold": broken.THRESHOLD_BY_BATCH},
        "absent_keys_are_never_released": {"noise is not truncated": broken.UNTRUNCATED},
    },
    AttributionMachine: {
        "contributions_stay_within_budget": {**UNBOUNDED, **UNCOUNTED},
        "a_report_is_sent_for_every_trigger": {
            **SILENT,
            "the number of contributors is shown": broken.CONTRIBUTORS_SHOWN,
            "reports that hold something are late": broken.REAL_REPORTS_DELAYED,
        },
    },
    AggregationMachine: {
        "contributions_stay_within_budget": {**UNBOUNDED, **UNCOUNTED},
        "a_report_is_sent_for_every_trigger": {
            **SILENT,
            "reports that hold something are late": broken.REAL_REPORTS_DELAYED,
        },
    },
    EventClientMachine: {
        "event_client_outputs_stay_in_the_output_set": MISSING,
        "event_level_reports_are_private": {**MISSING, **TOO_TRUTHFUL},
    },
    ResponseMachine: {
        "event_client_outputs_stay_in_the_output_set": MISSING,
        "event_level_reports_are_private": {**MISSING, **TOO_TRUTHFUL},
        "randomized_response_is_private": TOO_TRUTHFUL,
    },
}

MACHINES: tuple[type[Machine], ...] = tuple(CONTROLS)


def machine_checks(effort: str = "standard", seed: int = 0) -> tuple[Check, ...]:
    """Return the checks of all machines."""
    return tuple(
        machine_check(machine, claim, effort, seed)
        for machine, claims in CONTROLS.items()
        for claim in claims
    )


def machine_check(machine: type[Machine], claim: str, effort: str, seed: int) -> Check:
    """Return the check of one claim by one machine."""

    def run(rules: Rules) -> Finding:
        return machine_finding(machine, claim, rules, effort, seed)

    def control(name: str, broken: Rules | Relation) -> Control:
        rules = broken if isinstance(broken, Rules) else PAPER
        other = broken if isinstance(broken, Relation) else None
        return Control(
            name=name,
            run=lambda: machine_finding(machine, claim, rules, "controls", seed, other),
            rules=rules if isinstance(broken, Rules) else None,
        )

    listed = CONTROLS[machine][claim].items()
    return Check(
        claim=claim,
        name=check_name(machine),
        run=run,
        controls=tuple(control(name, broken) for name, broken in listed),
        evidence=Evidence.RANDOM_RUNS,
        shape=Shape.RANDOM_RUNS,
    )
