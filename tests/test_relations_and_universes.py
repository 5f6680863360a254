"""A proposal's relation and universes ask for more, never for less, and the verdict names them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from properties.checks import (
    AGGREGATION,
    ATTRIBUTION,
    EVENT_LEVEL,
    PRIVACY,
    TOGETHER,
    applies,
    game_check,
    property_checks,
    universe_for,
)
from properties.game_findings import EFFORTS
from properties.machines import Machine, machine_finding
from properties.machines.attribution_client import AttributionMachine
from properties.machines.system import AttributionSystemMachine
from properties.observation import NoEncoding
from properties.play import attack_by
from sandproof import formats, verdict
from sandproof.about import About, Request
from sandproof.claim_result import ClaimResult
from sandproof.families import paper
from sandproof.families.paper import composed, overridden, weakness
from sandproof.jobs import Options
from sandproof.main import main
from sandproof.problems import BadInput
from sandproof.proposal import load
from sandproof.result import Result
from spec import PAPER, SMALL_LIMITS, Query, Source, Trigger, Universe
from spec.claims import CLAIMS
from spec.contributions import Credit, send
from spec.neighbours import (
    ATTRIBUTION_FIXED,
    EMPTY_STORE,
    MOVED_TO_DUMMY,
    NEVER_MATCHES,
    NEVER_REGISTERED,
    NULL_STORE,
    NULLED_AFTER_ADMISSION,
    Relation,
)
from spec.numbers import NATURAL
from spec.reports import Sent
from spec.verdicts import Evidence, Finding, Shape, Verdict

if TYPE_CHECKING:
    from spec.rules import AtContribution

PRESENCE = "a_report_is_sent_for_every_trigger"
HERE = Path(__file__).parent
UNSOUND, PROPOSALS = HERE / "unsound", HERE.parent / "proposals"
EVENTS = Universe(name="own", limits=SMALL_LIMITS, units=("A",), moves=1, promise="event")
SOURCES = replace(universe_for(ATTRIBUTION), name="own")
HEADER = """from spec import PAPER, Answer, Report, replace
from spec.neighbours import EMPTY_STORE, NEVER_MATCHES
from spec.universe import SMALL_LIMITS, Universe
"""
UNIVERSE = "UNIVERSE = Universe(name='wide', units=('A',), moves=1, limits=replace(SMALL_LIMITS, "


def written(directory: Path, source: str) -> Path:
    path = directory / "change.py"
    path.write_text(HEADER + source, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("relation", "claims"),
    [
        (ATTRIBUTION_FIXED, {ATTRIBUTION, EVENT_LEVEL, TOGETHER}),
        (NULL_STORE, {AGGREGATION}),
        (EMPTY_STORE, {AGGREGATION}),
        (NULLED_AFTER_ADMISSION, {ATTRIBUTION, AGGREGATION}),
        (MOVED_TO_DUMMY, {ATTRIBUTION}),
        (NEVER_MATCHES, {ATTRIBUTION}),
        (NEVER_REGISTERED, {ATTRIBUTION}),
        (replace(NEVER_MATCHES, name="own", reports="event"), {EVENT_LEVEL}),
    ],
    ids=lambda value: value.name if isinstance(value, Relation) else "",
)
def test_a_relation_is_for_the_guarantees_that_it_can_be_about(
    relation: Relation, claims: set[str]
) -> None:
    assert {claim for claim in CLAIMS if applies(relation, claim)} == claims


@pytest.mark.parametrize("universes", [(), (EVENTS,), (SOURCES,)])
def test_a_named_universe_does_not_decide_what_a_relation_is_for(
    universes: tuple[Universe, ...],
) -> None:
    checks = property_checks("quick", 0, NEVER_REGISTERED, universes)
    used = {(check.claim, check.relation) for check in checks if check.relation is not None}
    assert {claim for claim, relation in used if relation is NEVER_REGISTERED} == {ATTRIBUTION}


def test_relations_are_compared_by_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = replace(ATTRIBUTION_FIXED)
    assert overridden(CLAIMS[ATTRIBUTION], twin)
    assert not overridden(CLAIMS[ATTRIBUTION], ATTRIBUTION_FIXED)
    monkeypatch.setattr(paper, "CHECKS", ())
    kept = paper.checks_of("quick", 0, twin, ())
    assert {each.relation for each in kept if each.claim == ATTRIBUTION} == {twin}


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("replace(NEVER_MATCHES, reports='event')", "give it a name of its own"),
        ("replace(EMPTY_STORE, name='a', reports='event')", "which no guarantee is about"),
    ],
)
def test_a_relation_that_misleads_is_bad_input(
    relation: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, f"RULES = PAPER\nNEIGHBOURS = {relation}\n")
    assert main(["check", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def refuted(claim: str, relation: str = "") -> ClaimResult:
    found = Finding(claim=claim, check="game", evidence=Evidence.ATTACK, relation=relation)
    return ClaimResult(claim=CLAIMS[claim], findings=(found,), another_relation=relation)


UNDER = "under never registered (not the paper's relation"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "junit"])
def test_every_format_says_that_the_relation_is_not_the_papers(form: str) -> None:
    about = About(name="p.py", relation="never registered")
    result = Result(about=about, claims=(refuted(ATTRIBUTION, "never registered"),))
    assert result.headline == f"refuted {UNDER}): p.py: {ATTRIBUTION}"
    shown = formats.render(form, [result]).replace("&#x27;", "'")
    assert f"refuted {UNDER}): p.py" in shown
    assert formats.render("text", [result])
    assert (result.verdict, result.exit_status) == (Verdict.REFUTED, 1)


def test_the_headline_names_what_was_decided_with_another_relation() -> None:
    mixed = (refuted(ATTRIBUTION, "never registered"), refuted(AGGREGATION))
    about = About(name="p.py", relation="never registered")
    assert f"{UNDER} for {ATTRIBUTION}): p.py" in Result(about=about, claims=mixed).headline
    papers = Result(about=about, claims=(refuted(AGGREGATION),))
    assert papers.headline == f"refuted: p.py: {AGGREGATION}"


def test_parts_for_different_neighbours_are_not_composed() -> None:
    def kept(claim: str, relation: str = "") -> ClaimResult:
        found = Finding(claim=claim, check="proof", evidence=Evidence.PROOF)
        return ClaimResult(claim=CLAIMS[claim], findings=(found,), another_relation=relation)

    whole = ClaimResult(claim=CLAIMS[TOGETHER])
    (*_, known) = composed([kept(ATTRIBUTION), kept(EVENT_LEVEL), whole])
    (*_, mixed) = composed([kept(ATTRIBUTION, "never matches"), kept(EVENT_LEVEL), whole])
    assert (known.verdict, mixed.verdict) == (Verdict.SEARCHED, Verdict.UNKNOWN)


def test_every_finding_names_its_relation() -> None:
    options = Options(effort="quick", jobs=1, only=(ATTRIBUTION,))
    (result,) = verdict.run([Request(path=PROPOSALS / "never_registered.py")], options)
    assert result.headline.startswith(f"refuted {UNDER}): ")
    assert result.exit_status == 1
    (claim,) = json.loads(formats.render("json", [result]))["claims"]
    assert claim["neighbours"] == "never registered"
    assert {check["neighbours"] for check in claim["checks"]} == {"never registered"}


@pytest.mark.parametrize("claim", PRIVACY)
def test_the_default_universe_is_searched_besides_a_named_one(claim: str) -> None:
    default = universe_for(claim)
    named = replace(default, name="own")
    usual = {check.name for check in property_checks("standard") if check.claim == claim}
    checks = property_checks("standard", 0, None, (named,))
    names = {check.name for check in checks if check.claim == claim}
    assert usual < names
    assert {name for name in names - usual if name.startswith("game: own, ")}


def test_what_was_searched_in_a_named_universe_says_so() -> None:
    small = replace(
        universe_for(ATTRIBUTION), name="own", trigger_count=1, query_count=1, moves=3, moments=()
    )
    named = game_check(ATTRIBUTION, ATTRIBUTION_FIXED, small, EFFORTS["quick"], named=True)
    found = named.run(PAPER)
    assert found.verdict is Verdict.SEARCHED
    assert found.bound.endswith("in a universe that the proposal names")
    usual = game_check(ATTRIBUTION, ATTRIBUTION_FIXED, small, EFFORTS["quick"])
    assert "names" not in usual.run(PAPER).bound


def test_a_universe_cannot_hide_what_the_default_one_shows() -> None:
    options = Options(effort="quick", jobs=1, only=(ATTRIBUTION, AGGREGATION))
    path = UNSOUND / "named_universe_hides_a_delay.py"
    (result,) = verdict.run([Request(path=path)], options)
    assert result.verdict is Verdict.REFUTED, result.headline


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("delta=Fraction(1, 2)))", "promises a delta of 1/2; it must be below 1/2"),
        ("delta=Fraction(1)))", "promises a delta of 1; it must be below 1/2"),
        ("epsilon=Fraction(100)))", "promises an epsilon of 100, which is larger than that of"),
    ],
)
def test_a_universe_that_promises_next_to_nothing_is_bad_input(
    limits: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = f"from fractions import Fraction\nRULES = PAPER\n{UNIVERSE}{limits}\n"
    assert main(["check", str(written(tmp_path, source))]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"the universe 'wide' {message}" in line


def test_a_promise_is_weak_only_beside_that_of_the_rules() -> None:
    def own(**limits: object) -> Universe:
        return replace(SOURCES, limits=replace(SMALL_LIMITS, **limits))  # type: ignore[arg-type]

    assert not weakness(own(delta=Fraction(49, 100)), PAPER.limits)
    assert not weakness(own(epsilon=Fraction(92)), PAPER.limits), "2^92 < e^64"
    assert weakness(own(epsilon=Fraction(93)), PAPER.limits), "2^93 > e^64"
    assert not weakness(own(epsilon=Fraction(64), base=NATURAL), PAPER.limits)
    strict = replace(PAPER.limits, epsilon=Fraction(1))
    assert not weakness(own(), strict), "the small limits are always fine"
    assert weakness(own(epsilon=Fraction(5)), strict)
    assert not weakness(replace(EVENTS, limits=replace(SMALL_LIMITS, delta=Fraction(1))), strict)


@pytest.mark.parametrize("path", sorted(PROPOSALS.glob("*.py")), ids=lambda path: path.stem)
def test_the_catalogue_can_be_loaded(path: Path) -> None:
    if path.stem[0] != "_":
        paper.check_relation(load(Request(path=path)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Be equal to any other envelope with this identifier, whatever it holds."""

    report_id: int
    payload: tuple[object, ...] = field(default=(), compare=False)


