"""Pages: the state of a run through the paper's own rules, in little memory.

The state lies in a temporary database on disk. A move sees a `System` that holds what the move can
touch: its own device, the source it names, its own report. The functions of the specification run
on that as on the whole, and what comes of it is written back. Devices that were used last are kept
in memory, and new reports and sources until there are enough of them to be written together.

A query takes its batch in parts, so that no batch has to fit into memory. Under the paper's rules a
batch is a set, each report is charged for itself, by what it has spent alone, and an answer depends
on the batch only through the sum of each key: the service's own `batch`, `settle` and `totals` run
on every part, `charge` once for every amount, and `answer` on one report that carries the sums. If
a part cannot pay, all that was charged is taken back. `tests/test_pages.py` compares all of this
with the whole state.
"""

from __future__ import annotations

import marshal
import pickle
import sqlite3
from collections.abc import Callable, Hashable, Iterator
from heapq import heappop, heappush
from itertools import groupby, islice
from typing import TypeAlias, cast

from immutables import Map

from sandproof.simulation import Row, ends_of, event_rows, make_move, query_row
from sandproof.trace import Entry, Ranges
from spec import (
    Aborted,
    AggregationClient,
    AtService,
    AttributionClient,
    Draw,
    EventClient,
    EventSource,
    PassTime,
    Query,
    Report,
    Rules,
    Service,
    Source,
    System,
    replace,
    step,
)
from spec.aggregation_service import Outcome, Spent, named_reports
from spec.reports import Contribution, Key, ReportId
from spec.system import claim_identifier

Clients: TypeAlias = tuple[
    Map[str, AttributionClient], Map[str, AggregationClient], Map[str, EventClient]
]
"""The clients of one device, as a system holds them: none that has done nothing yet."""

Amount: TypeAlias = tuple[int, ...]
Charge: TypeAlias = Callable[[AtService, Spent, Report], Spent | None]

NO_CLIENTS: Clients = Map(), Map(), Map()

TABLES = """
PRAGMA cache_size = -65536;
PRAGMA synchronous = OFF;
CREATE TABLE reports (id BLOB PRIMARY KEY, contributions BLOB, spent INTEGER) WITHOUT ROWID;
CREATE TABLE sources (id BLOB PRIMARY KEY, device BLOB) WITHOUT ROWID;
CREATE TABLE devices (name BLOB PRIMARY KEY, clients BLOB) WITHOUT ROWID;
BEGIN;
"""

SOURCES = (Source, EventSource)

PART = 10_000
"""How many reports of a batch are taken at once, and how many new ones are written at once."""

DEVICES = 20_000
"""How many devices are kept in memory."""


