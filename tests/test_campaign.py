"""A campaign keeps what it was told, goes on where it was ended, and says the same everywhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path

import pytest

from sandproof import campaign
from sandproof.campaign import Folder, Replies, Report, conduct, contents, on_this_machine
from sandproof.commands.campaign import sweeps, values, whole_values
from sandproof.jobs import Options
from sandproof.main import main
from sandproof.problems import BadInput
from sandproof.questions import Answer, Answerer, Question, Unanswered, question_of
from sandproof.store import version_digest

ROOT = Path(__file__).resolve().parent.parent
CLAIM = "null_reports_are_charged"
SOUND = """\"\"\"Charge as before.

Expected: proved.
\"\"\"
from spec import PAPER, replace

def charge(at, spent, report):
    return PAPER.charge(at, spent, report)

RULES = replace(PAPER, charge=charge)
"""
BROKEN = SOUND.replace("return PAPER", "return spent if report.is_null else PAPER").replace(
    "Expected: proved", "Expected: refuted"
)
GREEDY = SOUND.replace("return PAPER", "held = [0] * 10**12\n    return PAPER")
HELD = Answer(
    version=version_digest(),
    status=0,
    lasting=True,
    result={"verdict": "proved", "headline": "proved: x"},
)


def question(text: str, name: str = "change.py", seed: int = 0) -> Question:
    files = ((name, text),)
    return Question(name=name, files=files, effort="quick", only=(CLAIM,), seed=seed, cached=False)


QUESTIONS = [
    question(SOUND, "sound.py"),
    question(BROKEN, "broken.py"),
    question(BROKEN, "broken.py", seed=1),
]


def told(answer: Answer) -> object:
    """Return everything that an answer says, but for how long it took."""

    def timeless(part: object) -> object:
        if isinstance(part, dict):
            return {name: timeless(each) for name, each in part.items() if name != "seconds"}
        return list(map(timeless, part)) if isinstance(part, list) else part

    return timeless(asdict(answer))


@pytest.fixture(scope="module")
def answerer() -> Iterator[Answerer]:
    found = Answerer()
    yield found
    found.close()


@pytest.fixture(scope="module")
def here(answerer: Answerer) -> Answer:
    """Return what this machine answers to the first question."""
    return answerer(QUESTIONS[0])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a sound and a broken change."""
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "sound.py").write_text(SOUND)
    (folder / "broken.py").write_text(BROKEN)
    return folder


def command(files: Path, kept: Path, *more: str) -> list[str]:
    return [
        *("campaign", str(files), "--folder", str(kept), "--seeds", "0:1", "--no-cache"),
        *("--effort", "quick", "--only", CLAIM, "--jobs", "1", *more),
    ]


def kept_in(folder: Path) -> dict[str, object]:
    """Return every answer that a campaign has kept, but for how long it took."""
    found = {path.name: json.loads(path.read_text()) for path in (folder / "answers").iterdir()}
    return {name: told(Answer(**record["answer"])) for name, record in found.items()}


