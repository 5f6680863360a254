"""The formats: every one from the same result, each valid and complete."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import sandproof
from sandproof import formats
from sandproof.about import About, Change
from sandproof.claim_result import AttackRecord, ClaimResult
from sandproof.formats.text import as_text
from sandproof.result import Repair, Result
from spec import replace
from spec.claims import CLAIMS
from spec.verdicts import Evidence, Finding, Shape, Step, Verdict
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
    return ClaimResult(claim=CLAIMS[claim], findings=(found, scripts) if searched else (found,))


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
    assert [line for line in lines if len(line) > 80] == []
    assert "\x1b" not in as_text(SOUND)


def test_colour_is_used_only_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[31mrefuted" in as_text(BROKEN, colour=True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
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
    assert "It depends on no rule: joint_convexity." in text


def test_a_lemma_that_falls_is_told_apart_from_a_guarantee_that_does() -> None:
    text = " ".join(as_text(SOUND).split())
    assert "The paper's proof no longer applies here" in text
    assert f"because {LEMMA} is not shown for these rules" in text
    assert f"decided instead: {ATTRIBUTION} searched: worst adversary; 7 moves" in text
    assert SOUND.verdict is Verdict.SEARCHED
    assert "no longer applies" not in as_text(BROKEN)


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
            assert len(re.findall(r"(?<!\\)\|", line)) == 5


class Page(HTMLParser):
    """Collect what a page refers to, and whether its tags are closed."""

    VOID = ("meta", "br")

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
