"""What each rule decides is said in one place; rules of the first surface are told what changed."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from sandproof.about import changes_of
from sandproof.families.paper_surface import AS_IT_WAS, FIRST_SURFACE, changed_since, gone, surface
from sandproof.main import main
from sandproof.problems import BadInput
from sandproof.proposal import rules_of, run_file
from spec import PAPER, Rules

ROOT = Path(__file__).parent.parent
CHANGED = [before for before, now in FIRST_SURFACE.items() if now != AS_IT_WAS]


def test_every_field_has_a_line_that_says_what_it_decides_and_who() -> None:
    assert [rule.name for rule in surface()] == [field.name for field in fields(Rules)]
    for rule in surface():
        assert rule.decides.endswith("."), rule.name
        assert ";" in rule.decides or rule.name == "truth_probability", rule.name


def test_every_rule_takes_first_what_its_party_sees() -> None:
    others = {rule.name for rule in surface() if rule.arguments[:1] != ("at",)}
    assert others == {"limits", "initial", "truth_probability"}


def test_the_page_lists_every_old_signature() -> None:
    page = (ROOT / "docs" / "porting.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", page, re.MULTILINE)
    assert dict(rows) == FIRST_SURFACE
    now = {rule.name for rule in surface()} - {"limits", "initial", "send"}
    assert now <= {before.partition("(")[0] for before in FIRST_SURFACE}


@pytest.mark.parametrize("before", CHANGED)
def test_a_rule_of_the_first_surface_is_told_what_changed(tmp_path: Path, before: str) -> None:
    name, *arguments = re.findall(r"\w+", before.partition(" -> ")[0])
    path = tmp_path / "old.py"
    path.write_text(
        f"from spec import PAPER, replace\n\n\ndef old({', '.join(arguments)}):\n    return None\n"
        f"\n\nRULES = replace(PAPER, {name}=old)\n",
        encoding="utf-8",
    )
    with pytest.raises(BadInput) as refused:
        rules_of(path, run_file(path)[0])
    assert FIRST_SURFACE[before].replace("`", "") in str(refused.value)
    assert "docs/porting.md" in str(refused.value)
    assert (
        ("no rule" in str(refused.value)) == (gone(name) is not None) == (not hasattr(PAPER, name))
    )


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("matches", "s, trigger", "matches(at, source)"),
        ("charge", "most, spent, asked, report", "charge(at, spent, report)"),
        ("threshold", "a, b, c", "threshold(at, batch)"),
    ],
)
def test_other_names_do_not_hide_the_first_surface(name: str, written: str, told: str) -> None:
    rule = eval(f"lambda {written}: None")
    found = changed_since(name, inspect.signature(rule))
    assert found is not None
    assert found.startswith(told)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("matches", "at, trigger"),
        ("matches", "_, candidate"),
        ("threshold", "here, batch, factor=2"),
        ("truth_probability", "power, size"),
    ],
)
def test_a_rule_of_the_second_surface_may_call_its_arguments_anything(
    name: str, written: str
) -> None:
    assert changed_since(name, inspect.signature(eval(f"lambda {written}: None"))) is None


def test_a_new_proposal_shows_every_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "change"]) == 0
    assert "sandproof check change.py" in capsys.readouterr().out
    text = Path("change.py").read_text(encoding="utf-8")
    for rule in surface():
        assert f"# {rule.name}(at" in text or rule.arguments[:1] != ("at",), rule.name
    path = Path("change.py")
    (changed,) = changes_of(rules_of(path, run_file(path)[0]))
    assert changed.field == "charge"