@pytest.fixture(scope="module")
def kept_alone(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a campaign on this machine."""
    kept = tmp_path_factory.mktemp("kept")
    assert main(command(files, kept)) == 1
    return kept


@pytest.fixture(scope="module")
def alone(kept_alone: Path) -> dict[str, object]:
    """Return what a campaign on this machine keeps."""
    return kept_in(kept_alone)


def never(_: Sequence[Question]) -> Replies:
    raise AssertionError("nothing is to be asked")


def answered(answer: Answer) -> Callable[[Sequence[Question]], Replies]:
    return lambda questions: ((each, answer) for each in questions)


def asked(folder: Path, questions: Sequence[Question], answer: Answer = HELD) -> Report:
    return conduct(questions, Folder(folder), answered(answer), lambda _: None)


def test_the_verdicts_are_those_of_a_check(answerer: Answerer, here: Answer) -> None:
    assert (here.status, here.result["verdict"]) == (0, "proved")
    broken = answerer(QUESTIONS[1])
    assert (broken.status, broken.result["verdict"]) == (1, "refuted")


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    assert asked(tmp_path, QUESTIONS).asked == 3
    again = conduct(QUESTIONS, Folder(tmp_path), never, lambda _: None)
    assert (again.asked, len(again.answers)) == (0, 3)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"digest": 1}', "no JSON"])
def test_an_answer_that_cannot_be_read_is_asked_for_again(damage: str, tmp_path: Path) -> None:
    asked(tmp_path, QUESTIONS)
    (tmp_path / "answers" / QUESTIONS[0].place).write_text(damage)
    (tmp_path / "reported.json").write_text(damage)
    assert asked(tmp_path, QUESTIONS).asked == 1


def test_a_changed_file_or_another_version_is_asked_about_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(tmp_path, [question(SOUND)])
    changed = question(SOUND + "\n")
    assert Folder(tmp_path).get(question(SOUND)) == HELD
    assert Folder(tmp_path).get(changed) is None
    monkeypatch.setattr("sandproof.questions.version_digest", lambda: "another")
    assert Folder(tmp_path).get(question(SOUND)) is None


def test_what_may_be_another_the_next_time_is_told_and_not_kept(tmp_path: Path) -> None:
    report = asked(tmp_path, [question(SOUND)], replace(HELD, lasting=False))
    assert len(report.answers) == 1
    assert asked(tmp_path, [question(SOUND)]).asked == 1


def test_an_answer_of_another_version_counts_for_nothing(tmp_path: Path) -> None:
    report = asked(tmp_path, [question(SOUND)], replace(HELD, version="another"))
    assert not report.answers
    assert "another version" in report.text
    assert Folder(tmp_path).get(question(SOUND)) is None


def test_the_report_says_what_is_new_since_the_last_complete_one(tmp_path: Path) -> None:
    first = asked(tmp_path, QUESTIONS[:2])
    assert (len(first.new), len(first.changed)) == (2, 0)
    assert "Nothing is new" in asked(tmp_path, QUESTIONS[:2]).text
    refuted = replace(HELD, status=1, result={"verdict": "refuted", "headline": "refuted: x"})
    edited = replace(QUESTIONS[0], files=(("sound.py", BROKEN),))
    report = asked(tmp_path, [edited, *QUESTIONS[1:3]], refuted)
    assert (report.changed, report.new) == ([edited], [QUESTIONS[2]])
    assert "refuted: x (before: proved: x)" in report.text
    assert (tmp_path / "report.md").read_text() == report.text


def test_a_campaign_that_was_ended_tells_all_its_news_in_the_end(tmp_path: Path) -> None:
    def ended(questions: Sequence[Question]) -> Replies:
        yield questions[0], HELD
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        conduct(QUESTIONS, Folder(tmp_path), ended, lambda _: None)
    report = asked(tmp_path, QUESTIONS)
    assert (report.asked, len(report.new)) == (2, 3)


def test_a_question_travels_unchanged() -> None:
    for each in (replace(QUESTIONS[0], settings=(("epsilon", "1/8"), ("base", ""))), QUESTIONS[1]):
        assert question_of(json.loads(json.dumps(asdict(each)))) == each


def test_files_travel_with_what_they_bring(tmp_path: Path, answerer: Answerer) -> None:
    (tmp_path / "beside.py").write_bytes(b"NAME = '\xe2\x82\xac'\n")
    (tmp_path / "other.py").write_text("")
    path = tmp_path / "change.py"
    path.write_text("import beside\n" + SOUND)
    found = contents(path, Options())
    assert [name for name, _ in found] == ["change.py", "beside.py"]
    asking = replace(question(SOUND), files=found)
    reply = answerer(asking)
    assert (reply.status, reply.result["problems"]) == (0, [])
    path.write_text("import beside\nRULES = 1\n")
    assert {name for name, _ in contents(path, Options())} == {"change.py", "beside.py", "other.py"}


def test_a_file_that_lies_elsewhere_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "afar.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "away"))
    path = tmp_path / "change.py"
    (tmp_path / "here").mkdir()
    path = tmp_path / "here" / "change.py"
    path.write_text("import afar\n" + SOUND)
    with pytest.raises(BadInput, match="does not lie beside it"):
        contents(path, Options())


def test_a_process_that_ends_is_replaced(answerer: Answerer, here: Answer) -> None:
    assert answerer.process is not None
    os.kill(answerer.process.pid, signal.SIGKILL)
    assert told(answerer(QUESTIONS[0])) == told(here)


def test_a_process_ends_with_the_one_that_asks_it_even_if_more_could_be_asked() -> None:
    asking = (
        "import os, subprocess, sys, time\n"
        "ours = [sys.executable, '-m', 'sandproof.questions', str(os.getpid())]\n"
        "print(subprocess.Popen(ours, stdout=subprocess.DEVNULL).pid, flush=True)\n"
        "time.sleep(1000)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", asking],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answering = int(process.stdout.readline())
    try:
        assert runs(answering)
        process.kill()
        process.wait()
        wait_until(lambda: not runs(answering), 60)
    finally:
        process.stdin.close()
        process.stdout.close()


def test_a_process_that_ends_each_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    ((_, reply),) = on_this_machine(QUESTIONS[:1], 1)
    assert isinstance(reply, Unanswered)
    assert "ended 2 times" in str(reply)


def test_a_proposal_that_eats_memory_harms_no_other(answerer: Answerer, here: Answer) -> None:
    process = answerer.process
    greedy = answerer(question(GREEDY, "greedy.py"))
    assert greedy.status != 0
    assert not greedy.lasting
    assert told(answerer(QUESTIONS[0])) == told(here)
    assert answerer.process is process


def test_values_are_listed_or_counted_exactly() -> None:
    assert values("--sweep x", "1:4") == [1, 2, 3, 4]
    assert values("--sweep x", "0:1:1/4,1/8,1") == [
        *(Fraction(each, 4) for each in range(5)),
        Fraction(1, 8),
    ]
    assert whole_values("3,1:2") == [3, 1, 2]
    for wrong in ("2:1", "1:2:0", "1:2:3:4", "a", "", "1:", "0:1000000"):
        with pytest.raises(BadInput):
            values("--sweep x", wrong)
    with pytest.raises(BadInput, match="whole"):
        whole_values("1/2")


def test_a_sweep_is_what_set_would_be_given() -> None:
    assert sweeps(["epsilon=1:2", "delta=1/8"]) == [["epsilon=1", "epsilon=2"], ["delta=1/8"]]
    with pytest.raises(BadInput, match="name=values"):
        sweeps(["epsilon"])


def wait_until(there: Callable[[], bool], seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)


@contextmanager
def running(arguments: Sequence[str], kept: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a campaign as a command of its own, from its first answer on."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sandproof.main", *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    answers = kept / "answers"
    try:
        wait_until(lambda: answers.exists() and bool(list(answers.iterdir())))
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_campaign_that_is_killed_goes_on_where_it_was(
    files: Path, tmp_path: Path, alone: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    with running(command(files, tmp_path), tmp_path) as process:
        children = started_by(process.pid)
    assert children
    wait_until(lambda: not any(map(runs, children)))
    finished = {path: path.read_text() for path in (tmp_path / "answers").iterdir()}
    assert 0 < len(finished) < 4
    assert main(command(files, tmp_path, "--format", "json")) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["asked"] == 4 - len(finished)
    assert [each["verdict"] for each in report["answers"]] == ["refuted"] * 2 + ["proved"] * 2
    assert all(each["new"] for each in report["answers"])
    assert all(path.read_text() == text for path, text in finished.items())
    assert kept_in(tmp_path) == alone


def started_by(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        listed = [(each / "children").read_text().split() for each in tasks]
    except OSError:
        return []
    return [int(each) for children in listed for each in children]


def is_busy(worker: subprocess.Popen[str]) -> bool:
    """Tell whether a check runs in a child of the process in which a worker answers."""
    return any(started_by(answering) for answering in started_by(worker.pid))


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_too_many_questions_and_no_folder_are_bad_input(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    assert main(command(files, kept, "--sweep", "epsilon=1:99999")) == 2
    assert "399996 questions" in capsys.readouterr().err
    kept.write_text("a file")
    assert main(command(files, kept)) == 2
    assert "kept: " in capsys.readouterr().err


def test_the_catalogue_takes_its_verdicts_from_a_campaign(
    files: Path,
    kept_alone: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(campaign, "on_this_machine", lambda *_: never(()))
    catalogue = ["catalogue", str(files), "--effort", "quick", "--only", CLAIM, "--no-cache"]
    assert main([*catalogue, "--folder", str(kept_alone)]) == 0
    output = capsys.readouterr().out
    assert "broken    refuted    refuted" in output
    assert "sound     proved     proved" in output
    assert "2 proposals, 0 with another verdict than expected" in output
    assert main([*catalogue, "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert "--cluster needs --folder" in capsys.readouterr().err


def test_the_catalogue_says_which_verdict_is_not_expected(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"proposal": {"name": "x.py", "labels": {"Expected": "refuted"}}, "seconds": 1.0}
    wrong = replace(HELD, result={**HELD.result, **data})
    monkeypatch.setattr(campaign, "on_this_machine", lambda asked, _: answered(wrong)(asked))
    catalogue = ["catalogue", str(files / "broken.py"), "--only", CLAIM, "--folder", str(tmp_path)]
    assert main(catalogue) == 1
    assert "x         refuted    proved         1.0  UNEXPECTED" in capsys.readouterr().out


class Cluster:
    """Run a scheduler and workers as processes of their own, on the loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker(), self.start_worker()]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def start_scheduler(self) -> subprocess.Popen[str]:
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        scheduler = self.start(
            *("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port)),
            *("--no-dashboard", "--no-jupyter", "--scheduler-file", str(file)),
        )
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address: str = json.loads(file.read_text())["address"]
        self.port = int(self.address.rpartition(":")[2])
        return scheduler

    def start_worker(self) -> subprocess.Popen[str]:
        return self.start(
            *("dask_worker", self.address, "--no-nanny", "--no-dashboard", "--nthreads", "1"),
            *("--host", "127.0.0.1", "--local-directory", str(self.folder)),
        )

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    found = Cluster(folder)
    try:
        yield found
    finally:
        found.stop()


def test_a_worker_that_is_killed_and_a_scheduler_that_starts_again_cost_nothing_but_time(
    files: Path, tmp_path: Path, alone: dict[str, object]
) -> None:
    kept = tmp_path / "kept"
    with (
        running_cluster(tmp_path) as found,
        running(command(files, kept, "--cluster", found.address), kept) as process,
    ):
        wait_until(lambda: any(map(is_busy, found.workers)))
        victim = next(filter(is_busy, found.workers))
        children = started_by(victim.pid)
        victim.kill()
        (other,) = (each for each in found.workers if each is not victim)
        wait_until(lambda: is_busy(other))
        assert len(kept_in(kept)) < 4
        found.scheduler.kill()
        found.scheduler.wait()
        found.scheduler = found.start_scheduler()
        found.workers.append(found.start_worker())
        assert process.wait(600) == 1
        wait_until(lambda: not any(map(runs, children)))
    assert kept_in(kept) == alone


def test_a_cluster_that_is_not_there_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = ["campaign", "--folder", str(tmp_path), "--cluster", "tcp://127.0.0.1:1"]
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(nowhere) == 2
    assert "sandproof[cluster]" in capsys.readouterr().err
    # Whoever asks a cluster starts threads that stay, so that is done in a process of its own.
    program = (
        "from sandproof import cluster, main\n"
        "cluster.CONNECT_SECONDS = 1\n"
        f"raise SystemExit(main.main({nowhere!r}))"
    )
    asked = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert asked.returncode == 2
    assert "there is no Dask scheduler" in asked.stderr
    assert not list((tmp_path / "answers").iterdir())
