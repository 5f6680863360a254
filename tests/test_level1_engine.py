"""Attribution Level 1 goes the way of every family: children, limits, guards, and one vocabulary.

The folder `unsound_w3c` holds changes that a clever author could write and that are not private.
None of them is ever called proved.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from proofs.level1._guarantees import level1_proofs
from sandproof import settings, verdict
from sandproof.about import Request
from sandproof.answers import answers
from sandproof.commands import compare, controls
from sandproof.families import Family, families, family_named, family_of, parameters
from sandproof.jobs import Options
from sandproof.main import main
from sandproof.problems import NotFollowed
from sandproof.proposal import load
from sandproof.result import BAD_INPUT, NOT_PROVED, REFUTED, Result
from sandproof.store import FOLDER
from spec import PAPER
from spec.level1 import LEVEL_1_2026_05, LEVEL_1_ONE_DRAW
from spec.level1.claims import GLOBAL, LEVEL1_CLAIMS, ONE_VIEW
from spec.verdicts import Evidence, Kind, Verdict

ROOT = Path(__file__).resolve().parent.parent
UNSOUND = sorted((ROOT / "tests" / "unsound_w3c").glob("*.py"))
QUICK = ("--effort", "quick")
HEADER = """from dataclasses import replace
from spec.level1 import LEVEL_1_ONE_DRAW
from spec.level1.budgets import charge

