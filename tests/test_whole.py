"""A whole result is found again for the same question about the same files, and for no other."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import sandproof
from sandproof import case, store
from sandproof import schedule as schedule_module
from sandproof.about import About, Request
from sandproof.claim_result import ClaimResult
from sandproof.families import all_claims
from sandproof.jobs import Found, Job, Options
from sandproof.main import main
from sandproof.plan import describe
from sandproof.processes import Ending, Outcome, Pool
from sandproof.proposal import load
from sandproof.result import Result
from sandproof.schedule import Schedule
from sandproof.store import Store, Writer
from sandproof.whole import STORED, Question, files_read, keep, known_result, question_of
from spec.verdicts import Evidence, Finding, Reason, Verdict

ROOT = Path(__file__).resolve().parent.parent
CLAIM = "a_refused_query_charges_nothing"
CHANGE = """
from spec import PAPER, replace

def charge(at, spent, report):
    return PAPER.charge(at, spent, report)

RULES = replace(PAPER, charge=charge)
"""
FINDING = Finding(claim=CLAIM, check="proof", evidence=Evidence.PROOF)
FOUND = Found(finding=FINDING)
RESULT = Result(
    about=About(name="change.py"),
    claims=(ClaimResult(claim=all_claims()[CLAIM], findings=(FINDING,)),),
    lasting=True,
)
QUESTION = Question("a", frozenset())


@pytest.fixture(autouse=True)
def _nothing_proved_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what one test makes up from the next."""
    monkeypatch.setattr(schedule_module, "PROVED", {})


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a proposal, beside which there is a store."""
    monkeypatch.setenv(store.FOLDER, str(tmp_path / "store"))
    path = tmp_path / "change.py"
    path.write_text(CHANGE)
    return path


def checked(path: Path | None, **how: object) -> Result:
    asked = {"only": [CLAIM], "effort": "quick", "jobs": 1} | how
    return sandproof.check(path, **asked)  # type: ignore[arg-type]


def test_a_second_check_has_the_same_result(change: Path) -> None:
    first, second = checked(change), checked(change)
    assert first.lasting
    assert first.notes == ()
    assert second.notes == (STORED,)
    assert replace(second, notes=(), seconds=first.seconds) == first
    assert second.claims[0].claim is all_claims()[CLAIM]


def test_what_is_known_takes_no_solver_and_runs_nothing(change: Path) -> None:
    program = """
import sys
from sandproof.main import main
status = main(sys.argv[1:])
heavy = {"z3", "cvc5", "sympy", "hypothesis", "sandproof.processes", "sandproof.proposal"}
print(status, *sorted(heavy & sys.modules.keys()))
"""
    command = [sys.executable, "-c", program, "check", str(change), "--only", CLAIM]
    said = [
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    first, second = (text.splitlines() for text in said)
    assert "z3" in first[-1]
    assert second[-1] == "0"
    assert [line for line in second[:-1] if line not in first] == ["Note", f"  {STORED}"]


@pytest.mark.parametrize(
    "how",
    [
        {"effort": "standard"},
        {"seed": 1},
        {"only": ["null_reports_are_charged"]},
        {"settings": ["delta=1e-6"]},
        {"cache": False},
    ],
)
def test_another_question_is_asked(how: dict[str, object], change: Path) -> None:
    checked(change)
    assert STORED in checked(change).notes
    assert STORED not in checked(change, **how).notes


def test_the_same_text_elsewhere_is_another_question(change: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "folder" / "change.py"
    elsewhere.parent.mkdir()
    elsewhere.write_text(CHANGE)
    options = Options(store=tmp_path)
    here, there = (question_of(Request(path=each), options) for each in (change, elsewhere))
    assert here is not None
    assert here != there
    assert question_of(Request(path=change, family="w3c", wanted=True), options) != here


def test_a_changed_file_is_asked_about_again(change: Path) -> None:
    assert checked(change).verdict is Verdict.PROVED
    change.write_text(CHANGE.replace("return PAPER", "raise Exception\n    return PAPER"))
    again = checked(change)
    assert again.verdict is not Verdict.PROVED
    assert STORED not in again.notes


def test_files_that_are_imported_count_by_whichever_file(change: Path) -> None:
    beside, further = change.with_name("beside_it.py"), change.with_name("further_on.py")
    change.write_text(f"import beside_it\n{CHANGE}")
    beside.write_text("import further_on\n")
    further.write_text("NAME = 1\n")
    checked(change)
    assert STORED in checked(change).notes
    further.write_text("NAME = 2\n")
    assert STORED not in checked(change).notes
    assert files_read(change) is not None
    assert files_read(change).keys() == {str(each) for each in (change, beside, further)}  # type: ignore[union-attr]


def test_a_file_that_hides_what_is_installed_counts(
    change: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change.write_text(f"import heapq\n{CHANGE}")
    assert files_read(change) == {str(change): files_read(change)[str(change)]}  # type: ignore[index]
    first = tmp_path / "first"
    first.mkdir()
    monkeypatch.syspath_prepend(str(first))
    (first / "heapq.py").write_text("NAME = 1\n")
    assert str(first / "heapq.py") in (files_read(change) or {})


@pytest.mark.parametrize(
    "line",
    [
        "import sys",
        "from pathlib import Path",
        "import random",
        "import not_there",
        "import package",
        "import package.part",
        "import without_a_file",
        "from . import beside_it",
        "from .beside_it import NAME",
        "import compiled",
    ],
)
def test_what_has_to_be_run_to_be_known_has_no_whole_result(line: str, change: Path) -> None:
    for name in ("package", "without_a_file"):
        change.with_name(name).mkdir()
        change.with_name(name).joinpath("part.py").write_text("NAME = 1\n")
    change.with_name("package").joinpath("__init__.py").write_text("")
    change.with_name("compiled.so").write_bytes(b"")
    change.with_name("beside_it.py").write_text("NAME = 1\n")
    assert files_read(change) is not None
    change.write_text(f"try:\n    {line}\nexcept ImportError:\n    pass\n{CHANGE}")
    assert files_read(change) is None
    assert question_of(Request(path=change), Options(store=change.parent)) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_text("x = (\n"),
        lambda path: path.write_bytes(b"\0"),
        lambda path: path.write_text("x = 1\n" * 2**18),
        lambda path: (path.unlink(), os.system(f"mkfifo {path}")),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_what_cannot_be_read_has_no_whole_result(
    spoil: Callable[[Path], object], change: Path
) -> None:
    spoil(change)
    assert question_of(Request(path=change), Options(store=change.parent)) is None


def begun(folder: Path) -> case.Case:
    """Return a check of the paper's own rules about one claim, of which nothing is found yet."""
    options = Options(store=folder, jobs=1, only=(CLAIM,), effort="quick")
    made = case.Case(Request(), options)
    made.schedule = Schedule(describe(load(Request()), options), options)
    return made


