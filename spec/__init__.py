"""The Privacy Sandbox measurement APIs as an exact, executable specification.

One module per algorithm, in the paper's order. `Rules` is the change surface, `PAPER` its value for
the paper's rules; a proposal replaces fields of it.

Paper: Sec. 2; Sec. 3; Sec. 4; Sec. 5.
"""

from dataclasses import replace

from spec.aggregation_service import (
    Aborted,
    Answer,
    BadQuery,
    Ledger,
    Outcome,
    Query,
    Service,
    Spent,
    UnknownReport,
)
from spec.attribution_client import (
    AttributionClient,
    DuplicateSource,
    Source,
    Trigger,
    UnknownSource,
)
from spec.contributions import Budget, Budgets, Cause, Credit, Unit
from spec.distributions import (
    Distribution,
    Draw,
    Law,
    Random,
    coin,
    explore,
    gradual_expiration,
    group_privacy,
    hockey_stick,
    indistinguishable,
    mixture,
)
from spec.event_client import (
    EventClient,
    EventReport,
    EventSource,
    EventTrigger,
    SourceRecord,
    TriggerSpecification,
)
from spec.event_mechanism import EventMechanism
from spec.event_outputs import Output, OutputSet, output_set, uncapped
from spec.expiration import private_with_gradual_expiration, without_storage_after
from spec.filters import (
    FilteredMechanism,
    IndividuallyFilteredMechanism,
    IndividualQuery,
    UniversalQuery,
    basic_filter,
)
from spec.individual_privacy import Theta, individually_private, is_rollout, summary_rollout
from spec.interaction import (
    Adversary,
    Mechanism,
    Without,
    interactively_private,
    randomized_transcript,
    transcript,
)
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
    MOVED_TO_DUMMY,
    NEVER_MATCHES,
    NEVER_REGISTERED,
    NULL_STORE,
    NULLED_AFTER_ADMISSION,
    RELATIONS,
    Relation,
)
from spec.noise import DiscreteGaussian, DiscreteLaplace, Noise, Noisy, smallest_sound_truncation
from spec.numbers import NATURAL, Base, Power, Real, SpecError
from spec.paper import PAPER
from spec.private_aggregation_client import (
    EMPTY_STORAGE,
    AggregationClient,
    DeviceWindow,
    Event,
    Program,
    Storage,
)
from spec.randomized_response import RandomizedResponse, truth_probability
from spec.reports import Contribution, Key, Report, ReportId, TimeRunsBackwards
from spec.rules import Limits, Rules
from spec.sampling import Sampler, SeededEntropy, SystemEntropy
from spec.summary_mechanism import (
    Database,
    Neighbour,
    Record,
    SummaryMechanism,
    SummaryQuery,
    SummaryState,
    without_source,
    without_storage,
)
from spec.system import DuplicateReport, Move, Observation, PassTime, System, SystemMechanism, step
from spec.universe import SMALL_LIMITS, Universe

__all__ = [
    "ATTRIBUTION_FIXED",
    "EMPTY_STORAGE",
    "EMPTY_STORE",
    "MOVED_TO_DUMMY",
    "NATURAL",
    "NEVER_MATCHES",
    "NEVER_REGISTERED",
    "NULLED_AFTER_ADMISSION",
    "NULL_STORE",
    "PAPER",
    "RELATIONS",
    "SMALL_LIMITS",
    "Aborted",
    "Adversary",
    "AggregationClient",
    "Answer",
    "AttributionClient",
    "BadQuery",
    "Base",
    "Budget",
    "Budgets",
    "Cause",
    "Contribution",
    "Credit",
    "Database",
    "DeviceWindow",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Distribution",
    "Draw",
    "DuplicateReport",
    "DuplicateSource",
    "Event",
    "EventClient",
    "EventMechanism",
    "EventReport",
    "EventSource",
    "EventTrigger",
    "FilteredMechanism",
    "IndividualQuery",
    "IndividuallyFilteredMechanism",
    "Key",
    "Law",
    "Ledger",
    "Limits",
    "Mechanism",
    "Move",
    "Neighbour",
    "Noise",
    "Noisy",
    "Observation",
    "Outcome",
    "Output",
    "OutputSet",
    "PassTime",
    "Power",
    "Program",
    "Query",
    "Random",
    "RandomizedResponse",
    "Real",
    "Record",
    "Relation",
    "Report",
    "ReportId",
    "Rules",
    "Sampler",
    "SeededEntropy",
    "Service",
    "Source",
    "SourceRecord",
    "SpecError",
    "Spent",
    "Storage",
    "SummaryMechanism",
    "SummaryQuery",
    "SummaryState",
    "System",
    "SystemEntropy",
    "SystemMechanism",
    "Theta",
    "TimeRunsBackwards",
    "Trigger",
    "TriggerSpecification",
    "Unit",
    "UniversalQuery",
    "Universe",
    "UnknownReport",
    "UnknownSource",
    "Without",
    "basic_filter",
    "coin",
    "explore",
    "gradual_expiration",
    "group_privacy",
    "hockey_stick",
    "indistinguishable",
    "individually_private",
    "interactively_private",
    "is_rollout",
    "mixture",
    "output_set",
    "private_with_gradual_expiration",
    "randomized_transcript",
    "replace",
    "smallest_sound_truncation",
    "step",
    "summary_rollout",
    "transcript",
    "truth_probability",
    "uncapped",
    "without_source",
    "without_storage",
    "without_storage_after",
]
