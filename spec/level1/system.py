"""The devices, the aggregation service and the sites as one interactive mechanism.

A move is what can happen: a page calls the interface, a user acts, a batch is aggregated. What is
seen because of it is a tuple of sights, each with the site that sees it: the conversion site, whose
budget is charged, whoever collects on its behalf. A call always gets an answer, and the answer does
not tell whether an impression was saved or matched, what is left of a budget, or whether the user
has turned the interface off.

Every move has a time of its own. A wall clock may be set back, so times need not rise.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TypeAlias

from immutables import Map

from spec.distributions import Draw
from spec.level1.aggregation import Aggregator, Job, Report, Task, aggregate
from spec.level1.device import Activation, Device, with_epochs
from spec.level1.impressions import ImpressionOptions
from spec.level1.measurement import ConversionOptions, nothing
from spec.level1.rules import (
    AtConversion,
    Caller,
    ErrorName,
    Level1Rules,
    OnBrowser,
    Rejected,
    reject,
)
from spec.level1.sites import checked_site
from spec.numbers import SpecError

DEVICE = "device"
"""The device that is meant where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveImpression:
    """Let a page call saveImpression().

    Draft: Saving Impressions.
    """

    now: int
    caller: Caller
    options: ImpressionOptions
    device: str = DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureConversion:
    """Let a page call measureConversion(); the report gets this identifier.

    Draft: Requesting Attribution for a Conversion.
    """

    now: int
    caller: Caller
    options: ConversionOptions
    report_id: int
    device: str = DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearSiteData:
    """Let a site clear its impressions.

    Draft: `Clear-Site-Data` Integration.
    """

    now: int
    site: str
    device: str = DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearHistory:
    """Let the user clear the history of some sites, or, forgetting visits, of all.

    Draft: Last Browsing History Clear Time.
    """

    now: int
    sites: frozenset[str]
    forget_visits: bool
    device: str = DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEnabled:
    """Let the user turn the interface on or off.

    Draft: Disabling the Attribution API.
    """

    now: int
    enabled: bool
    device: str = DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Activate:
    """Let the user act on a page.

    Draft: Attribution API Activation.
    """

    now: int
    page: str = "page"
    device: str = DEVICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Navigate:
    """Let a page go to another site, which disables the interface there.

    Draft: Attribution API Activation.
    """

    now: int
    page: str = "page"
    device: str = DEVICE