def end(made: case.Case, found: Found | None, printed: str = "") -> None:
    """Let every job end with something found, or with nothing."""
    assert made.schedule is not None
    with Pool(1) as pool:
        while (job := made.schedule.start_next()) is not None:
            task = case.Assigned(
                name="", work=lambda _: None, seconds=1, case=made, job=job, digest="x"
            )
            ended = Outcome(task=task, ending=Ending.ANSWERED, answer=found, printed=printed)
            made.take(ended, pool)


def test_a_result_of_findings_that_last_is_lasting(tmp_path: Path) -> None:
    made = begun(tmp_path)
    assert not made.result().lasting
    end(made, FOUND)
    assert made.done
    assert made.result().lasting
    assert not made.result(interrupted=True).lasting


@pytest.mark.parametrize(
    "found",
    [
        None,
        replace(FOUND, misbehaved=("a line",)),
        replace(FOUND, exhausted={"charge": "a line"}),
        replace(FOUND, finding=replace(FINDING, reason=Reason.OUT_OF_RESOURCES)),
        replace(FOUND, finding=replace(FINDING, evidence=Evidence.ALARM)),
        replace(FOUND, finding=replace(FINDING, reason=Reason.RAISED)),
        replace(FOUND, lemmas={CLAIM: replace(FINDING, reason=Reason.INTERRUPTED)}),
    ],
)
def test_a_result_of_what_may_be_another_the_next_time_is_not(
    found: Found | None, tmp_path: Path
) -> None:
    made = begun(tmp_path)
    end(made, found)
    assert made.done
    assert not made.result().lasting


def test_a_result_of_rules_that_print_is_not(tmp_path: Path) -> None:
    made = begun(tmp_path)
    end(made, FOUND, printed="a word")
    assert not made.result().lasting


def test_a_result_with_a_claim_that_is_proved_and_attacked_is_not(tmp_path: Path) -> None:
    made = begun(tmp_path)
    end(made, FOUND)
    assert made.schedule is not None
    attack = Found(finding=replace(FINDING, check="search", evidence=Evidence.ATTACK))
    made.schedule.found[Job(place=-1, claim=CLAIM, check="search")] = attack
    assert made.result().alarms
    assert not made.result().lasting


def test_a_result_without_a_repair_that_was_not_finished_is_not(tmp_path: Path) -> None:
    made = begun(tmp_path)
    end(made, FOUND)
    job = Job(place=0, claim=CLAIM, check="proof", put_back="charge")
    task = case.Assigned(name="", work=lambda _: None, seconds=1, case=made, job=job)
    with Pool(1) as pool:
        made.take(Outcome(task=task, ending=Ending.OUT_OF_TIME), pool)
    assert not made.result().lasting


