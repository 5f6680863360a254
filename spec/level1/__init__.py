"""W3C Attribution Level 1 as an exact, executable specification: the second family.

One module per algorithm, in the order of the draft. `Level1Rules` is the change surface;
`LEVEL_1_2026_05` is its value for the draft of May 2026.

Paper: none (the draft Attribution Level 1).
"""

from spec.level1.aggregation import Aggregator, Job, Report, Task
from spec.level1.budgets import Budgets, Charge
from spec.level1.device import Activation, Device
from spec.level1.impressions import Impression, ImpressionOptions
from spec.level1.measurement import Conversion, ConversionOptions
from spec.level1.neighbours import Level1OtherWorld, Level1Unit, without
from spec.level1.rules import (
    AtAggregator,
    AtConversion,
    Caller,
    Histogram,
    Level1Limits,
    Level1Rules,
    OnBrowser,
    Rejected,
)
from spec.level1.system import (
    Activate,
    ClearHistory,
    ClearSiteData,
    Level1Mechanism,
    Level1Move,
    Level1Observation,
    Level1System,
    MeasureConversion,
    Navigate,
    SaveImpression,
    SetEnabled,
    Sight,
    step,
)
from spec.level1.versions import LEVEL_1_2026_05, LEVEL_1_ONE_DRAW, LIMITS, VERSIONS

__all__ = [
    "LEVEL_1_2026_05",
    "LEVEL_1_ONE_DRAW",
    "LIMITS",
    "VERSIONS",
    "Activate",
    "Activation",
    "Aggregator",
    "AtAggregator",
    "AtConversion",
    "Budgets",
    "Caller",
    "Charge",
    "ClearHistory",
    "ClearSiteData",
    "Conversion",
    "ConversionOptions",
    "Device",
    "Histogram",
    "Impression",
    "ImpressionOptions",
    "Job",
    "Level1Limits",
    "Level1Mechanism",
    "Level1Move",
    "Level1Observation",
    "Level1OtherWorld",
    "Level1Rules",
    "Level1System",
    "Level1Unit",
    "MeasureConversion",
    "Navigate",
    "OnBrowser",
    "Rejected",
    "Report",
    "SaveImpression",
    "SetEnabled",
    "Sight",
    "Task",
    "step",
    "without",
]
