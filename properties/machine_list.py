"""Which claims the state machines judge, by their titles: what a plan must know of them.

The machines stand in a package of their own, which is imported when the first of them runs.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module

from proofs._deferred import deferred
from spec.verdicts import Check, Evidence, Shape

ROLLOUTS = "summary_mechanism_is_individually_private"

JUDGED: dict[str, tuple[str, ...]] = {
    "ARA": (
        "attribution_summaries_are_private",
        "summary_mechanism_is_individually_private",
        "client_and_service_refine_the_mechanism",
    ),
    "PAA": (
        "aggregation_summaries_are_private",
        "client_and_service_refine_the_mechanism",
    ),
    "system": (
        "attribution_summaries_are_private",
        "aggregation_summaries_are_private",
        "summary_and_event_reports_compose",
        "the_ledger_never_passes_the_caps",
        "a_refused_query_charges_nothing",
        "abort_does_not_depend_on_attribution",
        "client_and_service_refine_the_mechanism",
    ),
    "M_SR": (
        "summary_mechanism_is_individually_private",
        "contributions_stay_within_budget",
        "the_ledger_never_passes_the_caps",
        "abort_does_not_depend_on_attribution",
    ),
    "service": (
        "the_ledger_never_passes_the_caps",
        "a_refused_query_charges_nothing",
        "abort_does_not_depend_on_attribution",
        "null_reports_are_charged",
        "a_batch_is_a_set",
        "noise_is_chosen_in_public",
        "absent_keys_are_never_released",
    ),
    "ARA client": (
        "contributions_stay_within_budget",
        "a_report_is_sent_for_every_trigger",
    ),
    "PAA client": (
        "contributions_stay_within_budget",
        "a_report_is_sent_for_every_trigger",
    ),
    "event client": (
        "event_client_outputs_stay_in_the_output_set",
        "event_level_reports_are_private",
    ),
    "M_ER": (
        "event_client_outputs_stay_in_the_output_set",
        "event_level_reports_are_private",
        "randomized_response_is_private",
    ),
}
"""The claims of each machine, in the order in which they are planned."""


def planned_machines(effort: str = "standard", seed: int = 0) -> tuple[Check, ...]:
    """Return the checks of all machines, each of which is made when it is run."""
    return tuple(
        deferred(
            claim,
            f"machine: {title}",
            partial(_made, title, claim, effort, seed),
            Evidence.RANDOM_RUNS,
            Shape.RANDOM_RUNS,
        )
        for title, claims in JUDGED.items()
        for claim in claims
    )


def _made(title: str, claim: str, effort: str, seed: int) -> Check:
    """Return the check of one claim by one machine."""
    checks = import_module("properties.machines.checks")
    (machine,) = (each for each in checks.MACHINES if each.title == title)
    found: Check = checks.machine_check(machine, claim, effort, seed)
    return found
