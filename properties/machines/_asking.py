"""The queries that every machine with a service asks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from properties.machines._machine import Machine
from properties.strategies import KEYS, LIMITS, choices, discoveries, places, queries
from spec.aggregation_service import Query


class AskingMachine(Machine):
    """Ask for reports that have arrived, also again, and until nothing of the budget is left."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Query | None = None

    def reports_there_are(self) -> list[int]:
        """Return the identifiers of the reports that may be asked for."""
        raise NotImplementedError

    def ask_for(self, query: Query, report_ids: tuple[int, ...], choice: int) -> None:
        """Ask a query for the given reports."""
        self.asked = replace(query, report_ids=report_ids)
        self.play(self.asked, choice)

    @precondition(lambda self: bool(self.reports_there_are()))
    @rule(query=queries(LIMITS), chosen=places(), choice=choices())
    def ask(self, query: Query, chosen: tuple[int, ...], choice: int) -> None:
        """Ask for some of the reports, perhaps for one of them twice."""
        there = self.reports_there_are()
        self.ask_for(query, tuple(there[place % len(there)] for place in chosen), choice)

    @precondition(lambda self: self.asked is not None)
    @rule(query=queries(LIMITS), choice=choices())
    def ask_again(self, query: Query, choice: int) -> None:
        """Ask for the same reports as the last time."""
        if self.asked is not None:
            self.ask_for(query, self.asked.report_ids, choice)

    @precondition(lambda self: bool(self.reports_there_are()))
    @rule(query=discoveries(LIMITS), choice=st.sampled_from((1, 0)))
    def discover_keys(self, query: Query, choice: int) -> None:
        """Ask for all keys in the newest reports."""
        self.ask_for(query, tuple(self.reports_there_are()[-3:]), choice)

    @precondition(lambda self: bool(self.reports_there_are()))
    @rule(count=st.sampled_from((1, 2)), repeat=st.booleans())
    def use_up_the_budget(self, count: int, repeat: bool) -> None:
        """Ask for the newest reports with all the budget there is, perhaps for each twice."""
        newest = tuple(self.reports_there_are()[-count:])
        query = Query(epsilon=LIMITS.epsilon, keys=KEYS)
        self.ask_for(query, newest * 2 if repeat else newest, 0)
