r"""The paper's rules: every default, put together.

Of the parameters, the paper gives $\Lambda_1$, $\varepsilon_*$, the length of a time window and the
limits on trigger data and windows. It does not give $\Lambda_0$, $\delta_*$, the event-level
$\varepsilon$ and the limits on reports and buckets, which are chosen here. Its theorems are for
requerying, so that the number of queries is not limited.

Paper: Alg. 1; Alg. 2; Alg. 3; Alg. 4; Alg. 6; Alg. 8.
"""

from __future__ import annotations

from fractions import Fraction

from spec import (
    aggregation_service,
    attribution_client,
    contributions,
    event_client,
    event_outputs,
    private_aggregation_client,
    randomized_response,
)
from spec.rules import Initial, Limits, Rules

PAPER = Rules(
    limits=Limits(
        contribution_budget=2**16,
        sparsity_budget=20,
        epsilon=Fraction(64),
        delta=Fraction(1, 10**8),
        event_epsilon=Fraction(14),
    ),
    initial=Initial(
        attribution=attribution_client.AttributionClient(),
        aggregation=private_aggregation_client.AggregationClient(),
        events=event_client.EventClient(),
        service=aggregation_service.Service(),
    ),
    admit=contributions.admit,
    contribute=contributions.contribute,
    send=contributions.send,
    register_source=attribution_client.register_source,
    matches=attribution_client.matches,
    attempt_order=attribution_client.newest_first,
    contributions=attribution_client.contributions,
    attribute=attribution_client.attribute,
    budget_unit=private_aggregation_client.budget_unit,
    run_program=private_aggregation_client.run_program,
    propose=private_aggregation_client.propose,
    batch=aggregation_service.distinct_reports,
    budget_entries=aggregation_service.one_entry_per_report,
    charge=aggregation_service.charge,
    settle=aggregation_service.settle,
    totals=aggregation_service.totals,
    keys=aggregation_service.keys,
    threshold=aggregation_service.threshold,
    noise=aggregation_service.noise,
    releases=aggregation_service.releases,
    answer=aggregation_service.answer,
    reveal=aggregation_service.reveal_outcome,
    serve=aggregation_service.serve,
    register_event_source=event_client.register_event_source,
    event_matches=event_client.event_matches,
    event_attribute=event_client.event_attribute,
    register_event_trigger=event_client.register_event_trigger,
    output_set=event_outputs.output_set,
    truth_probability=randomized_response.truth_probability,
    pass_windows=event_client.pass_windows,
    event_visible=event_client.event_visible,
)