def send_envelopes(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    return tuple(
        replace(
            each,
            shown=Envelope(report_id=each.report.report_id, payload=each.report.contributions),
        )
        for each in send(at, granted)
    )


class Lenient:
    """Be equal to everything of its kind, without being data."""

    def __eq__(self, other: object) -> bool:
        return type(other) is Lenient

    def __hash__(self) -> int:
        return 1


def send_lenient(at: AtContribution, granted: tuple[Credit, ...]) -> tuple[Sent, ...]:
    return tuple(replace(each, shown=Lenient()) for each in send(at, granted))


ENVELOPES = replace(PAPER, send=send_envelopes)
MOVES = (
    Source(source_id="x", destination="d", expiry=99, filters=frozenset("a"), key=1),
    Trigger(report_id=1, destination="d", filters=frozenset("a"), key=0, value=2),
)


def test_scripts_compare_what_is_seen_as_data() -> None:
    promised = (Fraction(1), Fraction(0))
    attack = attack_by(ENVELOPES, ATTRIBUTION_FIXED, "x", MOVES, promised)
    assert attack is not None
    assert (attack.world, attack.gained) == ("with x", Fraction(1))
    assert attack_by(PAPER, ATTRIBUTION_FIXED, "x", MOVES, promised) is None
    asked = (*MOVES, Query(epsilon=Fraction(1), report_ids=(1,), keys=(1,)))
    with_a_query = attack_by(ENVELOPES, ATTRIBUTION_FIXED, "x", asked, promised)
    assert with_a_query is not None
    assert with_a_query.gained == 1
    assert attack_by(PAPER, ATTRIBUTION_FIXED, "x", asked, promised) is None


@pytest.mark.parametrize(
    ("machine", "claim"), [(AttributionSystemMachine, ATTRIBUTION), (AttributionMachine, PRESENCE)]
)
def test_machines_compare_what_is_seen_as_data(machine: type[Machine], claim: str) -> None:
    found = machine_finding(machine, claim, ENVELOPES)
    assert found.verdict is Verdict.REFUTED, found.detail


def test_machines_do_not_pass_over_what_is_no_data() -> None:
    with pytest.raises(NoEncoding, match="a Lenient cannot be compared as data"):
        machine_finding(AttributionMachine, PRESENCE, replace(PAPER, send=send_lenient))


def test_what_is_shown_and_is_no_data_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """
from spec.contributions import send
class Lenient:
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 1
def send_lenient(at, granted):
    return tuple(replace(each, shown=Lenient()) for each in send(at, granted))
RULES = replace(PAPER, send=send_lenient)
"""
    path = written(tmp_path, source)
    assert main(["check", str(path), "--effort", "quick", "--jobs", "1"]) == 2
    (last,) = capsys.readouterr().out.strip().splitlines()[-1:]
    assert last == f"bad input: {path}: a Lenient cannot be compared as data"


def test_a_vacuous_universe_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    source = f"from fractions import Fraction\nRULES = PAPER\n{UNIVERSE}delta=Fraction(3, 4)))\n"
    with pytest.raises(BadInput, match="promises a delta of 3/4"):
        load(Request(path=written(tmp_path, source)))


def test_scripts_are_followed_with_every_known_relation_and_with_no_other() -> None:
    def followed(relation: Relation) -> set[str]:
        checks = property_checks("quick", 0, relation)
        scripts = [check for check in checks if check.shape is Shape.SCRIPTS]
        return {check.claim for check in scripts if check.relation is relation}

    assert followed(NULLED_AFTER_ADMISSION) == {ATTRIBUTION, AGGREGATION}
    assert followed(NEVER_REGISTERED) == {ATTRIBUTION}
    assert followed(replace(NEVER_REGISTERED, name="own")) == set()