UserMove: TypeAlias = ClearSiteData | ClearHistory | SetEnabled | Activate | Navigate
Level1Move: TypeAlias = SaveImpression | MeasureConversion | UserMove | Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Hold what a site sees: nothing more than that a call was answered, a report, or a sum.

    Draft: Information Exposed by the Attribution API.
    """

    site: str
    shown: Hashable = None
    rejected: ErrorName | None = None


Level1Observation: TypeAlias = tuple[Sight, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1System:
    """Hold every device, the aggregation service, and the reports that the sites hold.

    Draft: API Internals.
    """

    devices: Map[str, Device] = Map()
    aggregator: Aggregator = Aggregator()
    reports: Map[int, Report] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Level1Mechanism:
    """Be the interactive mechanism of the whole system under the given rules.

    Draft: Privacy Unit.
    """

    rules: Level1Rules
    initial: Level1System = Level1System()

    def step(
        self, state: Level1System, action: Level1Move, draw: Draw
    ) -> tuple[Level1System, Level1Observation]:
        """Make one move."""
        return step(self.rules, state, action, draw)


def step(
    rules: Level1Rules, system: Level1System, move: Level1Move, draw: Draw
) -> tuple[Level1System, Level1Observation]:
    """Make one move; return the next state and what the sites see.

    Draft: API Internals.
    """
    if isinstance(move, Job):
        return run_job(rules, system, move, draw)
    device = system.devices.get(move.device, Device())
    if not isinstance(move, SaveImpression | MeasureConversion):
        device = acted_on(rules, device, move, draw)
        return replace(system, devices=system.devices.set(move.device, device)), ()
    seen = Sight(site=move.caller.site)
    try:
        device = called(rules, device, move)
        if isinstance(move, SaveImpression):
            device = save_impression(rules, device, move)
        else:
            device, report = measure_conversion(rules, device, move, draw)
            system, seen = with_report(system, report)
    except Rejected as error:
        seen = replace(seen, rejected=error.name)
    return replace(system, devices=system.devices.set(move.device, device)), (seen,)


def with_report(system: Level1System, report: Report) -> tuple[Level1System, Sight]:
    """Return the system with a new report, and what the site sees of it.

    Draft: Measure Conversion Algorithm.
    """
    if report.report_id in system.reports:
        raise ReportTaken(f"a report with identifier {report.report_id} exists already")
    system = replace(system, reports=system.reports.set(report.report_id, report))
    return system, Sight(site=report.task.budget_source, shown=report.shown)


def acted_on(rules: Level1Rules, device: Device, move: UserMove, draw: Draw) -> Device:
    """Return the device after the user acted, or a site cleared its data; nobody sees it.

    Draft: API Internals.
    """
    at = OnBrowser(rules=rules, now=move.now, device=device)
    match move:
        case ClearSiteData():
            return replace(device, impressions=rules.clear_site(at, move.site))
        case ClearHistory():
            if not move.forget_visits:
                if not move.sites:
                    raise NothingToClear("to clear without forgetting visits, sites must be named")
                at = replace(at, device=with_epochs(rules, move.now, device, draw))
            return rules.clear_history(at, move.sites, move.forget_visits)
        case SetEnabled():
            return replace(device, enabled=move.enabled)
        case Activate():
            page = device.pages.get(move.page, Activation())
            return with_page(device, move.page, replace(page, activated=move.now))
        case Navigate():
            page = device.pages.get(move.page, Activation())
            return with_page(device, move.page, replace(page, enabled=False))
        case _:
            raise UnknownLevel1Move(f"{move!r} is not a move")


def with_page(device: Device, name: str, page: Activation) -> Device:
    """Return the device with another state of a page.

    Draft: Attribution API Activation.
    """
    return replace(device, pages=device.pages.set(name, page))


def called(rules: Level1Rules, device: Device, move: SaveImpression | MeasureConversion) -> Device:
    """Let a page call the interface, or reject the call because the page is not active.

    Draft: Attribution API Activation; Site Names.
    """
    for site in (move.caller.site, move.caller.intermediary):
        if site is not None and checked_site(rules, site) != site:
            raise NotASite(f"{site!r} is not the name of a site")
    at = OnBrowser(rules=rules, now=move.now, device=device)
    page = rules.check_activation(at, device.pages.get(move.caller.page, Activation()))
    if page is None:
        reject("NotAllowedError", "the user has not acted on this page")
    return device if page == Activation() else with_page(device, move.caller.page, page)


def save_impression(rules: Level1Rules, device: Device, move: SaveImpression) -> Device:
    """Check and save an impression; it is checked even where the interface is turned off.

    Draft: Save Impression Algorithm.
    """
    at = OnBrowser(rules=rules, now=move.now, device=device)
    impression = rules.validate_impression(at, move.caller, move.options)
    return replace(device, impressions=rules.save(at, impression)) if device.enabled else device


def measure_conversion(
    rules: Level1Rules, device: Device, move: MeasureConversion, draw: Draw
) -> tuple[Device, Report]:
    """Attribute a conversion and make its report, which is all zeros if the interface is off.

    Draft: Measure Conversion Algorithm; Report Encryption For DAP.
    """
    conversion = rules.validate_conversion(rules, move.options)
    if device.enabled:
        device = with_epochs(rules, move.now, device, draw)
    at = AtConversion(
        rules=rules, now=move.now, device=device, caller=move.caller, conversion=conversion
    )
    budgets, histogram = device.budgets, nothing(at)
    if device.enabled:
        budgets, histogram = rules.attribute(at, draw)
    task = Task(
        service=conversion.service,
        histogram_size=conversion.histogram_size,
        max_value=conversion.max_value,
        collector=move.caller.name,
        budget_source=move.caller.site,
    )
    report = Report(
        report_id=move.report_id,
        task=task,
        stated_budget=rules.stated_budget(at),
        histogram=histogram,
    )
    return replace(device, budgets=budgets), report


def run_job(
    rules: Level1Rules, system: Level1System, job: Job, draw: Draw
) -> tuple[Level1System, Level1Observation]:
    """Aggregate the reports that a job names, each once; the site sees the sum or a refusal.

    Draft: Aggregation; Anti-Replay Requirements.
    """
    named = dict.fromkeys(job.report_ids)
    missing = [report_id for report_id in named if report_id not in system.reports]
    if missing or not named:
        raise NoSuchReport(f"no report has the identifier {missing or 'of any report'}")
    batch = tuple(system.reports[report_id] for report_id in named)
    aggregator, sums = aggregate(rules, system.aggregator, job, batch, draw)
    system = replace(system, aggregator=aggregator)
    return system, (Sight(site=batch[0].task.budget_source, shown=sums),)


class ReportTaken(SpecError):
    """Report an identifier that another report has."""


class NoSuchReport(SpecError):
    """Report a job that names a report that does not exist."""


class NothingToClear(SpecError):
    """Report a clearing of site data that names no site."""


class NotASite(SpecError):
    """Report a caller that is written with more than its registrable domain."""


class UnknownLevel1Move(SpecError):
    """Report a move that is none."""
