"""The formats: every one from the same result, each valid and complete."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import sandproof
from sandproof import formats
from sandproof.about import About, Change
from sandproof.claim_result import AttackRecord, ClaimResult, shortened
from sandproof.compare import rows_of, status_of
from sandproof.families import w3c
from sandproof.families.paper import promises
from sandproof.formats.sarif import from_here
from sandproof.formats.text import as_text
from sandproof.promise import Strength, compared
from sandproof.result import Repair, Result, overall
from sandproof.settings import shown
from sandproof.why import opening, why
from spec import PAPER, replace
from spec.claims import CLAIMS
from spec.neighbours import NEVER_REGISTERED
from spec.numbers import NATURAL, Base
from spec.verdicts import Evidence, Finding, Reason, Shape, Step, Verdict
from tests.small import EVIDENCE

SCHEMA = json.loads(
    (Path(sandproof.__file__).parent / "schemas" / "check.schema.json").read_text(encoding="utf-8")
)
ATTRIBUTION = "attribution_summaries_are_private"
LEDGER = "the_ledger_never_passes_the_caps"
LEMMA = "contributions_stay_within_budget"
OTHER = "joint_convexity"

ATTACK = AttackRecord(
    story="The unit x is source 'A'.\n\n1. Source 'A' is registered: " + "a & b <c>, " * 12 + ".\n"
    "   Probability so far: 1 with x, 1/2 without x.\n2. The ad-tech asks.",
    data={
        "unit": "source 'A'",
        "factor": "2",
        "steps": [
            {"move": "Source 'A' is registered.", "seen": "", "probability_with": "1"},
            {"move": "The ad-tech asks <now>.", "seen": "7", "probability_with": "1/3"},
        ],
    },
)


LIMITS = replace(PAPER.limits, delta=Fraction(1))


def row(
    claim: str,
    verdict: Verdict,
    attack: AttackRecord | None = None,
    counterexample: dict[str, str] | None = None,
) -> ClaimResult:
    found = Finding(
        claim=claim,
        check="game",
        evidence=EVIDENCE[verdict],
        shape=Shape.SMALL_UNIVERSE,
        method="worst adversary",
        bound="7 moves",
        detail="exact delta 1 where 1/32 is promised",
        seconds="1.25",
        steps=(Step(name="initiation", verdict=verdict, by="z3, cvc5"),),
        attack=attack,
        counterexample=counterexample,
    )
    scripts = replace(found, check="directed worlds", shape=Shape.SCRIPTS, attack=None)
    searched = verdict is Verdict.SEARCHED and Shape.SCRIPTS in CLAIMS[claim].shapes
    return ClaimResult(
        claim=CLAIMS[claim],
        findings=(found, scripts) if searched else (found,),
        promise=promises(replace(PAPER, limits=LIMITS)).get(claim),
        papers=promises(PAPER).get(claim),
    )


ABOUT = About(
    name="proposals/my_change.py",
    text="Change *something* & more.\n\nOrigin: ARA#1.",
    labels={"Origin": "ARA#1"},
    relation="attribution fixed",
    relation_meaning="attribution runs once",
    universes=("ARA: 2 sources",),
    changes=(
        Change(field="limits.delta", before="1/100000000", after="1/8"),
        Change(
            field="charge",
            before="spec.aggregation_service.charge",
            after="charge_nothing",
            source="def charge_nothing(limits, spent, query, report):\n    return spent",
            file="proposals/my_change.py",
            line=12,
        ),
    ),
)
UNAFFECTED = ClaimResult(claim=CLAIMS[OTHER], affected=False, why="it depends on no rule")
BROKEN = Result(
    about=ABOUT,
    claims=(
        row(ATTRIBUTION, Verdict.REFUTED, attack=ATTACK, counterexample={"delta": "1"}),
        row(LEDGER, Verdict.REFUTED, counterexample={"epsilon": "1/2"}),
        row(LEMMA, Verdict.REFUTED, counterexample={"value": "3"}),
        UNAFFECTED,
    ),
    seconds=2.5,
    notes=("proposals/my_change.py: prints while it runs: '\x1b[31mred'",),
    repairs=(Repair(field="charge", claim=LEDGER, how="proved: an invariant"),),
)
SOUND = Result(
    about=ABOUT,
    claims=(row(ATTRIBUTION, Verdict.SEARCHED), row(LEMMA, Verdict.UNKNOWN), UNAFFECTED),
)
OPEN = replace(SOUND, claims=(row(LEDGER, Verdict.UNKNOWN),), interrupted=True)
MISBEHAVED = replace(OPEN, misbehaved=("change.py: rule `charge` returned None",))
UNUSABLE = Result(about=About(name="empty.py"), bad_input="empty.py: the file is empty")
ALL = {
    "broken": BROKEN,
    "sound": SOUND,
    "open": OPEN,
    "misbehaved": MISBEHAVED,
    "unusable": UNUSABLE,
}


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ALL)
def test_json_follows_the_schema(name: str) -> None:
    data = json.loads(formats.render("json", [ALL[name]]))
    Draft202012Validator(SCHEMA).validate(data)
    assert data["verdict"] == ALL[name].verdict


def test_json_of_several_results_follows_the_schema() -> None:
    data = json.loads(formats.render("json", list(ALL.values())))
    Draft202012Validator(SCHEMA).validate(data)
    assert data["verdict"] == "refuted"
    assert len(data["results"]) == len(ALL)


def test_the_schema_refuses_what_is_wrong() -> None:
    data = json.loads(formats.render("json", [BROKEN]))
    for wrong in ({"verdict": "maybe"}, {"schema_version": 1}, {"claims": [{"id": "x"}]}):
        assert not Draft202012Validator(SCHEMA).is_valid(data | wrong)


def test_json_tells_kinds_verdicts_checks_and_counterexamples() -> None:
    claims = json.loads(formats.render("json", [BROKEN]))["claims"]
    assert [claim["verdict"] for claim in claims] == ["refuted"] * 3 + ["unaffected"]
    assert [claim["kind"] for claim in claims] == ["guarantee", "guarantee", "lemma", "lemma"]
    assert claims[0]["counterexample"]["story"].startswith("The unit x")
    assert claims[1]["counterexample"] == {"epsilon": "1/2"}
    assert claims[0]["checks"][0]["steps"][0]["by"] == "z3, cvc5"


@pytest.mark.parametrize("name", ALL)
def test_text_ends_in_the_verdict_and_fits_eighty_columns(name: str) -> None:
    *lines, last = as_text(ALL[name]).split("\n")
    assert last == ALL[name].headline
    assert [line for line in lines if len(line) > 80 and line != opening(ALL[name])] == []
    assert "\x1b" not in as_text(SOUND)


def test_colour_is_used_only_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[31mrefuted" in as_text(BROKEN, colour=True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert formats.in_colour()
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert formats.in_colour()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not formats.in_colour()


def test_text_tells_the_changes_the_attack_and_the_repair() -> None:
    text = as_text(BROKEN)
    assert "delta: 1/100000000 -> 1/8" in text
    assert "  + charge = charge_nothing" in text
    assert "def charge_nothing(limits, spent, query, report):" in text
    assert f"How {ATTRIBUTION} is broken" in text
    assert "with 2ε*" in text
    assert "With the paper's charge put back" in text
    assert "It depends on no rule: joint_convexity." in as_text(BROKEN, verbose=True)
    assert "It depends on no rule: 1 assumptions and lemmas." in text


CHARGED = "a_refused_query_charges_nothing"
FALLEN = replace(BROKEN, claims=(BROKEN.claims[0], row(CHARGED, Verdict.REFUTED)), repairs=())
WHY = f"refuted because {CHARGED} no longer holds: rule charge, line 12"
PROMISE = "(64, 1e-8) → (64, 1): WEAKER (a delta of 1 promises nothing), per source"


def test_a_refuted_change_opens_with_what_fell_and_with_which_rule_on_which_line() -> None:
    found = why(FALLEN)
    assert found is not None
    assert (found.claim.id, found.rule) == (CHARGED, "charge, line 12")
    assert opening(FALLEN) == WHY
    text = " ".join(as_text(FALLEN).split())
    assert text.startswith(f"{WHY} What no longer holds: A query that is refused leaves")
    assert text.index("1. Source 'A' is registered") < text.index("Changed against")
    assert text.index("Changed against") < text.index("Guarantees")
    page = formats.render("html", [FALLEN])
    assert WHY[1:] in page.replace("<wbr>", "")
    assert "rule charge, line 12" in formats.render("markdown", [FALLEN]).split("\n")[2]
    assert WHY in formats.render("junit", [FALLEN])
    data = json.loads(formats.render("json", [FALLEN]))["why"]
    assert (data["claim"], data["rule"], data["line"]) == (CHARGED, "charge", 12)


def test_a_rule_in_another_file_is_named_with_the_file() -> None:
    (change,) = (each for each in BROKEN.about.changes if each.line)
    for file, told in ((BROKEN.about.name, ""), ("some/helper.py", ", helper.py")):
        about = replace(BROKEN.about, changes=(replace(change, file=file),))
        assert opening(replace(FALLEN, about=about)) == WHY.replace(", line", f"{told}, line")


def test_names_are_not_broken_in_a_narrow_terminal() -> None:
    name = "summary_mechanism_is_individually_private"
    rows = (*BROKEN.claims, row(name, Verdict.REFUTED))
    assert f"{name}" in as_text(replace(BROKEN, claims=rows), width=40).replace(",", "").split()


def test_several_counterexamples_are_lines_of_their_own() -> None:
    found = BROKEN.claims[0].findings[0]
    others = tuple(replace(found, attack=None, detail=f"numbers {n}") for n in range(2))
    told = replace(BROKEN.claims[0], findings=(*others, found))
    assert told.reason.split("\n") == [found.detail or found.method, "numbers 0", "numbers 1"]
    assert "numbers 0" not in as_text(replace(BROKEN, claims=(told,)))


def test_an_assumption_that_fell_is_named_before_a_lemma() -> None:
    nulls = row("null_reports_are_charged", Verdict.REFUTED)
    found = why(replace(BROKEN, claims=(*BROKEN.claims, nulls)))
    assert found is not None
    assert found.claim.id == "null_reports_are_charged"
    only = replace(BROKEN, claims=BROKEN.claims[1:2])
    assert opening(only) == f"refuted because {LEDGER} no longer holds: rule charge, line 12"
    assert opening(OPEN) == ""
    assert why(SOUND) is None


def test_a_searched_change_opens_with_what_cost_the_proof_and_what_would_regain_it() -> None:
    game, scripts = SOUND.claims[0].findings
    cost = replace(game, evidence=Evidence.NONE, shape=Shape.NONE, detail="settle changed")
    proof = replace(cost, check="proof", reason=Reason.RULES_CHANGED)
    searched = replace(SOUND.claims[0], findings=(game, scripts, proof))
    assert opening(replace(SOUND, claims=(searched,))) == (
        "searched, not proved: settle changed; "
        "the proof returns if the rules that it names are the paper's again"
    )


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_report_speaks_of_the_document_of_its_family(form: str) -> None:
    game, scripts = SOUND.claims[0].findings
    cost = replace(game, evidence=Evidence.NONE, shape=Shape.NONE, check="proof")
    proof = replace(cost, reason=Reason.RULES_CHANGED)
    searched = replace(SOUND.claims[0], findings=(game, scripts, proof))
    about = replace(ABOUT, family="w3c", relation="")
    draft = replace(SOUND, about=about, claims=(searched, *SOUND.claims[1:]))
    text = " ".join(unescape(formats.render(form, [draft])).split())
    assert "if the rules that it names are the draft's again" in text
    assert "The draft's proof no longer applies here" in text
    assert "the paper" not in text.lower()


def test_promises_of_level_1_are_for_epochs() -> None:
    own = w3c.FAMILY.own
    told = {str(each) for each in w3c.promises(own, {}).values()}
    assert "(8, 0) per device and epoch, against all sites, epochs of 604800 s" in told
    assert not any("window" in each for each in told)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "junit", "sarif"])
def test_every_format_prints_the_promise_and_that_it_is_weaker(form: str) -> None:
    text = formats.render(form, [SOUND, BROKEN]).replace("\\", "").replace("&gt;", ">")
    assert PROMISE in " ".join(text.split())


def test_lemmas_are_counted_unless_they_are_asked_for() -> None:
    assert f"refuted  {LEMMA}" not in as_text(BROKEN)
    assert f"  1 refuted: {LEMMA}\n" in as_text(BROKEN)
    assert f"refuted  {LEMMA}" in as_text(BROKEN, verbose=True)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [40, 60, 100])
def test_text_keeps_to_the_width(name: str, width: int) -> None:
    lines = as_text(ALL[name], width=width, verbose=True).split("\n")[:-1]
    written = re.compile("def charge_nothing|return spent|[+-] charge|" + "|".join(CLAIMS))
    assert lines[0] == (opening(ALL[name]) or lines[0])
    assert [line for line in lines[1:] if len(line) > width and not written.search(line)] == []


@pytest.mark.parametrize("name", ALL)
def test_a_terminal_is_never_too_narrow_for_the_verdict(name: str) -> None:
    text = as_text(ALL[name], width=40, terminal=True)
    above, _, verdict = text.rpartition("\n\n")
    assert " ".join(verdict.split()) == ALL[name].headline
    first = above.partition("\n\n")[0].split("\n")
    longest = max(map(len, CLAIMS)) + 2
    assert all(len(line) <= max(40, longest) for line in (*verdict.split("\n"), *first))
    assert verdict.startswith(ALL[name].headline.partition(": ")[0])


def test_promises_are_compared() -> None:
    papers = promises(PAPER)

    def strengths(**limits: object) -> dict[str, Strength]:
        changed = replace(PAPER, limits=replace(PAPER.limits, **limits))  # type: ignore[arg-type]
        found = promises(changed)
        return {name: compared(papers[name], promise) for name, promise in found.items()}

    def of(weaker: Strength, *names: str) -> dict[str, Strength]:
        return {name: weaker if name in names else Strength.SAME for name in papers}

    event, together = "event_level_reports_are_private", "summary_and_event_reports_compose"
    windowed = "aggregation_summaries_are_private"
    summaries = (ATTRIBUTION, windowed, LEDGER, together)
    assert strengths() == of(Strength.SAME)
    assert strengths(delta=Fraction(1, 10**7)) == of(Strength.WEAKER, *summaries)
    assert strengths(delta=Fraction(1, 10**9)) == of(Strength.STRONGER, *summaries)
    assert strengths(event_epsilon=Fraction(15)) == of(Strength.WEAKER, event, together)
    assert strengths(window_length=300) == of(Strength.WEAKER, windowed)
    assert strengths(window_length=3600) == of(Strength.STRONGER, windowed)
    assert strengths(sparsity_budget=400) == of(Strength.SAME)
    both = strengths(epsilon=Fraction(1), delta=Fraction(1))
    assert set(both.values()) == {Strength.WEAKER, Strength.SAME}
    larger = strengths(base=Base(Fraction(3)), epsilon=Fraction(64))
    assert larger[ATTRIBUTION] is Strength.WEAKER, "3^64 > e^64"
    smaller = strengths(base=Base(Fraction(2)), epsilon=Fraction(64), event_epsilon=Fraction(14))
    assert set(smaller.values()) == {Strength.STRONGER}, "2^64 < e^64"


def test_promises_for_other_units_or_neighbours_are_not_comparable() -> None:
    papers = promises(PAPER)
    other = promises(PAPER, {ATTRIBUTION: NEVER_REGISTERED})
    assert compared(papers[ATTRIBUTION], other[ATTRIBUTION]) is Strength.OTHER
    units = promises(replace(PAPER, budget_unit=lambda at: PAPER.budget_unit(at)))
    windowed = "aggregation_summaries_are_private"
    assert compared(papers[windowed], units[windowed]) is Strength.OTHER
    assert "as the changed rule budget_unit decides" in str(units[windowed])


def test_a_weaker_promise_has_an_exit_status_of_its_own() -> None:
    proved = replace(SOUND, claims=(row(ATTRIBUTION, Verdict.PROVED),))
    assert proved.exit_status == 0
    assert proved.status(fail_if_weaker=True) == 4
    assert proved.headline.endswith("; the promise is WEAKER than the paper's")
    assert BROKEN.status(fail_if_weaker=True) == 1
    assert overall([proved, SOUND], fail_if_weaker=True) == 4
    assert overall([proved, BROKEN], fail_if_weaker=True) == 1


@pytest.mark.parametrize("name", ALL)
def test_sarif_points_at_the_rule(name: str) -> None:
    log = json.loads(formats.render("sarif", [ALL[name]]))
    (run,) = log["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {found["ruleId"] for found in run["results"]} == known
    levels = {found["ruleId"]: found["level"] for found in run["results"]}
    expected = {
        "broken": {ATTRIBUTION: "error", LEDGER: "error"},
        "sound": {ATTRIBUTION: "warning"},
        "open": {LEDGER: "warning"},
        "misbehaved": {LEDGER: "warning", "bad-input": "error"},
        "unusable": {"bad-input": "error"},
    }
    assert levels == expected[name]
    for found in run["results"]:
        (place,) = found["locations"]
        assert place["physicalLocation"]["region"]["startLine"] in (1, 12)
        assert not place["physicalLocation"]["artifactLocation"]["uri"].startswith("/")


def test_sarif_names_files_from_the_folder_in_which_it_is_made() -> None:
    for file in ("proposals/change.py", str(Path.cwd() / "proposals" / "change.py")):
        assert from_here(file) == "proposals/change.py"


def test_results_are_compared_guarantee_by_guarantee() -> None:
    strong = replace(row(ATTRIBUTION, Verdict.PROVED), promise=promises(PAPER)[ATTRIBUTION])
    old = replace(SOUND, claims=(strong, row(LEDGER, Verdict.PROVED)))
    for new, told, status in (
        (old, ["the same", "the same"], 0),
        (BROKEN, ["BROKEN", "BROKEN"], 1),
        (replace(old, claims=(row(ATTRIBUTION, Verdict.PROVED),)), ["promise WEAKER"], 4),
        (replace(old, claims=(row(LEDGER, Verdict.UNKNOWN),)), ["shown less"], 3),
        (UNUSABLE, [], 2),
    ):
        assert [each.told for each in rows_of(old, new)] == told
        assert status_of(old, new) == status
    assert [each.told for each in rows_of(BROKEN, old)] == [
        "shown more, promise stronger",
        "shown more",
    ]
    assert status_of(BROKEN, old) == 0


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Fraction(1, 10**8), "1e-8"),
        (Fraction(25, 10**9), "2.5e-8"),
        (Fraction(1, 8), "1/8"),
        (Fraction(3, 2), "1.5"),
        (Fraction(-1, 4), "-0.25"),
        (Fraction(1, 3), "1/3"),
        (Fraction(64), "64"),
        (Fraction(1, 32), "1/32"),
        (NATURAL, "e"),
        (20, "20"),
    ],
)
def test_numbers_are_shown_in_short_and_exactly(value: object, told: str) -> None:
    assert shown(value) == told
    if isinstance(value, Fraction):
        assert Fraction(told) == value


def test_a_lemma_that_falls_is_told_apart_from_a_guarantee_that_does() -> None:
    text = " ".join(as_text(SOUND).split())
    assert "The paper's proof no longer applies here" in text
    assert f"because {LEMMA} is not shown for these rules" in text
    assert f"decided instead, as is told above: {ATTRIBUTION} searched." in text
    assert text.count("worst adversary; 7 moves") == 1
    assert SOUND.verdict is Verdict.SEARCHED
    assert "no longer applies" not in as_text(BROKEN)


def searched_in(*names: str) -> Finding:
    return Finding(
        claim=LEDGER,
        check="game",
        evidence=Evidence.EXACT_IN_UNIVERSE,
        method="exact game",
        bound=f"small universes: {'; '.join(names)}",
        shape=Shape.SMALL_UNIVERSE,
    )


def test_many_universes_are_counted_and_named_if_that_is_asked_for() -> None:
    names = [f"universe {number}" for number in range(5)]
    findings = (searched_in(*names), searched_in(*(f"{name}, at real sizes" for name in names)))
    claim = replace(CLAIMS[LEDGER], shapes=(Shape.SMALL_UNIVERSE,))
    many = replace(SOUND, claims=(ClaimResult(claim=claim, findings=findings),))
    told = as_text(many)
    assert "exact game; 5 small universes\n" in told
    assert "exact game; 5 small universes at real sizes\n" in told
    assert "(-v names all universes)" in told
    assert "universe 3" not in told
    listed = " ".join(as_text(many, verbose=True).split())
    assert listed.count("; ".join(names)) == 1
    few = ClaimResult(claim=claim, findings=(searched_in(*names[:2]),))
    told = as_text(replace(many, claims=(few,)))
    assert "small universes: universe 0; universe 1" in told
    assert "-v names" not in told


def test_what_leaves_guarantees_open_is_told_once() -> None:
    steps = [f"unknown step {each}: a look at the impressions one by one" for each in "abc"]
    inner = "\n".join(step.replace("unknown", "UNKNOWN", 1) for step in steps)
    proof = Finding(
        claim=LEDGER,
        check="proof",
        reason=Reason.LEMMA_OPEN,
        detail=f"a_lemma: {'; '.join(steps[:2])}",
        steps=(Step(name="a_lemma", verdict=Verdict.UNKNOWN, by="z3", detail=inner),),
    )
    other = replace(proof, detail=f"a_lemma: {steps[0]}; {steps[2]}")
    missing = "no search reached " + "some long line of the change, " * 4
    claim = replace(CLAIMS[LEDGER], shapes=(Shape.SMALL_UNIVERSE,))
    rows = [
        ClaimResult(claim=claim, findings=(searched_in("one"), each), unreached=missing)
        for each in (proof, other, proof)
    ]
    text = as_text(replace(SOUND, claims=tuple(rows)))
    told = " ".join(text[: text.rindex("unknown: ")].split())
    assert all(told.count(step) == 1 for step in steps)
    assert told.count("no search reached") == 1
    assert "UNKNOWN" not in told
    assert f"not proved: {steps[2]}; the rest is told above" in told
    assert told.endswith("for the same reason not proved: for the same reason")


def test_exit_statuses_tell_the_verdict() -> None:
    statuses = {name: result.exit_status for name, result in ALL.items()}
    assert statuses == {"broken": 1, "sound": 3, "open": 3, "misbehaved": 2, "unusable": 2}
    accepted = {name: result.status([Verdict.SEARCHED]) for name, result in ALL.items()}
    assert accepted == statuses | {"sound": 0}
    proved = replace(SOUND, claims=(row(ATTRIBUTION, Verdict.PROVED), row(LEMMA, Verdict.UNKNOWN)))
    assert (proved.verdict, proved.exit_status) == (Verdict.PROVED, 0)
    assert replace(SOUND, claims=()).exit_status == 3


def test_all_claims_decide_the_verdict_on_the_papers_own_rules() -> None:
    proved = (row(ATTRIBUTION, Verdict.PROVED), row(LEMMA, Verdict.PROVED))
    own = Result(about=About(name="the paper's own rules"), claims=proved)
    assert (own.verdict, own.exit_status) == (Verdict.PROVED, 0)
    for verdict, status in ((Verdict.UNKNOWN, 3), (Verdict.REFUTED, 1)):
        lemma = replace(own, claims=(proved[0], row(LEMMA, verdict)))
        assert (lemma.verdict, lemma.exit_status) == (verdict, status)


@pytest.mark.parametrize("name", ALL)
def test_junit_is_xml_whose_counts_agree(name: str) -> None:
    root = ElementTree.fromstring(formats.render("junit", [ALL[name]]).encode())
    (suite,) = root.findall("testsuite")
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}"))
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))


def test_in_junit_only_guarantees_fail() -> None:
    root = ElementTree.fromstring(formats.render("junit", [BROKEN]).encode())
    failed = [c.attrib["name"] for c in root.iter("testcase") if c.find("failure") is not None]
    assert failed == [ATTRIBUTION, LEDGER]


def test_markdown_holds_the_table_the_source_and_the_attack() -> None:
    text = formats.render("markdown", [BROKEN])
    assert f"| **refuted** | `{ATTRIBUTION}` |" in text
    assert "```python\ndef charge_nothing" in text
    assert "```text\nThe unit x is source 'A'." in text
    assert "Change \\*something\\* & more." in text
    for line in text.split("\n"):
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) == 6


class Page(HTMLParser):
    """Collect what a page refers to, and whether its tags are closed."""

    VOID = ("meta", "br", "wbr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.references += [
            f"{name}={value}"
            for name, value in attrs
            if name in ("src", "href", "srcset", "action", "data", "poster")
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ALL)
def test_the_page_stands_alone(name: str) -> None:
    text = formats.render("html", [ALL[name]])
    page = Page(text)
    assert page.open == []
    assert page.references == []
    assert not re.search(r"https?:|//\w|@import|url\(|<link|<iframe|\bfetch\(|XMLHttp", text)
    assert "default-src 'none'" in text


def test_the_page_serves_both_themes_phones_and_the_keyboard() -> None:
    text = formats.render("html", [BROKEN])
    assert "prefers-color-scheme: dark" in text
    assert "width=device-width" in text
    assert "max-width: 40rem" in text
    assert {"ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"} <= set(re.findall(r"Arrow\w+", text))
    assert 'aria-live="polite"' in text
    assert 'tabindex="0"' in text
    assert '<html lang="en">' in text
    assert Page(text).tags.count("li") >= 2
    assert "The ad-tech asks &lt;now&gt;." in text
    assert "<now>" not in text
    assert "width: 33%" in text


def test_a_tally_counts_the_verdicts() -> None:
    assert formats.tally(list(ALL.values())) == (
        "5 proposals: 1 refuted, 1 unknown, 1 searched, 2 bad input"
    )


def test_a_part_that_holds_does_not_decide_a_claim() -> None:
    claim = CLAIMS["attribution_summaries_are_private"]
    held = Finding(
        claim=claim.id,
        check="game",
        evidence=Evidence.EXACT_IN_UNIVERSE,
        shape=Shape.SMALL_UNIVERSE,
    )
    part = replace(held, check="part", shape=Shape.REAL_PARAMETERS)
    open_game = replace(held, evidence=Evidence.NONE)
    assert ClaimResult(claim=claim, findings=(open_game, part)).verdict is Verdict.UNKNOWN
    scripts = replace(held, check="directed worlds", shape=Shape.SCRIPTS)
    assert ClaimResult(claim=claim, findings=(held, part)).verdict is Verdict.UNKNOWN
    assert ClaimResult(claim=claim, findings=(held, scripts, part)).verdict is Verdict.SEARCHED
    broken = replace(part, evidence=Evidence.ATTACK)
    assert ClaimResult(claim=claim, findings=(held, broken)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_long_fractions_are_decimals_for_people_and_exact_for_programs(form: str) -> None:
    long, short = f"{24 * 10**30 + 24}/{10**30 - 1}", "1000000000001/1000000000000"
    numbers = {"answered_epsilon": long, "cap": "1/3"}
    detail = f"REFUTED [answered_epsilon = {long}, delta = 1/3]"
    finding = Finding(
        claim=LEDGER, check="c", evidence=Evidence.ATTACK, detail=detail, counterexample=numbers
    )
    row = ClaimResult(claim=CLAIMS[LEDGER], findings=(finding,))
    assert row.reason == "REFUTED [answered_epsilon = 24 + about 4.8e-29, delta = 1/3]"
    page = formats.render(form, [Result(about=About(name="x"), claims=(row,))])
    assert ("24 + about 4.8e-29" in page, "1/3" in page) == (True, True)
    assert (long in page) is (form == "json")
    assert shortened(f"a {short}") == "a 1 + 1e-12"
    assert shortened("a -1/100000000") == "a -1e-8"


def test_a_run_is_told_move_by_move_and_numbers_by_their_names() -> None:
    example = {"1": "A query is asked.", "violated": "the sum is 3", "cap": "2"}
    finding = Finding(
        claim=LEDGER, check="proof", evidence=Evidence.ATTACK, detail="", counterexample=example
    )
    row = ClaimResult(claim=CLAIMS[LEDGER], findings=(finding,))
    assert row.told_counterexample == ["1. A query is asked.", "The sum is 3.", "cap = 2"]