"""


def checked(path: Path, store: Path, *only: str) -> Result:
    options = Options(effort="quick", only=only, store=store)
    (result,) = verdict.run([Request(path=path)], options)
    return result


@pytest.mark.parametrize("path", UNSOUND, ids=lambda path: path.stem)
def test_what_is_unsound_is_never_proved(path: Path) -> None:
    """What no search attacks rests on the proofs alone: they leave a guarantee open."""
    assert "\nTruth: unsound." in path.read_text()
    try:
        proposal = load(Request(path=path))
    except NotFollowed:
        return
    changed = proposal.about.changed
    about = [
        check
        for check in level1_proofs()
        if LEVEL1_CLAIMS[check.claim].kind is Kind.GUARANTEE
        and changed & set(LEVEL1_CLAIMS[check.claim].rules)
    ]
    assert about
    found = (check.run(proposal.rules) for check in about)
    assert any(each.evidence is not Evidence.PROOF for each in found)


def test_the_verdict_on_what_is_unsound_fails(store: Path) -> None:
    """`tests/corpus_verdicts.py` asks the command about all of them."""
    result = checked(ROOT / "tests" / "unsound_w3c" / "never_activated_pages_tell.py", store)
    assert result.verdict in (Verdict.REFUTED, Verdict.UNKNOWN), result.headline
    assert result.exit_status != 0


def test_there_are_many_unsound_changes() -> None:
    assert len(UNSOUND) >= 26


MISBEHAVING = {
    "hangs": (
        "def rule(at, single, norm):\n    while True:\n        pass\n",
        NOT_PROVED,
        "rule `charge` runs more than 1000000 lines in one call",
    ),
    "raises": (
        "def rule(at, single, norm):\n    return charge(at, single, norm).nothing\n",
        BAD_INPUT,
        "rule `charge` raised AttributeError",
    ),
    "crashes": (
        "def rule(at, single, norm):\n    raise SystemExit(3)\n",
        BAD_INPUT,
        "rule `charge` raised SystemExit",
    ),
    "recurses": (
        "def rule(at, single, norm):\n    return rule(at, single, norm)\n",
        BAD_INPUT,
        "rule `charge` recurses without end",
    ),
    "answers with a number": (
        "def rule(at, single, norm):\n    return 5\n",
        BAD_INPUT,
        "rule `charge` returned an int: 5; it must return Charge",
    ),
    "takes another number of arguments": (
        "def rule(at):\n    return charge(at, True, 0)\n",
        BAD_INPUT,
        "rule `charge` is called with 3 arguments (at, single, l1_norm)",
    ),
    "changes its answer": (
        "SEEN = []\n\ndef rule(at, single, norm):\n    SEEN.append(1)\n"
        "    return replace(charge(at, single, norm), site=len(SEEN))\n",
        BAD_INPUT,
        "rule `charge` changes its answer from call to call",
    ),
    "edits the specification": (
        "from spec.level1 import budgets\nbudgets.rounded_up = lambda charged: 0\nrule = charge\n",
        BAD_INPUT,
        "changes spec.level1.budgets.rounded_up",
    ),
    "names a universe": (
        "UNIVERSE = 1\nrule = charge\n",
        BAD_INPUT,
        "UNIVERSE is not read",
    ),
}


@pytest.mark.parametrize("name", MISBEHAVING)
def test_what_misbehaves_ends_in_one_line_with_a_status(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, status, line = MISBEHAVING[name]
    path = tmp_path / "change.py"
    path.write_text(f"{HEADER}{source}\nRULES = replace(LEVEL_1_ONE_DRAW, charge=rule)\n")
    assert main(["check", str(path), *QUICK, "--only", GLOBAL, "--only", ONE_VIEW]) == status
    out, err = capsys.readouterr()
    assert line in " ".join((out + err).split())


def test_a_search_of_all_universes_counts_where_every_line_was_run(
    tmp_path: Path, store: Path
) -> None:
    path = tmp_path / "change.py"
    path.write_text(
        "from dataclasses import replace\nfrom spec.level1 import LEVEL_1_ONE_DRAW\n\n"
        "def rule(at):\n    return LEVEL_1_ONE_DRAW.single_epoch(at)\n\n"
        "RULES = replace(LEVEL_1_ONE_DRAW, single_epoch=rule)\n"
    )
    result = checked(path, store, GLOBAL)
    assert result.verdict is Verdict.SEARCHED
    assert "the draft's own single_epoch" in result.claims[0].reason
    path.write_text(
        path.read_text().replace("    return", "    if at.now == 77: return False\n    return")
    )
    result = checked(path, store, GLOBAL)
    assert result.verdict is Verdict.UNKNOWN
    assert "no search reached" in result.claims[0].reason


def test_two_versions_are_compared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    asked = [*QUICK, "--only", GLOBAL, "--only", ONE_VIEW]
    given = ["compare", "level_1_2026_05", "level_1_one_draw", "--format", "json"]
    assert main([*given, *asked]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)["guarantees"]}
    assert (rows[GLOBAL]["old"], rows[GLOBAL]["new"]) == ("proved", "proved")
    assert (rows[ONE_VIEW]["old"], rows[ONE_VIEW]["new"]) == ("refuted", "proved")
    assert rows[ONE_VIEW]["change"] == "shown more"
    assert main(["compare", "level_1_one_draw", "level_1_2026_05", *asked]) == REFUTED
    assert "BROKEN" in capsys.readouterr().out


def test_rules_of_two_families_are_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    ledger = "a_batch_is_a_set"
    given = ["compare", "paper", "level_1_one_draw", *QUICK, "--only", ledger]
    assert main(given) == BAD_INPUT
    assert "different families" in capsys.readouterr().err


def test_a_larger_budget_is_a_weaker_promise(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["check", "--family", "w3c", "--set", "global_budget=16000000", "--only", GLOBAL]
    assert main([*given, *QUICK, "--fail-if-weaker"]) == 4
    assert "(8, 0) → (16, 0): WEAKER" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("how", [(), ("--obligations",), ("--full",)])
def test_checks_of_the_family_are_shown_to_fail(
    how: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["controls", "level1_reports_are_accepted_once", *how]) == 0
    told = capsys.readouterr().out
    assert "one grain is recorded" in told
    assert "the paper" not in told


def test_a_check_that_cannot_fail_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    family = family_named("w3c")
    (idle,) = (
        replace(each, controls=())
        for each in family.checks(load(Request(family="w3c")), Options(effort="quick"))
        if (each.claim, each.name) == (GLOBAL, "game")
    )
    broken = replace(family, checks=lambda _, __: (idle,))
    monkeypatch.setattr(controls, "family_named", lambda _: broken)
    assert main(["controls", "--family", "w3c"]) == 1
    assert f"not shown to fail: {GLOBAL} (game)" in capsys.readouterr().out


def test_a_family_is_told_by_the_type_of_its_rules() -> None:
    assert family_of(PAPER) is family_named("paper")
    assert family_of(LEVEL_1_2026_05) is family_of(LEVEL_1_ONE_DRAW) is family_named("w3c")
    assert family_of(3) is None


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_a_family_is_complete(family: object) -> None:
    (known,) = (each for each in families() if each is family)
    names = [each.name for each in fields(known.own)]
    assert set(known.rule_names()) | {"limits", *known.parts} == set(names)
    assert set(answers(known)) == set(known.rule_names())
    kinds = {claim.kind for claim in known.claims.values()}
    assert {Kind.GUARANTEE, Kind.LEMMA} <= kinds
    promised = known.promises(known.own, {})
    assert set(promised) == {x for x, y in known.claims.items() if y.kind is Kind.GUARANTEE}
    for version in known.versions.values():
        assert known.nearest(version) is version
        assert all(known.publishes(name, getattr(version, name)) for name in known.rule_names())


ENGINE = (
    *("about", "case", "children", "combine", "guard", "jobs", "plan", "processes", "proposal"),
    *("reach", "result", "schedule", "store", "verdict", "weigh", "why", "claim_result", "promise"),
    *("answers", "compare", "settings", "api", "campaign", "cluster", "questions", "progress"),
)
OF_A_FAMILY = ("spec.level1", "spec.rules", "spec.paper", "spec.claims", "PAPER", "CLAIMS")


@pytest.mark.parametrize("module", ENGINE)
def test_no_module_of_the_engine_names_a_type_of_a_family(module: str) -> None:
    source = (ROOT / "sandproof" / f"{module}.py").read_text()
    imports = [
        line for line in source.splitlines() if line.lstrip().startswith(("from ", "import "))
    ]
    named = [line for line in imports for name in OF_A_FAMILY if name in line]
    assert named == []
    assert not any(line.startswith("from spec import") for line in imports)


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_the_parameters_of_a_family_are_known_before_its_checks(family: Family) -> None:
    assert parameters.own_parameters(family.name) is family.own.limits
    names = settings.parameters(family.own.limits)
    assert list(parameters.PARAMETERS[family.name]) == names


def test_the_versions_that_can_be_compared_are_known_before_they_are_imported() -> None:
    names = [name.lower() for family in families() for name in family.versions]
    assert list(compare.PUBLISHED) == names
