"""What was found before is found again, and nothing else is taken for it."""

from __future__ import annotations

import json
import os
import pickle
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandproof import case, store
from sandproof import schedule as schedule_module
from sandproof.about import Request
from sandproof.jobs import Found, Job, Options
from sandproof.main import main
from sandproof.plan import describe
from sandproof.processes import Ending, Outcome, Pool
from sandproof.proposal import load
from sandproof.result import Result
from sandproof.schedule import Schedule
from sandproof.store import Store, digest_of, users_store
from sandproof.verdict import run
from spec.verdicts import Evidence, Finding, Reason, Verdict

CLAIM = "a_refused_query_charges_nothing"
FINDING = Finding(claim=CLAIM, check="proof", evidence=Evidence.PROOF)
FOUND = Found(finding=FINDING, lemmas={CLAIM: FINDING})
CHANGE = """
from spec import PAPER, replace

def charge(at, spent, report):
    return PAPER.charge(at, spent, report)

RULES = replace(PAPER, charge=charge)
"""
OTHER = """
from spec import PAPER, replace

def send(at, granted):
    return PAPER.send(at, granted)

RULES = replace(PAPER, send=send)
"""


def checked(path: Path | None, folder: Path | None) -> Result:
    options = Options(effort="quick", jobs=1, only=(CLAIM,), store=folder)
    (result,) = run([Request(path=path)], options)
    return result


def notes(result: Result) -> str:
    return " ".join(result.notes)


