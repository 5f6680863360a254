r"""The change surface of Attribution Level 1: its public parameters and every decision it makes.

The algorithms of this package take a value `rules` of the type `Level1Rules`. Its fields are the
decisions of the draft, each a plain function. A version of the draft is a value, such as
`LEVEL_1_2026_05`, and a proposal is a few fields replaced. Every rule on a device takes first a
value `at`, which holds what the browser sees at that point; every rule of the aggregation service
takes an `AtAggregator`. A rule that draws takes `draw` last.

Times and durations are whole seconds. Budgets and charges are whole numbers of grains; a grain is
the draft's microepsilon, or whatever the limits say. Every $\varepsilon$ is an exact fraction of
units $\ln b$ with $b$ the `base`.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NoReturn

from spec.numbers import NATURAL, Base, SpecError, positive, whole

if TYPE_CHECKING:
    from spec.distributions import Draw, Random
    from spec.level1.aggregation import Aggregator, Job, Report
    from spec.level1.budgets import Budgets, Charge
    from spec.level1.device import Activation, Device
    from spec.level1.impressions import Impression, ImpressionOptions
    from spec.level1.measurement import Conversion, ConversionOptions
    from spec.noise import Noise

DAY = 86400
"""The seconds of a day."""

ErrorName = Literal["RangeError", "ReferenceError", "SyntaxError", "NotAllowedError"]
Histogram = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Limits:
    r"""Hold what an implementation chooses; it is the same for everybody and public.

    `site_budget` is $\varepsilon_{site}$, `global_budget` $\varepsilon_{global}$ and `site_quota`
    $\varepsilon_{imp-quota}$, all per epoch and in grains, of which `grains` make one unit of
    epsilon. Without an `activation_duration` the interface is active on every page.
    `public_suffixes` are those of several labels; every single label is one.

    Draft: Setting Implementation-Defined Values.
    """

    site_budget: int
    global_budget: int
    site_quota: int
    services: frozenset[str] = frozenset({"https://agg-service.example"})
    grains: int = 10**6
    base: Base = NATURAL
    epoch: int = 7 * DAY
    day: int = DAY
    hour: int = 3600
    maximum_lookback: int = 30
    maximum_epsilon: Fraction = Fraction(4294)
    maximum_histogram: int = 1024
    maximum_credit: int = 10
    maximum_match_values: int = 30
    maximum_conversion_sites: int = 5
    maximum_conversion_callers: int = 10
    maximum_impression_sites: int = 30
    maximum_impression_callers: int = 10
    minimum_batch: int = 20
    activation_duration: int | None = None
    public_suffixes: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        positive(self.maximum_epsilon, "maximum_epsilon")
        if type(self.base) is not Base:
            raise BadLevel1Limit(f"base must be a Base, not {self.base!r}")
        for name in ("grains", "epoch", "day", "hour", "maximum_lookback", "maximum_histogram"):
            positive(getattr(self, name), name)
        for name in ("site_budget", "global_budget", "site_quota", "minimum_batch"):
            if whole(getattr(self, name), name) < 0:
                raise BadLevel1Limit(f"{name} must not be negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Say who calls the interface: the top-level site, an intermediary or none, and the page.

    The page is the draft's top-level traversable, in which activation is kept.

    Draft: Site Identities.
    """

    site: str
    intermediary: str | None = None
    page: str = "page"

    @property
    def name(self) -> str:
        """Return the site that calls: the intermediary if there is one."""
        return self.site if self.intermediary is None else self.intermediary


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBrowser:
    """Hold what a rule on a device sees: the rules, the time, and all that the device keeps.

    Draft: API Internals.
    """

    rules: Level1Rules
    now: int
    device: Device

    @property
    def limits(self) -> Level1Limits:
        """Return the public parameters."""
        return self.rules.limits


@dataclass(frozen=True, slots=True, kw_only=True)
class AtConversion(OnBrowser):
    """Hold what a rule sees that takes part in measuring a conversion.

    Draft: Measure Conversion Algorithm.
    """

    caller: Caller
    conversion: Conversion