def test_a_result_is_kept_if_it_lasts_and_its_files_are_those_that_were_read(
    tmp_path: Path,
) -> None:
    options = Options(store=tmp_path)
    brings = replace(RESULT, files=(tmp_path / "hidden.py",))
    for result, before, after in (
        (replace(RESULT, lasting=False), QUESTION, QUESTION),
        (RESULT, None, None),
        (RESULT, QUESTION, Question("b", frozenset())),
        (RESULT, QUESTION, None),
        (brings, QUESTION, QUESTION),
    ):
        keep(result, before, after, options)
        assert list(tmp_path.rglob(QUESTION.digest)) == []
    keep(RESULT, QUESTION, QUESTION, options)
    known = known_result(QUESTION, options)
    assert known is not None
    assert replace(known, seconds=RESULT.seconds, notes=()) == RESULT
    keep(RESULT, QUESTION, QUESTION, Options(store=None))


def test_a_file_that_is_changed_meanwhile_spoils_the_result(
    change: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sandproof import verdict

    def run(*given: object) -> object:
        change.write_text(CHANGE + "\n# Changed.\n")
        return iter([RESULT])

    monkeypatch.setattr(verdict, "run", run)
    checked(change)
    change.write_text(CHANGE)
    monkeypatch.setattr(verdict, "run", lambda *_: iter([RESULT]))
    assert STORED not in checked(change).notes
    assert STORED in checked(change).notes


def test_another_version_has_results_of_its_own(
    change: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options(store=change.parent)
    keep(RESULT, QUESTION, QUESTION, options)
    assert known_result(QUESTION, options) is not None
    monkeypatch.setattr(store, "version_digest", lambda: "another")
    assert known_result(QUESTION, options) is None


def test_the_store_is_that_of_the_version_that_is_imported(
    change: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """See that a file that changes between a first look at the store and the imports counts."""
    from sandproof import verdict

    asked: list[int] = []

    def run(*given: object) -> object:
        asked.append(store.version_digest.cache_info().currsize)
        return iter([RESULT])

    monkeypatch.setattr(verdict, "run", run)
    checked(change)
    assert asked == [0]
    assert store.version_digest.cache_info().currsize == 1


class Harmful:
    """Be an object that would run code when it is read."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return os.mkdir, (os.environ["SANDPROOF_HARM"],)


def entry(value: object, folder: Path) -> bytes:
    """Return a value as it would be written."""
    path = folder / "entry"
    with path.open("wb") as file:
        Writer(file).dump(value)
    return path.read_bytes()


@pytest.mark.parametrize(
    "value",
    [
        "a word",
        FOUND,
        replace(RESULT, lasting=False),
        replace(RESULT, notes=(Harmful(),)),  # type: ignore[arg-type]
    ],
)
def test_an_entry_that_is_no_lasting_result_is_ignored(
    value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harm = tmp_path / "harm"
    monkeypatch.setenv("SANDPROOF_HARM", str(harm))
    kept = Store(tmp_path)
    kept.put_result("a", RESULT)
    assert kept.get_result("a") == RESULT
    assert kept.get("a") is None
    assert kept.folder is not None
    (kept.folder / "a").write_bytes(entry(value, tmp_path))
    assert kept.get_result("a") is None
    assert not harm.exists()


def test_a_result_about_a_claim_that_is_not_there_is_ignored(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.put_result("a", RESULT)
    assert kept.folder is not None
    written = (kept.folder / "a").read_bytes()
    for spoiled in (written[:-20], written.replace(CLAIM.encode(), CLAIM.upper().encode()), b""):
        (kept.folder / "a").write_bytes(spoiled)
        assert kept.get_result("a") is None
    # A claim that is not the table's own refers to functions, and is nothing to be kept.
    other = replace(RESULT.claims[0], claim=replace(RESULT.claims[0].claim, statement="another"))
    (kept.folder / "a").write_bytes(pickle.dumps(replace(RESULT, claims=(other,))))
    assert kept.get_result("a") is None


def test_some_results_are_known_and_others_are_found(change: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text(f"{CHANGE}\n# Another one.\n")
    checked(change)
    paths = [other, change, tmp_path / "nowhere.py", other.with_name("third.py")]
    paths[3].write_text(f"{CHANGE}\n# A third one.\n")
    found = list(sandproof.check_all(paths, only=[CLAIM], effort="quick", jobs=1))
    assert [each.about.name for each in found] == list(map(str, paths))
    assert [STORED in each.notes for each in found] == [False, True, False, False]
    assert [bool(each.bad_input) for each in found] == [False, False, True, False]


def test_the_commands_say_that_a_result_comes_from_the_store(
    change: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check = ["check", str(change), "--only", CLAIM, "--effort", "quick"]
    for command in (check, ["claims", CLAIM]):
        said = []
        for more in ([], [], ["--no-cache"]):
            assert main([*command, *more]) == 0
            said.append(capsys.readouterr().out)
        assert [STORED in each for each in said] == [False, True, False]
    assert main([*check, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [STORED]
