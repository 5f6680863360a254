r"""As written, individual privacy does not imply privacy.

Claim: The definition compares $\mathcal{M}(S_{t-1}, D_t, q_t)$ with
    $\mathcal{M}(S_{t-1}, D_t^{-x}, q_t)$, from one state. A mechanism that stores its first
    database, answers a constant and then shows what it stored has the rollout of zeros, and is not
    private at all. In M_SR itself, a query about earlier reports has the rollout $(0, 0)$.
Paper: Thm. 4.2; Def. 4.1.
Method: Both mechanisms are run on exact laws. The subject of the proof is what counts as a rollout.
    With the rollouts of the text, zeros pass and the transcripts are apart: an event of probability
    one with $x$ has probability zero without it. With both histories replaced zeros do not pass.
Assumes: Nothing. (Where every database holds all records so far, and the state is a public ledger,
    the comparison of the text is the right one.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs._check import check_of
from proofs._proof import Proof
from proofs._subjects import search
from proofs.summary_mechanism_is_individually_private import SMALL
from spec import PAPER
from spec.aggregation_service import Query
from spec.contributions import Unit
from spec.distributions import Distribution, Draw, explore, hockey_stick, indistinguishable
from spec.individual_privacy import Neighbouring, Rollout, Steps, Theta, is_rollout, run
from spec.interaction import Data, Mechanism, Question, Response, State, Without, transcript
from spec.numbers import NATURAL, Base, Power
from spec.reports import Contribution
from spec.summary_mechanism import (
    Database,
    Record,
    SummaryMechanism,
    SummaryQuery,
    without_source,
)

ZEROS = (Theta(), Theta())


def is_literal_rollout(
    mechanism: Mechanism[State, tuple[Data, Question], Response],
    neighbour: Neighbouring[Data],
    unit: Unit,
    steps: Steps[Data, Question],
    rollout: Rollout,
    base: Base = NATURAL,
) -> bool:
    r"""Decide what a rollout is as the text puts it: $F_t(D_t)$, $F_t(D_t^{-x})$ from one state."""
    state = mechanism.initial
    for (database, question), theta in zip(steps, rollout, strict=True):
        without = neighbour(database, unit)
        _, law_without = run(mechanism, state, (without, question))
        state, law = run(mechanism, state, (database, question))
        if not indistinguishable(law, law_without, Power(base, theta.epsilon), theta.delta):
            return False
    return True


@dataclass(frozen=True, slots=True)
class StoreThenTell:
    """Be the mechanism that stores its first database and shows it from then on."""

    @property
    def initial(self) -> tuple[str, ...] | None:
        """Return that nothing is stored."""
        return None

    def step(
        self, state: tuple[str, ...] | None, action: tuple[tuple[str, ...], str], _: Draw
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """Store the database and show nothing, or show what was stored."""
        database, _question = action
        return (database, ()) if state is None else (state, state)


def remove(database: tuple[str, ...], unit: Unit) -> tuple[str, ...]:
    """Return the database without a unit."""
    return tuple(each for each in database if each != unit)


ROUNDS: list[tuple[tuple[str, ...], str]] = [(("x",), "store"), ((), "tell")]


def summary_rounds() -> list[tuple[Database, SummaryQuery]]:
    """Return a round in which x contributes, and one that asks for its report again."""
    query = Query(epsilon=Fraction(2), delta=Fraction(1, 4), report_ids=(1,))
    question = SummaryQuery(query=query, function=lambda _: Contribution(key=1, value=2))
    return [((Record(unit="x", report_id=1),), question), ((), question)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AsWritten:
    """Hold what counts as a rollout, of either mechanism, and the mechanism that stores."""

    of_storing: Callable[..., bool] = is_literal_rollout
    of_summaries: Callable[..., bool] = is_literal_rollout
    mechanism: StoreThenTell = StoreThenTell()


@search(
    "zeros are a rollout of a mechanism that stores first and tells later",
    by="exact laws",
    over="one mechanism, two rounds",
)
def zeros_pass(reading: AsWritten) -> Mapping[str, object] | None:
    """Look for a step at which zeros do not suffice."""
    given = (reading.mechanism, remove, "x", ROUNDS, ZEROS, Base(Fraction(2)))
    return None if reading.of_storing(*given) else {"epsilon": 0, "delta": 0, "rounds": 2}


@search(
    "its transcripts with and without x are as far apart as can be",
    by="exact laws",
    over="one mechanism, one adversary",
)
def transcripts_are_apart(reading: AsWritten) -> Mapping[str, object] | None:
    """Run both and compare the laws of the transcripts."""
    law, other = stored_transcripts(reading.mechanism)
    apart = hockey_stick(law, other, Fraction(2) ** 64)
    return None if apart == 1 else {"delta at 64 ln 2": apart}


def stored_transcripts(
    mechanism: StoreThenTell,
) -> tuple[Distribution[object], Distribution[object]]:
    """Return the laws of the transcript with and without x."""

    def ask(responses: tuple[object, ...]) -> tuple[tuple[str, ...], str] | None:
        return ROUNDS[len(responses)] if len(responses) < len(ROUNDS) else None

    without = Without(mechanism=mechanism, neighbour=remove, unit="x")
    first: Distribution[object] = explore(lambda draw: transcript(mechanism, ask, draw))
    second: Distribution[object] = explore(lambda draw: transcript(without, ask, draw))
    return first, second


@search(
    "in M_SR a query about earlier reports costs nothing",
    by="exact laws",
    over="M_SR at one choice of limits, two rounds",
)
def a_requery_is_free(reading: AsWritten) -> Mapping[str, object] | None:
    """Let the first query cost what it costs and the second nothing."""
    rollout = (Theta(epsilon=Fraction(2), delta=Fraction(1, 4)), Theta())
    mechanism = SummaryMechanism(rules=replace(PAPER, limits=SMALL))
    given = (mechanism, without_source, "x", summary_rounds(), rollout, SMALL.base)
    return None if reading.of_summaries(*given) else {"epsilon of the second query": 0}


class StoreAndKeep(StoreThenTell):
    """Be the mechanism that stores its first database and never shows it."""

    def step(
        self, state: tuple[str, ...] | None, action: tuple[tuple[str, ...], str], draw: Draw
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """Show nothing."""
        return StoreThenTell.step(self, state, action, draw)[0], ()


PAPERS = AsWritten()

PROOF = Proof(
    claim="rollouts_as_written_miss_the_state",
    subject=PAPERS,
    bound="two counterexamples",
    steps=(zeros_pass, transcripts_are_apart, a_requery_is_free),
    controls={
        "both histories of the mechanism that stores": replace(PAPERS, of_storing=is_rollout),
        "both histories of M_SR": replace(PAPERS, of_summaries=is_rollout),
        "a mechanism that never tells": replace(PAPERS, mechanism=StoreAndKeep()),
    },
)

CHECK = check_of(PROOF, method="two mechanisms run on exact laws")