@dataclass(frozen=True, slots=True, kw_only=True)
class AtAggregator:
    """Hold what a rule of the aggregation service sees: the rules, its state, and the job.

    Draft: Aggregation.
    """

    rules: Level1Rules
    aggregator: Aggregator
    job: Job

    @property
    def limits(self) -> Level1Limits:
        """Return the public parameters."""
        return self.rules.limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Rules:
    """Hold every decision of Attribution Level 1; the line above each says what it decides.

    Draft: API Internals.
    """

    #: The public parameters; they are fixed for everybody.
    limits: Level1Limits

    #: The site that a text names, or None if it names none.
    parse_site: Callable[[Level1Limits, str], str | None]
    #: Whether the page may call the interface now, and its activation afterwards; None refuses.
    check_activation: Callable[[OnBrowser, Activation], Activation | None]
    #: The impression that a call asks to save; it raises what the call is rejected with.
    validate_impression: Callable[[OnBrowser, Caller, ImpressionOptions], Impression]
    #: What the store holds after an impression was saved.
    save: Callable[[OnBrowser, Impression], tuple[Impression, ...]]

    #: When the epochs of a device start, drawn at first use.
    epoch_start: Callable[[OnBrowser, int], Random[int]]
    #: The first epoch whose impressions may be used.
    first_epoch: Callable[[OnBrowser], int]

    #: The conversion that a call asks to measure; it raises what the call is rejected with.
    validate_conversion: Callable[[Level1Rules, ConversionOptions], Conversion]
    #: Whether an impression, of whichever epoch, is selected.
    matches: Callable[[AtConversion, Impression], bool]
    #: Whether the conversion counts as one about a single epoch.
    single_epoch: Callable[[AtConversion], bool]
    #: What a report costs the site and what it costs the shared limits, from its L1 norm.
    charge: Callable[[AtConversion, bool, int], Charge]
    #: The budgets after an epoch has paid, and its impressions that are used; none if it cannot.
    deduct: Callable[
        [AtConversion, Budgets, int, tuple[Impression, ...], Charge],
        tuple[Budgets, tuple[Impression, ...]],
    ]
    #: Whole numbers in the proportion of the credit that sum to the value.
    allocate: Callable[[tuple[Fraction, ...], int, Draw], tuple[int, ...]]
    #: The histogram of the impressions that are used.
    fill: Callable[[AtConversion, tuple[Impression, ...], Draw], Histogram]
    #: The budgets after attribution, and the histogram.
    attribute: Callable[[AtConversion, Draw], tuple[Budgets, Histogram]]
    #: The budget in grains that a report says in clear was spent on it.
    stated_budget: Callable[[AtConversion], int]

    #: What the store holds after a site asked to clear its impressions.
    clear_site: Callable[[OnBrowser, str], tuple[Impression, ...]]
    #: The device after the user cleared the history of some sites, or of all.
    clear_history: Callable[[OnBrowser, frozenset[str], bool], Device]
    #: Which time of clearing is remembered.
    last_clearing: Callable[[OnBrowser], int]

    #: Whether a report may take part in a job, and the service's record afterwards.
    accept: Callable[[AtAggregator, Report], Aggregator | None]
    #: The law of the noise that is added to every bucket.
    noise: Callable[[AtAggregator, tuple[Report, ...]], Noise]


def reject(name: ErrorName, why: str) -> NoReturn:
    """Reject a call.

    Draft: Save Impression Algorithm; Measure Conversion Algorithm.
    """
    raise Rejected(name, why)


class Rejected(SpecError):
    """Report that a call is rejected, by the name that the interface gives the error.

    A SyntaxError and a NotAllowedError are names of a DOMException.
    """

    def __init__(self, name: ErrorName, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name: ErrorName = name

    @property
    def is_dom_exception(self) -> bool:
        """Tell whether the error is a DOMException of this name."""
        return self.name in ("SyntaxError", "NotAllowedError")


class BadLevel1Limit(SpecError):
    """Report a public parameter outside its range."""
