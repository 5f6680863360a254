"""A campaign: many questions, each answered once and kept on disk, and a report of what is new.

The folder of a campaign holds an answer per question (`answers/`), written as soon as it is there,
so that a campaign that was ended goes on where it was. A file that changed, or another version of
this project, is asked about again. `reported.json` is what the last complete report said: what is
new is new since then, however often the campaign was ended in between.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from sandproof.about import Request
from sandproof.children import load_in_child
from sandproof.jobs import Options
from sandproof.plan import Loaded
from sandproof.problems import BadInput
from sandproof.processes import Pool, Task
from sandproof.questions import Answer, Answerer, Question, Unanswered
from sandproof.store import version_digest

Replies = Iterator[tuple[Question, Answer | Unanswered]]


class Folder:
    """Keep the answers of a campaign; what cannot be read is no answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            (path / "answers").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None
        self.reported: dict[str, str] = {}
        with suppress(OSError, ValueError, AttributeError):
            self.reported = dict(json.loads((path / "reported.json").read_text("utf-8")).items())

    def get(self, question: Question) -> Answer | None:
        """Return the answer that a question has already, to the very same files and version."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            record = json.loads((self.path / "answers" / question.place).read_text("utf-8"))
            if record["digest"] == question.digest:
                return Answer(**record["answer"])
        return None

    def put(self, question: Question, answer: Answer) -> None:
        """Keep an answer, if it would be the same the next time."""
        if answer.lasting:
            record = {"asked": question.asked, "digest": question.digest, "answer": asdict(answer)}
            self._write(f"answers/{question.place}", json.dumps(record, ensure_ascii=False))

    def close(self, report: Report) -> None:
        """Write the report, and then that all of it was told."""
        self._write("report.md", report.text)
        told = {question.place: headline(answer) for question, answer in report.answers.items()}
        self._write("reported.json", json.dumps({**self.reported, **told}, ensure_ascii=False))

    def _write(self, name: str, text: str) -> None:
        with tempfile.NamedTemporaryFile(
            "w", dir=self.path, delete=False, encoding="utf-8"
        ) as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        os.replace(written.name, self.path / name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Say what a campaign found, and what of it is new."""

    answers: Mapping[Question, Answer]
    unanswered: Sequence[str]
    before: Mapping[str, str]
    asked: int

    @property
    def new(self) -> list[Question]:
        """Return the questions that no complete report has told of."""
        return [question for question in self.answers if question.place not in self.before]

    @property
    def changed(self) -> list[Question]:
        """Return the questions whose answer is another than that last told."""
        return [
            question
            for question, answer in self.answers.items()
            if self.before.get(question.place, headline(answer)) != headline(answer)
        ]

    @property
    def text(self) -> str:
        """Return the report as Markdown."""
        return "\n".join(self._lines())

    def to_json(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {
            "questions": len(self.answers) + len(self.unanswered),
            "asked": self.asked,
            "unanswered": list(self.unanswered),
            "answers": [
                {
                    **question.asked,
                    "verdict": verdict_of(answer),
                    "headline": headline(answer),
                    "new": question.place not in self.before,
                    "before": self.before.get(question.place),
                }
                for question, answer in self.answers.items()
            ],
        }

    def _lines(self) -> Iterator[str]:
        counts = Counter(map(verdict_of, self.answers.values()))
        every = len(self.answers) + len(self.unanswered)
        told = [f"{count} {verdict}" for verdict, count in sorted(counts.items())]
        told += [f"{len(self.unanswered)} without an answer"] if self.unanswered else []
        yield "# Campaign\n"
        yield f"{every} questions: {', '.join(told)}; {self.asked} were asked now."
        if self.changed:
            yield "\n## Changed\n"
            for question in self.changed:
                now = headline(self.answers[question])
                yield f"- {question.told}: {now} (before: {self.before[question.place]})"
        if self.new:
            yield "\n## New\n"
            yield from (f"- {x.told}: {headline(self.answers[x])}" for x in self.new)
        if not self.new and not self.changed:
            yield "\nNothing is new since the last report."
        if self.unanswered:
            yield "\n## Without an answer\n"
            yield from (f"- {reason}" for reason in self.unanswered)
        yield "\n## Verdicts\n"
        yield "| proposal | verdict | questions |\n| --- | --- | --- |"
        rows = Counter((x.name, verdict_of(answer)) for x, answer in self.answers.items())
        for (name, verdict), count in rows.items():
            yield f"| {name} | {verdict} | {count} |"


def verdict_of(answer: Answer) -> str:
    """Return the verdict of an answer; input that cannot be used has none."""
    return "bad input" if answer.status == 2 else str(answer.result["verdict"])


def headline(answer: Answer) -> str:
    """Return an answer in one line."""
    return str(answer.result["headline"])


def conduct(
    questions: Sequence[Question],
    folder: Folder,
    ask: Callable[[Sequence[Question]], Replies],
    tell: Callable[[str], None],
) -> Report:
    """Ask what has no answer yet, keep every answer as it comes, and report."""
    answers = {each: known for each in questions if (known := folder.get(each)) is not None}
    missing = [each for each in questions if each not in answers]
    unanswered: list[str] = []
    for question, reply in ask(missing) if missing else ():
        if isinstance(reply, Answer) and reply.version != version_digest():
            reply = Unanswered(f"{question.told}: another version of Sandproof answered")
        if isinstance(reply, Answer):
            folder.put(question, reply)
            answers[question] = reply
        else:
            unanswered.append(str(reply))
        done = f"[{len(answers) + len(unanswered)}/{len(questions)}]"
        tell(f"{done} {question.told}: {said(reply)}")
    report = Report(
        answers={each: answers[each] for each in questions if each in answers},
        unanswered=unanswered,
        before=folder.reported,
        asked=len(missing),
    )
    folder.close(report)
    return report


def said(reply: Answer | Unanswered) -> str:
    """Return a reply in a word."""
    return verdict_of(reply) if isinstance(reply, Answer) else "no answer"


def on_this_machine(questions: Sequence[Question], jobs: int) -> Replies:
    """Answer questions side by side, each in a process of its own; end them if told to."""
    answerers = [Answerer() for _ in range(min(jobs, len(questions)))]
    free: SimpleQueue[Answerer] = SimpleQueue()
    for answerer in answerers:
        free.put(answerer)

    def reply(question: Question) -> tuple[Question, Answer | Unanswered]:
        answerer = free.get()
        try:
            return question, answerer(question)
        except Unanswered as problem:
            return question, problem
        finally:
            free.put(answerer)

    with ThreadPoolExecutor(len(answerers)) as pool:
        try:
            for future in as_completed([pool.submit(reply, each) for each in questions]):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for answerer in answerers:
                answerer.close()


def contents(path: Path, options: Options) -> tuple[tuple[str, str], ...]:
    """Return the files of a proposal by their place beside it, its own first.

    The proposal is loaded in a limited child to see which files it brings. One that cannot be
    loaded is taken with all files beside it, so that it is refused for the same reason elsewhere.
    """
    files = sorted(path.parent.glob("*.py"))
    with Pool(1) as pool:
        work = load_in_child(Request(path=path), options)
        pool.start(Task(name="load", work=work, seconds=10.0))
        outcome = pool.wait()
    if outcome is not None and isinstance(outcome.answer, Loaded):
        files = list(outcome.answer.files)
    beside = path.resolve().parent
    found = {}
    for file in (path, *files):
        if not file.resolve().is_relative_to(beside):
            raise BadInput(f"{path}: it brings {file}, which does not lie beside it")
        try:
            name = file.resolve().relative_to(beside).as_posix()
            found[name] = file.read_bytes().decode("latin-1")
        except OSError as error:
            raise BadInput(f"{file}: {(error.strerror or str(error)).lower()}") from None
    return tuple(found.items())