def test_a_finding_is_found_again(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    assert kept.get("a") is None
    kept.put("a", FOUND)
    assert kept.get("a") == replace(FOUND, stored=True)
    assert Store(tmp_path).get("a") == replace(FOUND, stored=True)
    assert kept.get("b") is None


def test_nobody_meets_half_an_entry_whoever_writes_or_is_killed(tmp_path: Path) -> None:
    entries = [replace(FOUND, finding=replace(FINDING, detail=x * 2**20)) for x in "abc"]
    Store(tmp_path).put("a", entries[0])
    writers = []
    for entry in entries:
        process = os.fork()
        if process == 0:
            while True:
                Store(tmp_path).put("a", entry)
        writers.append(process)
    try:
        met: list[Found | None] = []
        for turn in range(10_000):
            if turn == 30:
                os.kill(writers[1], signal.SIGKILL)
            met.append(Store(tmp_path).get("a"))
            if turn > 60 and len({x.finding.detail[0] for x in met if x is not None}) > 1:
                break
    finally:
        for process in writers:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    expected = [replace(each, stored=True) for each in entries]
    assert all(each in expected for each in met)
    assert any(each != met[0] for each in met)


def test_without_a_folder_nothing_is_kept() -> None:
    kept = Store(None)
    kept.put("a", FOUND)
    assert kept.get("a") is None


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"not a pickle",
        pickle.dumps(FOUND)[:-20],
        pickle.dumps("another thing"),
        pickle.dumps(FINDING),
    ],
)
def test_an_entry_that_is_no_finding_is_ignored(entry: bytes, tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.put("a", FOUND)
    assert kept.folder is not None
    (kept.folder / "a").write_bytes(entry)
    assert kept.get("a") is None
    kept.put("a", FOUND)
    assert kept.get("a") == replace(FOUND, stored=True)


class Harmful:
    """Be an object that would run code when it is read."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return os.mkdir, (os.environ["SANDPROOF_HARM"],)


def test_a_foreign_entry_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harm = tmp_path / "harm"
    monkeypatch.setenv("SANDPROOF_HARM", str(harm))
    kept = Store(tmp_path)
    kept.put("a", FOUND)
    assert kept.folder is not None
    (kept.folder / "a").write_bytes(
        pickle.dumps(replace(FOUND, finding=replace(FINDING, attack=Harmful())))
    )
    assert kept.get("a") is None
    assert not harm.exists()
    pickle.loads((kept.folder / "a").read_bytes())
    assert harm.exists()


@pytest.mark.parametrize(
    "found",
    [
        replace(FOUND, misbehaved=("a line",)),
        replace(FOUND, exhausted={"charge": "a line"}),
        replace(FOUND, finding=replace(FINDING, reason=Reason.OUT_OF_RESOURCES)),
        replace(FOUND, finding=replace(FINDING, evidence=Evidence.ALARM)),
        replace(FOUND, finding=replace(FINDING, reason=Reason.RAISED)),
        replace(FOUND, lemmas={CLAIM: replace(FINDING, reason=Reason.OUT_OF_RESOURCES)}),
    ],
)
def test_what_may_be_another_the_next_time_is_not_kept(found: Found, tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.put("a", found)
    assert kept.get("a") is None


def test_another_version_has_a_store_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path).put("a", FOUND)
    monkeypatch.setattr(store, "version_digest", lambda: "another")
    assert Store(tmp_path).get("a") is None


def test_a_digest_stands_for_everything_a_finding_depends_on() -> None:
    job = Job(place=0, claim=CLAIM, check="proof")
    options = Options()
    digests = {
        digest_of(job, options, "x"),
        digest_of(replace(job, claim="b"), options, "x"),
        digest_of(replace(job, check="game"), options, "x"),
        digest_of(replace(job, put_back="charge"), options, "x"),
        digest_of(job, replace(options, effort="deep"), "x"),
        digest_of(job, replace(options, seed=1), "x"),
        digest_of(job, options, "y"),
    }
    assert len(digests) == 7
    assert digest_of(replace(job, place=3), replace(options, jobs=7), "x") in digests


def test_the_version_stands_for_every_source_file(monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.version_digest.__wrapped__()
    assert store.version_digest.__wrapped__() == before
    monkeypatch.setattr(Path, "read_bytes", lambda path: b"" if path.name == "paper.py" else b"x")
    changed = store.version_digest.__wrapped__()
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"x")
    assert len({before, changed, store.version_digest.__wrapped__()}) == 3


def test_a_second_check_says_the_same_from_the_store(tmp_path: Path) -> None:
    path, folder = tmp_path / "change.py", tmp_path / "store"
    path.write_text(CHANGE)
    plain = checked(path, None)
    first, second = checked(path, folder), checked(path, folder)
    assert "store" not in notes(plain) + notes(first)
    assert "1 of 1 findings come from the store; --no-cache asks again" in notes(second)
    assert [x.verdict for x in first.claims] == [x.verdict for x in second.claims]
    assert first.headline == second.headline == plain.headline


def test_a_changed_file_is_checked_again(tmp_path: Path) -> None:
    path, folder = tmp_path / "change.py", tmp_path / "store"
    path.write_text(CHANGE)
    assert checked(path, folder).claims[0].verdict is Verdict.PROVED
    path.write_text(CHANGE.replace("return PAPER", "raise Exception\n    return PAPER"))
    again = checked(path, folder)
    assert again.claims[0].verdict is not Verdict.PROVED
    assert "store" not in notes(again)


def test_a_file_beside_it_counts(tmp_path: Path) -> None:
    path, folder = tmp_path / "change.py", tmp_path / "store"
    (tmp_path / "beside_it.py").write_text("NAME = 1\n")
    path.write_text("import beside_it\n" + CHANGE)
    checked(path, folder)
    (tmp_path / "beside_it.py").write_text("NAME = 2\n")
    assert "store" not in notes(checked(path, folder))


def test_a_proof_about_rules_that_are_left_alone_is_shared_by_proposals(tmp_path: Path) -> None:
    lemma = Job(place=0, claim=CLAIM, check="proof", proves=True)
    digests = []
    for name, text in (("charge", CHANGE), ("send", OTHER)):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        found = case.Case(Request(path=path), Options())
        found.schedule = Schedule(describe(load(Request(path=path)), Options()), Options())
        digests.append(found.digest(lemma))
    assert digests[0] != digests[1]
    papers = case.Case(Request(), Options())
    papers.schedule = Schedule(describe(load(Request()), Options()), Options())
    assert papers.digest(lemma) == digests[1]


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    assert checked(None, tmp_path / "store").claims[0].verdict is Verdict.PROVED


def test_the_command_line_says_where_findings_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(store.FOLDER, str(tmp_path / "store"))
    path = tmp_path / "change.py"
    path.write_text(CHANGE)
    command = ["check", str(path), "--only", CLAIM, "--format", "json", "--effort", "quick"]
    told = []
    for more in ([], [], ["--no-cache"]):
        assert main([*command, *more]) == 0
        told.append(json.loads(capsys.readouterr().out)["notes"])
    assert [bool(each) for each in told] == [False, True, False]


def test_the_users_store_is_where_the_system_keeps_such_things(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert users_store() is None
    monkeypatch.delenv(store.FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert users_store() == tmp_path / "sandproof"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert users_store() == Path.home() / ".cache" / "sandproof"


def test_what_other_versions_left_long_ago_is_removed(tmp_path: Path) -> None:
    for name, age in (("old", 100), ("recent", 1)):
        (tmp_path / name).mkdir()
        when = time.time() - age * 86_400
        os.utime(tmp_path / name, (when, when))
    Store(tmp_path).put("a", FOUND)
    assert {each.name for each in tmp_path.iterdir()} == {"recent", store.version_digest()}


@pytest.mark.parametrize("printed", ["", "a word"])
def test_what_prints_is_not_kept(printed: str, tmp_path: Path) -> None:
    options = Options(store=tmp_path, jobs=1)
    found = case.Case(Request(), options)
    found.schedule = Schedule(describe(load(Request()), options), options)
    job = Job(place=0, claim=CLAIM, check="proof")
    task = case.Assigned(
        name="", work=lambda _: None, seconds=1, case=found, job=job, digest=found.digest(job)
    )
    ended = Outcome(task=task, ending=Ending.ANSWERED, answer=FOUND, printed=printed)
    with Pool(1) as pool:
        found.take(ended, pool)
    assert (Store(tmp_path).get(task.digest) is None) == bool(printed)


def test_lemmas_on_the_familys_own_rules_are_kept_for_every_proposal(tmp_path: Path) -> None:
    """What one proposal needed of the paper's rules, another finds in the store."""
    own = replace(FINDING, detail="told")
    for text, known in ((OTHER, {}), (CHANGE, {CLAIM: own})):
        schedule_module.PROVED.clear()
        path = tmp_path / "change.py"
        path.write_text(text)
        begun = case.Case(Request(path=path), Options(effort="quick", store=tmp_path / "store"))
        loaded = describe(load(begun.request), begun.options)
        begun.take(answered(begun, loaded), Pool(1))
        assert begun.schedule is not None
        assert {x: replace(y, seconds="") for x, y in begun.schedule.published.items()} == known
        job = next(job for job in loaded.jobs if job.proves and job.claim != CLAIM)
        found = Found(finding=replace(FINDING, claim=job.claim), published={CLAIM: own})
        begun.take(answered(begun, found, job), Pool(1))
        assert begun.schedule.published[CLAIM] == own


def answered(begun: case.Case, answer: object, job: Job | None = None) -> Outcome:
    task = case.Assigned(name="", work=lambda _: None, seconds=1, case=begun, job=job)
    return Outcome(task=task, ending=Ending.ANSWERED, answer=answer)