class Pages:
    """Keep the state of a run through the paper's own rules in a temporary database."""

    def __init__(self, rules: Rules, draw: Draw) -> None:
        self.rules, self.draw, self.now = rules, draw, 0
        self.ends: list[tuple[int, str]] = []
        self.recent: dict[str, Clients] = {}
        self.arrived: dict[ReportId, Report] = {}
        self.largest_written = -1
        self.registered: dict[str, str] = {}
        self.spent: list[Spent] = []
        self.places: dict[Amount, int] = {}
        # A database without a name is private and temporary; it is on disk as far as it is large.
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.executescript(TABLES)

    def begin(self, end: str) -> None:
        """End a transaction, and begin the next: what is charged can be taken back."""
        self.database.execute(end)
        self.database.execute("BEGIN")

    def pass_time(self, until: int) -> Iterator[Row]:
        """Let time pass; a device is touched when its windows end."""
        while self.ends and self.ends[0][0] <= until:
            moment = self.ends[0][0]
            due: set[str] = set()
            while self.ends and self.ends[0][0] == moment:
                due.add(heappop(self.ends)[1])
            events = {device: self.clients(device)[2][device] for device in due}
            yield from self.pass_until(moment, System(now=self.now, events=Map(events)))
        yield from self.pass_until(until, System(now=self.now))

    def pass_until(self, moment: int, system: System) -> Iterator[Row]:
        """Let time pass until a moment for the devices of a system."""
        system, seen = step(self.rules, system, PassTime(until=moment), self.draw)
        for device, client in system.events.items():
            self.recent[device] = (*self.clients(device)[:2], Map({device: client}))
        self.now = moment
        yield from event_rows(moment, seen)

    def make_move(self, entry: Entry) -> Row:
        """Make one move and describe what came of it."""
        move = entry.move
        if isinstance(move, Query):
            self.write()
            outcome, sums = self.ask(move, merged(entry.reports))
            return query_row(self.now, move, outcome, sums)
        assert move is not None
        assert not isinstance(move, PassTime)
        source_id = move.source_id if isinstance(move, SOURCES) else entry.credited
        system = self.looked_at(move.device, source_id)
        after, row = make_move(self.rules, system, entry, self.draw)
        for report in after.reports.values():
            self.add_report(report)
        if isinstance(move, SOURCES):
            self.registered[move.source_id] = move.device
        if isinstance(move, EventSource):
            for end in ends_of(move, self.now):
                heappush(self.ends, (end, move.device))
        self.recent[move.device] = after.attribution, after.aggregation, after.events
        if len(self.arrived) + len(self.registered) >= PART:
            self.write()
        return row

    def looked_at(self, device: str, source_id: str | None) -> System:
        """Return the system as a device, and whoever asks for a source, sees it."""
        attribution, aggregation, events = self.clients(device)
        registered: Map[str, str] = Map()
        if source_id is not None:
            where = self.device_of(source_id)
            registered = registered if where is None else registered.set(source_id, where)
        return System(
            now=self.now,
            attribution=attribution,
            aggregation=aggregation,
            events=events,
            registered=registered,
        )

    def device_of(self, source_id: str) -> str | None:
        """Return the device on which a source is registered, if it is."""
        if source_id in self.registered:
            return self.registered[source_id]
        query = "SELECT device FROM sources WHERE id = ?"
        found = self.database.execute(query, (name_of(source_id),)).fetchone()
        return found[0].decode(errors="surrogatepass") if found else None

    def clients(self, device: str) -> Clients:
        """Return the clients of a device, which is then the one that was used last."""
        found = self.recent.pop(device, None)
        if found is None:
            query = "SELECT clients FROM devices WHERE name = ?"
            kept = self.database.execute(query, (name_of(device),)).fetchone()
            found = pickle.loads(kept[0]) if kept else NO_CLIENTS
            if len(self.recent) >= DEVICES:
                self.put_away()
        self.recent[device] = found
        return found

    def put_away(self) -> None:
        """Write half of the devices to disk: those that were not used for longest."""
        oldest = list(islice(self.recent, (DEVICES + 1) // 2))
        self.database.executemany(
            "INSERT OR REPLACE INTO devices VALUES (?, ?)",
            ((name_of(each), pickle.dumps(self.recent.pop(each))) for each in oldest),
        )

    def add_report(self, report: Report) -> None:
        """Keep a report that has arrived; an identifier that is in use is refused."""
        if report.report_id in self.arrived or self.is_written(report.report_id):
            used = System(used_ids=Map({report.report_id: None}))
            claim_identifier(used, report.report_id)
        self.arrived[report.report_id] = report

    def is_written(self, report_id: ReportId) -> bool:
        """Tell whether a report is in the database; where identifiers grow, nobody need look."""
        if report_id > self.largest_written:
            return False
        query = "SELECT 1 FROM reports WHERE id = ?"
        return self.database.execute(query, (encoded(report_id),)).fetchone() is not None

    def write(self) -> None:
        """Write the reports and sources that are not in the database yet."""
        self.largest_written = max(self.largest_written, *self.arrived, -1)
        self.database.executemany(
            "INSERT INTO reports VALUES (?, ?, NULL)",
            (
                (encoded(each), marshal.dumps([(c.key, c.value) for c in report.contributions]))
                for each, report in self.arrived.items()
            ),
        )
        self.database.executemany(
            "INSERT OR IGNORE INTO sources VALUES (?, ?)",
            ((name_of(each), name_of(device)) for each, device in self.registered.items()),
        )
        self.arrived.clear()
        self.registered.clear()

    def ask(self, query: Query, ranges: Ranges) -> tuple[object, dict[Key, int]]:
        """Serve a query part by part; return what the ad-tech sees, and the true sums."""
        rules = replace(self.rules, charge=once_per_amount(self.rules.charge))
        self.refuse_unknown(query, ranges)
        self.begin("COMMIT")
        sums: dict[Key, int] = {}
        outcome: Outcome | None = None
        for part in parts(ranges):
            reports, ledger = self.looked_up(part)
            ids = tuple(each for first, last in part for each in range(first, last + 1))
            at = AtService(
                rules=rules,
                now=self.now,
                service=Service(ledger=Map(ledger)),
                query=replace(query, report_ids=ids),
            )
            batch = self.draw(rules.batch(at, named_reports(at.query, Map(reports))))
            after, accepted = self.draw(rules.settle(at, batch))
            if accepted is None:
                self.begin("ROLLBACK")
                outcome = Aborted()
                break
            self.charge(after)
            for key, value in rules.totals(at, accepted).items():
                sums[key] = sums.get(key, 0) + value
        at = AtService(rules=rules, now=self.now, service=Service(), query=query)
        carried = tuple(Contribution(key=key, value=value) for key, value in sums.items())
        batch = (Report(report_id=0, contributions=carried),)
        if outcome is None:
            outcome = rules.answer(at, batch, self.draw)
        return self.draw(rules.reveal(at, batch, outcome)), sums

    def refuse_unknown(self, query: Query, ranges: Ranges) -> None:
        """Refuse a query that names a report which has not arrived."""
        count = "SELECT count(*) FROM reports WHERE id BETWEEN ? AND ?"
        for first, last in ranges:
            bounds = encoded(first), encoded(last)
            if self.database.execute(count, bounds).fetchone()[0] <= last - first:
                known = "SELECT id FROM reports WHERE id BETWEEN ? AND ? ORDER BY id"
                missing = first
                for (found,) in self.database.execute(known, bounds):
                    if found != encoded(missing):
                        break
                    missing += 1
                named_reports(replace(query, report_ids=(missing,)), Map())

    def looked_up(self, part: Ranges) -> tuple[dict[ReportId, Report], dict[ReportId, Spent]]:
        """Return reports, and what those have spent that have spent something."""
        reports: dict[ReportId, Report] = {}
        ledger: dict[ReportId, Spent] = {}
        query = "SELECT id, contributions, spent FROM reports WHERE id BETWEEN ? AND ?"
        for first, last in part:
            for name, carried, spent in self.database.execute(
                query, (encoded(first), encoded(last))
            ):
                report_id = int.from_bytes(name)
                listed = marshal.loads(carried)
                contributions = tuple(Contribution(key=key, value=value) for key, value in listed)
                reports[report_id] = Report(report_id=report_id, contributions=contributions)
                if spent is not None:
                    ledger[report_id] = self.spent[spent]
        return reports, ledger

    def charge(self, ledger: Map[Hashable, Spent]) -> None:
        """Write down what reports have spent; equal amounts are kept once."""
        rows: list[tuple[int, ReportId]] = []
        for report_id, spent in ledger.items():
            amount = amount_of(spent)
            if amount not in self.places:
                self.places[amount] = len(self.spent)
                self.spent.append(spent)
            rows.append((self.places[amount], cast(ReportId, report_id)))
        self.database.executemany(
            "UPDATE reports SET spent = ? WHERE id BETWEEN ? AND ?",
            ((place, encoded(first), encoded(last)) for place, first, last in runs(rows)),
        )


def amount_of(spent: Spent) -> Amount:
    """Return an amount as whole numbers: a fraction's own hash takes longer than all the rest."""
    epsilon, delta = spent.epsilon, spent.delta
    return *epsilon.as_integer_ratio(), *delta.as_integer_ratio(), spent.queries


def once_per_amount(charge: Charge) -> Charge:
    """Return the paper's charge for one query, which is asked once for every amount spent."""
    known: dict[Amount, Spent | None] = {}

    def remembered(at: AtService, spent: Spent, report: Report) -> Spent | None:
        amount = amount_of(spent)
        if amount not in known:
            known[amount] = charge(at, spent, report)
        return known[amount]

    return remembered


def encoded(report_id: ReportId) -> bytes:
    """Return an identifier as bytes, which sort as numbers do."""
    return report_id.to_bytes(16)


def name_of(text: str) -> bytes:
    """Return a name as bytes; JSON can also write half a character."""
    return text.encode(errors="surrogatepass")


def runs(rows: list[tuple[int, ReportId]]) -> Iterator[tuple[int, ReportId, ReportId]]:
    """Yield the first and the last of identifiers that follow each other and have one place."""
    for _, group in groupby(
        enumerate(sorted(rows)), lambda each: (each[1][0], each[1][1] - each[0])
    ):
        members = [row for _, row in group]
        yield *members[0], members[-1][1]


def merged(ranges: Ranges) -> Ranges:
    """Return ranges that hold the same identifiers, in order, each once."""
    found: list[tuple[ReportId, ReportId]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return tuple(found)


def parts(ranges: Ranges) -> Iterator[Ranges]:
    """Cut ranges into parts of at most so many identifiers."""
    part: list[tuple[ReportId, ReportId]] = []
    room = PART
    for first, last in ranges:
        while first <= last:
            until = min(last, first + room - 1)
            part.append((first, until))
            room -= until - first + 1
            first = until + 1
            if room == 0:
                yield tuple(part)
                part, room = [], PART
    if part:
        yield tuple(part)
