"""The runner: a proposal that misbehaves is named in one line, and nothing is left running."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import cast

import pytest

from proofs import CHECKS, lemmas_of
from properties.universes import event_universe
from sandproof import case, children, plan, processes, verdict
from sandproof import proposal as proposal_module
from sandproof.about import About, Change, Request
from sandproof.answers import conforms, differ, readable
from sandproof.calls import Calls
from sandproof.case import Case
from sandproof.claim_result import AttackRecord, ClaimResult
from sandproof.combine import with_failed_assumptions, without_fallen_proofs
from sandproof.families import paper
from sandproof.families.paper import complaint, incomparable
from sandproof.jobs import Found, Job, Options, undecided
from sandproof.plan import Loaded
from sandproof.problems import BadInput
from sandproof.processes import Ending, Pool, Task
from sandproof.proposal import Proposal
from sandproof.result import BAD_INPUT, NOT_PROVED, PROVED, REFUTED, Result, overall
from sandproof.sampling import Sampler, SeededEntropy
from sandproof.schedule import Schedule
from sandproof.settings import parse_settings, with_settings
from spec import (
    PAPER,
    Distribution,
    EventClient,
    EventTrigger,
    Move,
    OnDevice,
    Query,
    Rules,
    Source,
    System,
    Trigger,
    replace,
    step,
)
from spec.aggregation_service import Spent
from spec.claims import CLAIMS
from spec.neighbours import NEVER_REGISTERED
from spec.numbers import NATURAL, Base
from spec.verdicts import Check, Claim, Evidence, Finding, Kind, Reason, Shape, Verdict
from tests.small import EVIDENCE

ATTRIBUTION = "attribution_summaries_are_private"
LEDGER = "the_ledger_never_passes_the_caps"
AGGREGATION = "aggregation_summaries_are_private"
NULLS = "null_reports_are_charged"
LEMMA = "a_refused_query_charges_nothing"
CALL_SECONDS, LOAD_SECONDS = 2.5, 1.0
HEADER = "from spec import PAPER, Distribution, replace\nfrom fractions import Fraction\n"


def play(rules: Rules) -> None:
    """Run a source, triggers and queries through the system under the given rules."""
    draw, system = Sampler(SeededEntropy(1)), System()
    source = Source(source_id="A", destination="shop", expiry=9, filters=frozenset({"f"}), key=1)
    triggers = [
        Trigger(report_id=i, destination="shop", filters=frozenset({"f"}), key=2, value=5)
        for i in range(4)
    ]
    query = Query(epsilon=Fraction(1), report_ids=(0, 1, 2, 3), keys=(3,))
    moves: tuple[Move, ...] = (source, *triggers, query, query)
    for move in moves:
        system, _ = step(rules, system, move, draw)


def check(claim: str, name: str, verdict: Verdict, body: Callable[[Rules], None] = play) -> Check:
    def run(rules: Rules) -> Finding:
        body(rules)
        return replace(found(claim, verdict, name), method="a run", bound="7 moves")

    return planned(claim, name, run)


def planned(claim: str, name: str, run: Callable[[Rules], Finding]) -> Check:
    """Return a check; the one that is called so is a proof."""
    evidence = Evidence.PROOF if name == "proof" else Evidence.EXACT_IN_UNIVERSE
    (shape,) = CLAIMS[claim].shapes
    return Check(claim=claim, name=name, run=run, controls=(), evidence=evidence, shape=shape)


def found(claim: str, verdict: Verdict, name: str = "game") -> Finding:
    """Return a finding that says as much; what is searched is what the claim's row lists."""
    (shape,) = (Shape.NONE,) if name == "proof" else CLAIMS[claim].shapes
    return Finding(claim=claim, check=name, evidence=EVIDENCE[verdict], shape=shape)


def job_of(place: int, claim: str, check: str) -> Job:
    """Return a job; the one that is called so is a proof."""
    return Job(place=place, claim=claim, check=check, proves=check == "proof")


@pytest.fixture(autouse=True, scope="module")
def one_shape() -> Iterator[None]:
    """Let one search be all that a guarantee asks for, so that a single check can decide it.

    The same for all tests: what is another than it was before is written down again each time.
    """
    with pytest.MonkeyPatch.context() as patch:
        for claim in (ATTRIBUTION, AGGREGATION):
            alone = replace(CLAIMS[claim], shapes=CLAIMS[claim].shapes[:1])
            patch.setitem(cast(dict[str, Claim], CLAIMS), claim, alone)
        yield


PLAYED: list[Check] = []


def played_checks(*_: object) -> tuple[Check, ...]:
    """Return the checks that a test has put in the place of all others."""
    return tuple(PLAYED)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """Replace all checks by a quick one that plays through the system."""
    PLAYED[:] = [
        check(ATTRIBUTION, "play", Verdict.SEARCHED),
        check(LEDGER, "play", Verdict.PROVED),
    ]
    monkeypatch.setattr(paper, "checks_of", played_checks)
    monkeypatch.setattr(case, "CALL_SECONDS", CALL_SECONDS)
    monkeypatch.setattr(case, "LOAD_SECONDS", LOAD_SECONDS)
    return PLAYED


def written(directory: Path, source: str, name: str = "change.py") -> Path:
    path = directory / name
    path.write_text(source, encoding="utf-8")
    return path


OPTIONS = Options(timeout=5, jobs=2, memory=200 * 2**20, only=(ATTRIBUTION, LEDGER))


def checked(*paths: Path, options: Options = OPTIONS) -> list[Result]:
    results = list(verdict.run([Request(path=path) for path in paths], options))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    return results


CANNOT_BE_LOADED = {
    "\0": "change.py: syntax error: source code string cannot contain null bytes",
    "raise KeyboardInterrupt\n": "change.py, line 1: KeyboardInterrupt",
    "": "change.py: the file is empty",
    "x = (\n": "change.py, line 1: syntax error: '(' was never closed",
    "x = 1\n": "change.py: the file does not define RULES",
    "RULES = {}\n": "RULES must be a spec.Rules or a spec.level1.Level1Rules, not a dict: {}",
    "\nimport nowhere_at_all\n": "change.py, line 2: ModuleNotFoundError: No module named",
    "def f():\n    return 1 / 0\nf()\n": "change.py, line 2, in f: ZeroDivisionError: division",
    "raise SystemExit(0)\n": "change.py, line 1: SystemExit: 0",
    "import os\nos._exit(0)\n": "change.py: ended the process with exit status 0",
    "import os\nos.kill(os.getpid(), 11)\n": "change.py: crashed the process (SIGSEGV)",
    "while True:\n    pass\n": "change.py: did not finish loading within 1 s",
    "x = []\nwhile True:\n    x.append(bytes(10**7))\n": "change.py, line 3: MemoryError",
    "def f():\n    f()\nf()\n": "change.py, line 2, in f: RecursionError",
    HEADER + "RULES = replace(PAPER, chrage=PAPER.charge)\n": (
        "'chrage'; there is no rule chrage; did you mean charge?"
    ),
    HEADER + "RULES = replace(PAPER, limits=replace(PAPER.limits, detla=1))\n": (
        "'detla'; there is no parameter detla; did you mean delta?"
    ),
    HEADER
    + "RULES = replace(PAPER, charge=3)\n": "rule `charge` must be a function, not an int: 3",
    HEADER + "RULES = replace(PAPER, charge=lambda spent: spent)\n": (
        "rule `charge` is called with 3 arguments (at, spent, report), but <lambda> takes (spent)"
    ),
    HEADER + "RULES = replace(PAPER, limits=7)\n": "RULES.limits must be a spec.Limits, not an int",
    HEADER
    + "RULES = PAPER\nNEIGHBOURS = 'none'\n": "NEIGHBOURS must be a spec.neighbours.Relation",
    HEADER + "RULES = PAPER\nUNIVERSE = 5\n": "a universe must be a spec.universe.Universe",
    HEADER + "RULES = PAPER\nUNIVERSE = UNIVERSES = ()\n": "define UNIVERSE or UNIVERSES, not both",
}


@pytest.mark.usefixtures("checks")
@pytest.mark.parametrize("source", CANNOT_BE_LOADED)
def test_a_file_that_cannot_be_used_is_bad_input(tmp_path: Path, source: str) -> None:
    (result,) = checked(written(tmp_path, source))
    assert CANNOT_BE_LOADED[source] in result.bad_input
    assert "\n" not in result.headline
    assert (result.exit_status, result.verdict) == (BAD_INPUT, Verdict.UNKNOWN)


@pytest.mark.usefixtures("checks")
@pytest.mark.parametrize(
    ("name", "what"), [("", "is a directory"), ("missing.py", "no such file or directory")]
)
def test_what_is_no_file_is_bad_input(tmp_path: Path, name: str, what: str) -> None:
    (result,) = checked(tmp_path / name)
    assert result.bad_input.endswith(what)
    assert result.exit_status == BAD_INPUT


def rule(body: str, name: str = "charge", before: str = "") -> str:
    """Return a proposal with another rule, by the body of its function."""
    arguments = {
        "charge": "at, spent, report",
        "settle": "at, batch",
        "attempt_order": "at, matching",
        "send": "at, granted",
        "reveal": "at, batch, outcome",
        "attribute": "at, draw",
        "releases": "at, key, noisy, threshold",
    }[name]
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    defined = f"def changed({arguments}):\n{lines}\n"
    return f"{HEADER}{before}\n{defined}RULES = replace(PAPER, {name}=changed)\n"


PAPERS_CHARGE = "return PAPER.charge(at, spent, report)"
MISBEHAVES = {
    "returns None": (rule("return None", "settle"), "rule `settle` returned None; it must"),
    "returns a string": (rule("return 'yes'"), "rule `charge` returned a str: 'yes'; it must"),
    "returns a short tuple": (
        rule("return (at.service.ledger,)", "settle"),
        "rule `settle` returned a tuple: (immutables.Map",
    ),
    "answers yes or no with a set": (
        rule("return {1}", "releases"),
        "rule `releases` returned a set: {1}; it must return bool",
    ),
    "raises": (
        rule("return {}[report.report_id]"),
        "line 5, in changed: rule `charge` raised KeyError: 0",
    ),
    "raises an error of the specification": (
        rule("return replace(at.query, epsilon=0.5)"),
        "line 5, in changed: rule `charge` raised NotExact: epsilon must be",
    ),
    "answers with no law": (
        rule("return Distribution.of({(): Fraction(1, 3)})", "send"),
        "rule `send` raised NotADistribution: the probabilities sum to 1/3",
    ),
    "recurses": (rule("return changed(at, spent, report)"), "recurses without end"),
    "changes its answer": (
        rule(
            f"calls.append(1)\nif len(calls) % 2: return None\n{PAPERS_CHARGE}",
            before="calls = []",
        ),
        "rule `charge` changes its answer from call to call: None, then a Spent",
    ),
    "draws as it likes": (
        rule(
            "coin = Distribution.uniform([1, 2])\n"
            "calls.append(1)\n"
            "for _ in calls: draw(coin)\n"
            "return PAPER.attribute(at, draw)",
            "attribute",
            before="calls = []",
        ),
        "rule `attribute` changes its answer from call to call: it draws more often",
    ),
    "writes to its input": (
        rule(f"report.report_id = 7\n{PAPERS_CHARGE}"),
        "rule `charge` tried to change its input: cannot assign to field 'report_id'",
    ),
    "forces its input to change": (
        rule(f"object.__setattr__(at.query, 'keys', (*at.query.keys, 9))\n{PAPERS_CHARGE}"),
        "rule `charge` changed its input",
    ),
    "ends the process": (
        rule("import os\nos._exit(0)"),
        "rule `charge` ended the process with exit status 0",
    ),
    "raises SystemExit": (
        rule("raise SystemExit(0)"),
        "line 5, in changed: rule `charge` raised SystemExit: 0",
    ),
    "raises KeyboardInterrupt": (
        rule("raise KeyboardInterrupt"),
        "line 5, in changed: rule `charge` raised KeyboardInterrupt",
    ),
    "raises what cannot be written": (
        rule(
            "raise Bad()",
            before="class Bad(Exception):\n    def __str__(self): return {}[0]\n",
        ),
        "in changed: rule `charge` raised Bad: (cannot be written: KeyError)",
    ),
    "returns what cannot be written": (
        rule("return Bad()", before="class Bad:\n    def __repr__(self): return {}[0]\n"),
        "rule `charge` returned a Bad: (cannot be written: KeyError); it must return",
    ),
    "returns what cannot be compared": (
        rule(
            "return Bad()",
            "reveal",
            before="class Bad:\n    __hash__ = object.__hash__\n"
            "    def __eq__(self, other): return {}[0]\n",
        ),
        "rule `reveal` returned a Bad: <proposal_change.Bad object at",
    ),
    "answers yes or no with no number": (
        rule("return float('nan')", "releases"),
        "rule `releases` returned a float: nan; it must return",
    ),
    "forces its input and its answer to change": (
        rule(
            "object.__setattr__(report, 'report_id', report.report_id + 1)\n"
            "return spent if report.report_id % 2 == 0 else None"
        ),
        "rule `charge` changed its input",
    ),
    "remembers other questions": (
        rule(
            f"SEEN.add(report.report_id)\nif len(SEEN) > 2: return None\n{PAPERS_CHARGE}",
            before="SEEN = set()",
        ),
        "rule `charge` changes its answer from call to call: None, then a Spent",
    ),
    "remembers other questions and has types of its own": (
        rule(
            f"SEEN.add(report.report_id)\nif len(SEEN) > 2: return None\n{PAPERS_CHARGE}",
            before="SEEN = set()\nclass Own:\n    pass",
        ),
        "rule `charge` changes its answer from call to call: a Spent",
    ),
    "shows a generator": (
        rule("yield outcome", "reveal"),
        "and a generator is equal to itself only",
    ),
    "shows something opaque inside of a tuple": (
        rule("return outcome, (object(),)", "reveal"),
        "rule `reveal` returned a tuple: (Answer(released=(",
    ),
    "crashes": (
        rule("import os\nos.kill(os.getpid(), 11)"),
        "rule `charge` crashed the process (SIGSEGV)",
    ),
}


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let proposals look at the machine, as if that had been overlooked."""
    monkeypatch.setattr(proposal_module, "check_followed", overlooked)


def overlooked(_: object) -> None:
    """Find nothing."""


@pytest.mark.usefixtures("checks", "unread")
@pytest.mark.parametrize("case", MISBEHAVES)
def test_a_rule_that_misbehaves_is_named(tmp_path: Path, case: str) -> None:
    source, expected = MISBEHAVES[case]
    (result,) = checked(written(tmp_path, source))
    assert result.headline.startswith(f"bad input: {tmp_path / 'change.py'}")
    assert expected in result.headline
    assert "\n" not in result.headline
    assert (result.exit_status, result.verdict) == (BAD_INPUT, Verdict.UNKNOWN)


RUNS_OUT = {
    "hangs": (rule("while True: pass"), "rule `charge` runs more than 1000000 lines in one call"),
    "blocks": (rule("sum(range(10**12))"), "rule `charge` did not return within"),
    "sleeps": (rule("import time\ntime.sleep(99)"), "rule `charge` did not return within"),
    "allocates without end": (
        rule("x = []\nwhile True: x.append(bytes(10**7))"),
        "rule `charge` ran out of memory",
    ),
}


@pytest.mark.usefixtures("checks", "unread")
@pytest.mark.parametrize("name", RUNS_OUT)
def test_a_rule_that_runs_out_of_time_or_memory_is_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    source, expected = RUNS_OUT[name]
    if "did not return" in expected:
        monkeypatch.setattr(case, "CALL_SECONDS", 0.5)
    (result,) = checked(written(tmp_path, source))
    assert expected in result.headline
    assert (result.exit_status, result.verdict) == (NOT_PROVED, Verdict.UNKNOWN)


@pytest.mark.usefixtures("checks")
def test_other_proposals_of_the_run_still_get_their_verdict(tmp_path: Path) -> None:
    paths = [
        written(tmp_path, rule("while True: pass"), "hangs.py"),
        written(tmp_path, rule(PAPERS_CHARGE), "sound.py"),
        written(tmp_path, "", "empty.py"),
        written(tmp_path, rule(PAPERS_CHARGE), "sound_too.py"),
    ]
    results = checked(*paths)
    assert [result.exit_status for result in results] == [
        NOT_PROVED,
        NOT_PROVED,
        BAD_INPUT,
        NOT_PROVED,
    ]
    assert overall(results) == BAD_INPUT
    assert [result.about.name for result in results] == list(map(str, paths))


@pytest.mark.usefixtures("checks")
def test_what_a_proposal_prints_is_noted_and_kept_from_the_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    loud = f"print('hello from a rule')\n{PAPERS_CHARGE}"
    (result,) = checked(written(tmp_path, rule(loud)))
    assert result.verdict is Verdict.SEARCHED
    assert "prints while it runs: 'hello from a rule" in result.notes[0]
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("checks", "unread")
def test_processes_that_a_rule_starts_are_ended_with_it(tmp_path: Path) -> None:
    started = tmp_path / "pid"
    body = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        f"    open({str(started)!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(60)\n"
        "    os._exit(0)\n"
        f"{PAPERS_CHARGE}"
    )
    checked(written(tmp_path, rule(body)))
    number = started.read_text() if started.exists() else ""
    for _ in range(50):
        # A process that was ended before it wrote its number has left an empty file, or none.
        if not number or not Path(f"/proc/{number}").exists():
            return
        time.sleep(0.02)
    status = Path(f"/proc/{number}/stat").read_text().split()[2]
    assert status == "Z"


def idle(_: Rules) -> None:
    """Run no rule."""


def test_a_misbehaving_rule_outweighs_a_proof_but_not_a_refutation(
    tmp_path: Path, checks: list[Check]
) -> None:
    path = written(tmp_path, rule("return {}[7]"))
    checks[:] = [
        check(LEDGER, "proof", Verdict.PROVED, idle),
        check(LEDGER, "play", Verdict.SEARCHED),
    ]
    options = replace(OPTIONS, only=(LEDGER,))
    (result,) = checked(path, options=options)
    assert result.claims[0].verdict is Verdict.UNKNOWN
    checks[0] = check(LEDGER, "proof", Verdict.REFUTED, idle)
    (result,) = checked(path, options=options)
    assert result.claims[0].verdict is Verdict.REFUTED
    assert result.exit_status == REFUTED
    assert result.misbehaved


def test_an_order_of_attempts_names_candidates_only(tmp_path: Path, checks: list[Check]) -> None:
    renamed = "[replace(each, key=9) for each in matching]"
    for answer in (renamed, f"Distribution.of({{tuple({renamed}): Fraction(1)}})"):
        text = f"{HEADER}def order(at, matching):\n    return {answer}\n"
        text += "RULES = replace(PAPER, attempt_order=order)\n"
        (result,) = checked(written(tmp_path, text), options=replace(OPTIONS, only=(ATTRIBUTION,)))
        assert result.exit_status == BAD_INPUT
        assert "rule `attempt_order` returned" in result.headline
        assert "only candidates can be attempted" in result.headline


def test_what_is_composed_holds_as_far_as_its_parts_do() -> None:
    def row(claim: str, verdict: Verdict) -> ClaimResult:
        return ClaimResult(claim=CLAIMS[claim], findings=(found(claim, verdict),))

    def verdict(*parts: Verdict) -> Verdict:
        rows = [row(claim, part) for claim, part in zip(paper.PARTS, parts, strict=True)]
        *_, last = paper.composed((*rows, row(paper.COMPOSED, Verdict.UNKNOWN)))
        return last.verdict

    assert verdict(Verdict.PROVED, Verdict.SEARCHED) is Verdict.SEARCHED
    assert verdict(Verdict.SEARCHED, Verdict.UNKNOWN) is Verdict.UNKNOWN
    assert verdict(Verdict.REFUTED, Verdict.SEARCHED) is Verdict.UNKNOWN


def test_a_check_that_fails_is_not_blamed_on_the_proposal(
    tmp_path: Path, checks: list[Check]
) -> None:
    def broken(_: Rules) -> None:
        raise KeyError("of the check")

    checks[:] = [check(LEDGER, "broken", Verdict.PROVED, broken)]
    (result,) = checked(
        written(tmp_path, rule(PAPERS_CHARGE)), options=replace(OPTIONS, only=(LEDGER,))
    )
    assert result.exit_status == NOT_PROVED
    assert [alarm.reason for alarm in result.alarms] == [Reason.RAISED]
    assert "KeyError: 'of the check'" in result.headline


def test_a_slow_check_is_unknown_and_the_others_finish(tmp_path: Path, checks: list[Check]) -> None:
    checks[0] = check(ATTRIBUTION, "slow", Verdict.SEARCHED, lambda _: time.sleep(60))
    (result,) = checked(
        written(tmp_path, rule(PAPERS_CHARGE)), options=replace(OPTIONS, timeout=0.5)
    )
    verdicts = {row.claim.id: row.verdict for row in result.claims}
    assert verdicts == {ATTRIBUTION: Verdict.UNKNOWN, LEDGER: Verdict.PROVED}
    assert "slow was not finished within 0.5 s" in result.headline
    assert result.exit_status == NOT_PROVED


def test_a_claim_without_a_changed_rule_is_unaffected(tmp_path: Path, checks: list[Check]) -> None:
    checks.append(check(LEMMA, "play", Verdict.PROVED))
    text = "RULES = replace(PAPER, contributions=lambda at, source: ())\n"
    path = written(tmp_path, HEADER + text)
    (result,) = checked(path, options=replace(OPTIONS, only=(ATTRIBUTION, LEDGER, LEMMA)))
    verdicts = {row.claim.id: row.verdict for row in result.claims}
    assert verdicts == {
        ATTRIBUTION: Verdict.SEARCHED,
        LEDGER: Verdict.UNAFFECTED,
        LEMMA: Verdict.UNAFFECTED,
    }
    assert result.status([Verdict.SEARCHED]) == PROVED
    assert "none of the changed rules" in result.claims[1].why


@pytest.mark.usefixtures("checks")
def test_everything_is_checked_for_the_papers_own_rules() -> None:
    (result,) = verdict.run([Request()], OPTIONS)
    assert [row.verdict for row in result.claims] == [Verdict.SEARCHED, Verdict.PROVED]
    assert result.about.changes == ()


@pytest.mark.usefixtures("checks")
def test_the_changes_are_told_with_their_source(tmp_path: Path) -> None:
    source = rule(PAPERS_CHARGE) + (
        "RULES = replace(RULES, limits=replace(PAPER.limits, sparsity_budget=400))\n"
    )
    (result,) = checked(written(tmp_path, source))
    limit, function = result.about.changes
    assert (limit.field, limit.before, limit.after) == ("limits.sparsity_budget", "20", "400")
    assert (function.field, function.before) == ("charge", "spec.aggregation_service.charge")
    assert function.source.startswith("def changed(at, spent, report):")


@pytest.mark.usefixtures("checks")
def test_a_proposal_may_import_a_file_beside_it_and_a_folder_called_spec_hides_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "__init__.py").write_text("raise SystemExit('another spec')\n")
    written(tmp_path, HEADER + f"def paid(at, spent, report): {PAPERS_CHARGE}\n", "beside_it.py")
    text = "from beside_it import paid\n" + HEADER + "RULES = replace(PAPER, charge=paid)\n"
    (result,) = checked(written(tmp_path, text))
    assert (result.bad_input, result.verdict) == ("", Verdict.SEARCHED)
    (change,) = result.about.changes
    assert change.file.endswith("beside_it.py")


@pytest.mark.usefixtures("checks")
def test_the_labels_of_a_docstring_are_read(tmp_path: Path) -> None:
    text = '"""Change nothing.\n\nOrigin: ARA#1.\nExpected: refuted, by a factor 2.\n"""\n'
    (result,) = checked(written(tmp_path, text + rule(PAPERS_CHARGE)))
    assert result.about.title == "Change nothing."
    assert result.about.labels == {"Origin": "ARA#1", "Expected": "refuted, by a factor 2"}


def test_proofs_for_the_papers_neighbours_do_not_count_for_others() -> None:
    other = {(c.claim, c.name) for c in paper.checks_of("quick", 0, NEVER_REGISTERED, ())}
    usual = {(c.claim, c.name) for c in paper.checks_of("quick", 0, None, ())}
    assert paper.overridden(CLAIMS[ATTRIBUTION], NEVER_REGISTERED)
    assert not paper.overridden(CLAIMS[LEDGER], NEVER_REGISTERED)
    named = [name for claim, name in other if claim == ATTRIBUTION]
    assert named
    assert all("never registered" in name for name in named)
    assert (LEDGER, "proof") in other & usual


def test_checks_come_cheapest_and_most_telling_first() -> None:
    checks = paper.checks_of("standard", 0, None, ())
    kinds = [CLAIMS[check.claim].kind for check in checks]
    assert kinds == sorted(kinds, key=lambda kind: plan.ORDER[kind])
    named = [check.name for check in checks if CLAIMS[check.claim].relation]
    names = [name.split(":")[0].split(",")[0] for name in named]
    last = max(place for place, name in enumerate(names) if name == "directed worlds")
    assert last < names.index("production parameters")
    order = ("directed worlds", "production parameters", "game", "runs on numbers", "machine")
    first = {name: names.index(name) for name in order}
    assert sorted(first, key=lambda name: first[name]) == list(first)


def test_every_guarantee_is_decided_not_only_the_first_that_falls(
    tmp_path: Path, checks: list[Check]
) -> None:
    checks[:] = [
        check(AGGREGATION, "refutes", Verdict.REFUTED, idle),
        check(AGGREGATION, "game", Verdict.SEARCHED),
        check(ATTRIBUTION, "refutes", Verdict.REFUTED, idle),
        check(NULLS, "play", Verdict.SEARCHED),
    ]
    options = replace(OPTIONS, only=(AGGREGATION, ATTRIBUTION, NULLS))
    (result,) = checked(written(tmp_path, rule(PAPERS_CHARGE)), options=options)
    verdicts = {row.claim.id: row.verdict for row in result.claims}
    assert verdicts == {
        AGGREGATION: Verdict.REFUTED,
        ATTRIBUTION: Verdict.REFUTED,
        NULLS: Verdict.SEARCHED,
    }
    assert result.exit_status == REFUTED


def test_where_nothing_changes_the_named_universes_say_what_is_asked() -> None:
    proposal = Proposal(about=About(name="p"), rules=PAPER, universes=(event_universe(),))
    assert paper.asked_for(proposal) == {"event_level_reports_are_private"}
    assert paper.asked_for(replace(proposal, universes=())) == frozenset()


def test_an_attack_makes_later_checks_of_the_claim_needless(
    tmp_path: Path, checks: list[Check]
) -> None:
    class Attack:
        def story(self) -> str:
            return "1. It happened."

        def to_json(self) -> dict[str, object]:
            return {"steps": [{"move": "It happened."}]}

    def attacked(_: Rules) -> Finding:
        return Finding(claim=LEDGER, check="game", evidence=Evidence.ATTACK, attack=Attack())

    checks[:] = [
        Check(claim=LEDGER, name="game", run=attacked, controls=()),
        check(LEDGER, "slow", Verdict.SEARCHED, lambda _: time.sleep(60)),
    ]
    options = replace(OPTIONS, only=(LEDGER,), timeout=30)
    (result,) = checked(written(tmp_path, rule(PAPERS_CHARGE)), options=options)
    assert [finding.check for finding in result.claims[0].findings] == ["game"]
    assert result.attack is not None
    assert result.attack.story == "1. It happened."
    assert result.seconds < 60


def test_a_rule_that_repairs_is_found_by_putting_it_back(
    tmp_path: Path, checks: list[Check]
) -> None:
    def needs_charge(rules: Rules) -> Finding:
        kept = rules.charge is PAPER.charge
        return found(LEDGER, Verdict.PROVED if kept else Verdict.REFUTED, "proof")

    checks[:] = [planned(LEDGER, "proof", needs_charge)]
    source = rule(PAPERS_CHARGE) + "RULES = replace(RULES, settle=lambda *a: PAPER.settle(*a))\n"
    (result,) = checked(written(tmp_path, source), options=replace(OPTIONS, only=(LEDGER,)))
    assert [(repair.field, repair.claim) for repair in result.repairs] == [("charge", LEDGER)]


def test_a_repair_is_tried_with_the_check_that_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuting(rules: Rules) -> Finding:
        kept = rules.charge is PAPER.charge
        return found(LEDGER, Verdict.SEARCHED if kept else Verdict.REFUTED)

    game = planned(LEDGER, "game", refuting)
    others = [check(LEDGER, name, Verdict.SEARCHED) for name in ("first", "second")]
    lists = {"standard": (*others, game), "quick": (game, *others)}
    monkeypatch.setattr(paper, "checks_of", lambda effort, *_: lists[effort])
    source = rule(PAPERS_CHARGE) + "RULES = replace(RULES, settle=lambda *a: PAPER.settle(*a))\n"
    (result,) = checked(written(tmp_path, source), options=replace(OPTIONS, only=(LEDGER,)))
    assert [(repair.field, repair.claim) for repair in result.repairs] == [("charge", LEDGER)]


@pytest.mark.parametrize("shape", [Shape.RANDOM_RUNS, Shape.SMALL_UNIVERSE])
def test_numbers_make_further_random_runs_needless_and_nothing_else(
    shape: Shape, tmp_path: Path, checks: list[Check]
) -> None:
    def broken(_: Rules) -> Finding:
        return Finding(claim=LEDGER, check="closed form", evidence=Evidence.ATTACK)

    later = replace(check(LEDGER, "later", Verdict.SEARCHED), shape=shape)
    checks[:] = [Check(claim=LEDGER, name="closed form", run=broken, controls=()), later]
    options = replace(OPTIONS, only=(LEDGER,))
    (result,) = checked(written(tmp_path, rule(PAPERS_CHARGE)), options=options)
    needless = {"later"} if shape is Shape.RANDOM_RUNS else set()
    names = {finding.check for finding in result.claims[0].findings}
    assert names == {"closed form", "later"} - needless


CHARGED = "null_reports_are_charged"


@pytest.mark.parametrize("effort", ["quick", "standard", "deep"])
@pytest.mark.parametrize("verdict", [Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN])
def test_a_lemma_that_a_proof_decides_is_not_searched_beside_it(
    effort: str, verdict: Verdict, tmp_path: Path, checks: list[Check]
) -> None:
    spare = replace(check(CHARGED, "machine", Verdict.SEARCHED), spare=True)
    checks[:] = [check(CHARGED, "proof", verdict), spare]
    options = replace(OPTIONS, effort=effort, only=(CHARGED,))
    (result,) = checked(written(tmp_path, rule(PAPERS_CHARGE)), options=options)
    names = {finding.check for finding in result.claims[0].findings}
    needless = effort != "deep" and verdict is not Verdict.UNKNOWN
    assert names == {"proof", "machine"} - ({"machine"} if needless else set())


@pytest.mark.parametrize("effort", ["quick", "standard"])
@pytest.mark.parametrize("verdict", [Verdict.PROVED, Verdict.UNKNOWN])
def test_a_quick_run_spares_what_a_proof_makes_needless(
    effort: str, verdict: Verdict, tmp_path: Path, checks: list[Check]
) -> None:
    spare = replace(check(LEDGER, "game: one more", Verdict.SEARCHED), spare=True)
    checks[:] = [check(LEDGER, "game", Verdict.SEARCHED), check(LEDGER, "proof", verdict), spare]
    options = replace(OPTIONS, effort=effort, only=(LEDGER,))
    (result,) = checked(written(tmp_path, rule(PAPERS_CHARGE)), options=options)
    names = {finding.check for finding in result.claims[0].findings}
    spared = {"game: one more"} if (effort, verdict) == ("quick", Verdict.PROVED) else set()
    assert names == {"game", "game: one more", "proof"} - spared
    assert result.claims[0].verdict is (
        Verdict.PROVED if verdict is Verdict.PROVED else Verdict.SEARCHED
    )


def children_of(process: subprocess.Popen[str]) -> list[str]:
    """Wait until a process has children that stay, and return their numbers."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    before: list[str] = []
    for _ in range(60):
        time.sleep(0.5)
        now = listed.read_text().split()
        if now and now == before:
            return now
        before = now
    raise AssertionError("no children that stay")


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    # What is calculated inside of Python is not counted in lines, so that the children stay.
    path = written(tmp_path, rule("return sum(range(10**15))"))
    source = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from sandproof import case\n"
        "from sandproof.main import main\n"
        "case.CALL_SECONDS = 60\n"
        f"sys.exit(main(['check', {str(path)!r}, '--timeout', '60', '--effort', 'quick']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent,
    )
    children = children_of(process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert not any(Path(f"/proc/{child}").exists() for child in children)
    assert process.returncode == NOT_PROVED
    assert output.rstrip().splitlines()[-1].startswith(f"unknown: {path}: ")
    assert output.rstrip().endswith("(interrupted)")
    assert "Traceback" not in output + errors


def scheduled(options: Options, *jobs: Job) -> Schedule:
    """Return the schedule of jobs for a proposal that changes the charge."""
    about = About(name="change.py", changes=(Change(field="charge", before="a", after="b"),))
    return Schedule(Loaded(about=about, jobs=jobs), options)


def result_of(schedule: Schedule, options: Options, interrupted: bool = False) -> Result:
    """Return what becomes of a schedule."""
    session = Case(Request(path=Path("change.py")), options)
    session.schedule = schedule
    return replace(session.result(interrupted), seconds=0.0)


def test_a_guarantee_with_unfinished_checks_does_not_hold_when_interrupted() -> None:
    done, left = job_of(0, LEDGER, "game"), job_of(1, LEDGER, "large runs")
    options = replace(OPTIONS, only=(LEDGER,))
    for kept in (Verdict.SEARCHED, Verdict.PROVED):
        schedule = scheduled(options, done)
        schedule.pending = []
        schedule.found[done] = Found(finding=found(LEDGER, kept))
        assert result_of(schedule, options, interrupted=True).verdict is kept
        schedule.pending = [left]
        assert result_of(schedule, options, interrupted=True).verdict is Verdict.UNKNOWN
        assert result_of(schedule, options, interrupted=True).headline.endswith("(interrupted)")
    schedule.found[done] = Found(finding=found(LEDGER, Verdict.REFUTED))
    assert result_of(schedule, options, interrupted=True).verdict is Verdict.REFUTED


def test_children_end_with_their_parent(tmp_path: Path) -> None:
    path = written(tmp_path, "while True:\n    pass\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "sandproof.main", "check", str(path)],
        text=True,
        cwd=Path(__file__).parent.parent,
    )
    children = children_of(process)
    process.kill()
    process.wait()
    for _ in range(50):
        if not any(Path(f"/proc/{child}").exists() for child in children):
            return
        time.sleep(0.05)
    pytest.fail("a child outlived its parent")


def test_the_pool_bounds_what_runs_at_once_and_ends_the_rest() -> None:
    def nap(_: Calls) -> str:
        time.sleep(30)
        return "done"

    with Pool(2) as pool:
        pool.start(Task(name="slow", work=nap, seconds=60))
        pool.start(Task(name="quick", work=lambda _: "done", seconds=60))
        assert not pool.has_room
        outcome = pool.wait()
        assert outcome is not None
        assert (outcome.task.name, outcome.answer) == ("quick", "done")
        pids = [child.pid for child in pool.running]
    assert len(pids) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_the_pool_stops_what_takes_too_long() -> None:
    with Pool(1) as pool:
        pool.start(Task(name="slow", work=lambda _: time.sleep(30), seconds=0.1))
        outcome = pool.wait()
        assert outcome is not None
        assert outcome.ending is Ending.OUT_OF_TIME
        assert pool.wait() is None


def test_a_child_is_given_processor_time_and_a_multiple_of_it_to_wait() -> None:
    def calculate(_: Calls) -> int:
        while time.process_time() < 5:
            pass
        return 1

    def wait(_: Calls) -> int:
        time.sleep(0.6)
        return 7

    with Pool(jobs=1) as pool:
        pool.start(Task(name="busy", work=calculate, seconds=0.3))
        outcome = pool.wait()
    assert outcome is not None
    assert outcome.ending is Ending.OUT_OF_TIME
    with Pool(jobs=1) as pool:
        pool.start(Task(name="waits", work=wait, seconds=0.3))
        outcome = pool.wait()
    assert outcome is not None
    assert (outcome.ending, outcome.answer) == (Ending.ANSWERED, 7)


def test_an_answer_that_cannot_travel_is_no_answer() -> None:
    with Pool(1) as pool:
        pool.start(Task(name="odd", work=lambda _: lambda: None, seconds=5))
        outcome = pool.wait()
    assert outcome is not None
    assert outcome.ending is Ending.DIED
    assert outcome.how == "ended the process with exit status 1"


def test_memory_limits_stay_in_their_range() -> None:
    for jobs in (1, 2, 64):
        assert processes.GIBIBYTE <= processes.memory_limit(jobs) <= 4 * processes.GIBIBYTE


def test_settings_are_read_exactly() -> None:
    texts = ["epsilon=1/3", "delta=1e-8", "sparsity_budget=65536", "base=2"]
    limits = with_settings(PAPER.limits, parse_settings(texts, PAPER.limits))
    assert (limits.epsilon, limits.delta) == (Fraction(1, 3), Fraction(1, 10**8))
    assert (limits.sparsity_budget, limits.base) == (65536, Base(Fraction(2)))
    assert with_settings(limits, parse_settings(["base=e"], PAPER.limits)).base == NATURAL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sparsity", "write it as name=value"),
        ("lambda=3", "no such parameter; there are contribution_budget,"),
        ("sparsity_bugdet=3", "no such parameter; did you mean sparsity_budget?"),
        ("delta=a lot", "'a lot' is not a number"),
        ("delta=1/0", "1/0 divides by zero"),
        ("delta=2", "delta must lie in [0, 1], not 2"),
        ("sparsity_budget=1/2", "--set sparsity_budget: 1/2 is not a whole number"),
        ("contribution_budget=1.5", "--set contribution_budget: 3/2 is not a whole number"),
        ("=3", "--set =3: write it as name=value"),
        ("delta=1e-999999999", "an exponent between -300 and 300"),
        ("contribution_budget=0", "contribution_budget must be at least 1"),
        ("base=1", "base must be above 1"),
        ("epsilon=e", "'e' is not a number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        parse_settings([text], PAPER.limits)


def test_answers_are_compared_as_far_as_they_can_be() -> None:
    class Opaque:
        pass

    assert not differ(Opaque(), Opaque())
    assert differ((1, Opaque()), (2, Opaque()))
    assert differ(Spent(), Spent(epsilon=Fraction(1)))
    assert not differ((Spent(), [1]), (Spent(), [1]))
    assert differ(None, Spent())


def test_memory_that_changes_no_answer_is_allowed(tmp_path: Path, checks: list[Check]) -> None:
    del checks
    remembered = (
        "key = (spent, at.query, report)\n"
        "if key not in KNOWN: KNOWN[key] = PAPER.charge(at, spent, report)\n"
        "return KNOWN[key]"
    )
    (result,) = checked(written(tmp_path, rule(remembered, before="KNOWN = {}")))
    assert result.verdict is Verdict.SEARCHED


def test_what_the_adtech_sees_can_be_compared() -> None:
    fine: list[object] = [None, 1, (), (Spent(), None), Kind.LEMMA, frozenset({1})]
    for value in fine:
        assert not list(incomparable(value))
        assert not list(incomparable(Distribution.certain(value)))
    opaque = object()
    for bad in (opaque, (1, (opaque,)), frozenset({opaque}), Distribution.certain(opaque)):
        assert list(incomparable(bad)) == ["object"]


def test_an_answer_of_the_right_type_can_still_be_wrong() -> None:
    power = Fraction(2)
    assert not complaint("truth_probability", (power, 3), Fraction(1))
    assert complaint("truth_probability", (power, 3), Fraction(3, 2))
    assert complaint("truth_probability", (power, 3), Fraction(-1))
    trigger = EventTrigger(trigger_id="t", destination="shop", filters=frozenset(), data=0, value=1)
    at = OnDevice(rules=PAPER, now=0, client=EventClient(), cause=trigger)
    assert not complaint("event_attribute", (at,), ())
    assert complaint("event_attribute", (at,), ("nobody",))
    stepped = replace(PAPER, register_event_trigger=lambda at, credited: at.client)
    assert not complaint("event_attribute", (replace(at, rules=stepped),), ("nobody",))


def test_answers_are_held_against_their_types() -> None:
    fits = conforms(tuple[int, tuple[str, ...] | None])
    assert fits((1, ("a", "b")))
    assert fits((1, None))
    assert not fits((1, ("a", 2)))
    assert not fits((1,))
    assert not fits([1, None])
    assert conforms(Fraction)(3)
    assert not conforms(Fraction)(0.5)
    assert readable(Spent | None) == "Spent | None"


ATTACK = AttackRecord(story="1. It happened.", data={"steps": [{"move": "It happened."}]})


def test_the_result_does_not_depend_on_which_job_finishes_first() -> None:
    broken = replace(found(LEDGER, Verdict.REFUTED), attack=ATTACK)
    jobs = {
        job_of(0, ATTRIBUTION, "first"): Found(finding=found(ATTRIBUTION, Verdict.SEARCHED)),
        job_of(1, LEDGER, "second"): Found(finding=broken),
        job_of(2, LEDGER, "later"): Found(finding=found(LEDGER, Verdict.SEARCHED)),
        job_of(3, ATTRIBUTION, "third"): Found(finding=found(ATTRIBUTION, Verdict.REFUTED)),
        job_of(4, NULLS, "fourth"): Found(
            finding=found(NULLS, Verdict.UNKNOWN), misbehaved=("it did",)
        ),
        job_of(5, ATTRIBUTION, "proof"): Found(finding=found(ATTRIBUTION, Verdict.PROVED)),
    }
    options = replace(OPTIONS, only=(ATTRIBUTION, LEDGER, NULLS))
    results = [result_in_order(order, jobs, options) for order in permutations(jobs)]
    assert all(result == results[0] for result in results)
    names = {row.claim.id: [each.check for each in row.findings] for row in results[0].claims}
    assert names == {ATTRIBUTION: ["game", "game"], LEDGER: ["game"], NULLS: ["game"]}
    assert results[0].misbehaved == ("it did",)


def result_in_order(order: Sequence[Job], answers: Mapping[Job, Found], options: Options) -> Result:
    """Return the result if all jobs run at once, and end in an order unless they are stopped."""
    schedule = scheduled(options, *answers)
    schedule.running, schedule.pending = set(answers), []
    for job in order:
        if job in schedule.running:
            schedule.take(job, answers[job])
    assert schedule.done
    return result_of(schedule, options)


def test_the_result_does_not_depend_on_how_many_jobs_run_at_once(
    tmp_path: Path, checks: list[Check]
) -> None:
    def refuted(_: Rules) -> Finding:
        time.sleep(0.2)
        return replace(found(LEDGER, Verdict.REFUTED, "slow game"), attack=ATTACK)

    checks[:] = [
        planned(LEDGER, "slow game", refuted),
        check(LEDGER, "quick game", Verdict.SEARCHED, idle),
        check(ATTRIBUTION, "play", Verdict.SEARCHED),
        check(LEDGER, "proof", Verdict.PROVED, idle),
        check(ATTRIBUTION, "proof", Verdict.UNKNOWN, idle),
    ]
    path = written(tmp_path, rule(PAPERS_CHARGE))
    runs = [checked(path, options=replace(OPTIONS, jobs=jobs))[0] for jobs in (1, 2, 4)]
    told = [[(each.check, each.evidence) for each in result.claims[1].findings] for result in runs]
    assert told == [[("slow game", Evidence.ATTACK), ("proof", Evidence.PROOF)]] * 3
    assert len({result.headline for result in runs}) == 1
    assert [alarm.reason for alarm in runs[0].alarms] == [Reason.PROVED_AND_REFUTED]


def test_an_attack_never_spares_the_proof_so_that_both_at_once_are_an_alarm() -> None:
    jobs = {
        job_of(0, LEDGER, "game"): Found(
            finding=replace(found(LEDGER, Verdict.REFUTED), attack=ATTACK)
        ),
        job_of(1, LEDGER, "later"): Found(finding=found(LEDGER, Verdict.SEARCHED)),
        job_of(2, LEDGER, "proof"): Found(finding=found(LEDGER, Verdict.PROVED, "proof")),
    }
    options = replace(OPTIONS, only=(LEDGER,))
    for order in permutations(jobs):
        result = result_in_order(order, jobs, options)
        assert result.verdict is Verdict.REFUTED
        assert [alarm.reason for alarm in result.alarms] == [Reason.PROVED_AND_REFUTED]
        assert [each.check for each in result.claims[0].findings] == ["game", "proof"]


def proofs_and(*others: Job) -> tuple[Job, ...]:
    """Return some jobs, then those of all proofs."""
    proofs = [job_of(len(others) + place, x.claim, "proof") for place, x in enumerate(CHECKS)]
    return (*others, *proofs)


def test_proofs_of_guarantees_wait_for_their_lemmas_and_share_them(tmp_path: Path) -> None:
    games = [job_of(0, ATTRIBUTION, "game"), job_of(1, LEDGER, "game")]
    schedule = Schedule(Loaded(about=About(name="p"), jobs=proofs_and(*games)), Options())
    proofs = schedule.proofs
    schedule.lemmas.clear()
    schedule.pending = [*games, proofs[ATTRIBUTION], proofs[LEDGER]]
    lemmas = lemmas_of(ATTRIBUTION)
    assert lemmas[0] == LEDGER
    started = [job for _ in range(len(lemmas) + 2) if (job := schedule.start_next())]
    assert [job.name for job in started[:3]] == [
        f"{ATTRIBUTION}: game",
        f"{LEDGER}: game",
        f"{LEDGER}: proof",
    ]
    assert [job.helping for job in started] == [False] * 3 + [True] * (len(lemmas) - 1)
    assert schedule.start_next() is None
    for job in started:
        evidence = Evidence.NONE if job.claim == LEDGER else Evidence.PROOF
        lemma = Finding(claim=job.claim, check="proof", evidence=evidence, detail="told")
        shared = {lemma.claim: lemma} if job.proves else {}
        schedule.take(job, Found(finding=lemma, lemmas=shared))
    last = schedule.start_next()
    assert last is not None
    assert last.name == f"{ATTRIBUTION}: proof"
    (chain,) = [check for check in CHECKS if check.claim == ATTRIBUTION]
    request = Request(path=written(tmp_path, HEADER + "RULES = replace(PAPER)\n"))
    smaller = replace(PAPER, limits=replace(PAPER.limits, epsilon=Fraction(1)))
    proposal = Proposal(about=About(name="change.py"), rules=smaller)
    job = job_of(0, ATTRIBUTION, "proof")
    decided = children.run_guarded(chain, proposal, request, job, Calls(), schedule.lemmas)
    assert decided.finding.detail == f"the paper's proof no longer applies: {LEDGER} is unknown"


def test_a_lemma_that_could_not_be_finished_is_not_tried_again() -> None:
    schedule = Schedule(Loaded(about=About(name="p"), jobs=proofs_and()), Options(jobs=1))
    schedule.lemmas.clear()
    schedule.pending = [schedule.proofs[ATTRIBUTION]]
    lemma = schedule.start_next()
    assert lemma is not None
    assert lemma.helping
    out_of_time = undecided(lemma, Reason.OUT_OF_RESOURCES, "too late")
    schedule.take(lemma, Found(finding=out_of_time))
    chain = schedule.start_next()
    assert chain is not None
    assert chain.name == f"{ATTRIBUTION}: proof"


def test_checks_are_found_by_name_and_names_are_told_apart() -> None:
    same = [check(LEDGER, "game", Verdict.SEARCHED), check(LEDGER, "game", Verdict.PROVED)]
    found = plan.by_name([*same, check(NULLS, "game", Verdict.SEARCHED)])
    assert list(found) == [(LEDGER, "game"), (LEDGER, "game (2)"), (NULLS, "game")]
    assert [found[LEDGER, "game"], found[LEDGER, "game (2)"]] == same


def test_a_child_runs_the_check_that_its_job_names(tmp_path: Path, checks: list[Check]) -> None:
    checks[:] = [check(LEDGER, name, Verdict.SEARCHED) for name in ("one", "two", "two")]
    request = Request(path=written(tmp_path, rule(PAPERS_CHARGE)))
    for name in ("two (2)", "one", "two"):
        work = children.check_in_child(request, job_of(7, LEDGER, name), OPTIONS, {}, {})
        answer = work(Calls())
        assert isinstance(answer, Found)
        assert answer.finding.check == name


def test_what_is_composed_does_not_hold_while_a_part_is_refuted(
    checks: list[Check], tmp_path: Path
) -> None:
    checks[:] = [
        check(ATTRIBUTION, "game", Verdict.REFUTED),
        check(paper.COMPOSED, "game", Verdict.SEARCHED),
    ]
    path = written(tmp_path, HEADER + "RULES = replace(PAPER, charge=lambda *_: None)\n")
    (result,) = verdict.run([Request(path=path)], Options(jobs=1))
    (composed,) = [row for row in result.claims if row.claim.id == paper.COMPOSED]
    assert composed.verdict is Verdict.UNKNOWN
    assert f"{ATTRIBUTION}, on which it rests, is refuted" in composed.reason


def test_a_proof_says_which_claims_that_it_assumes_fail() -> None:
    def row(claim: str, verdict: Verdict, *rests_on: str) -> ClaimResult:
        finding = replace(found(claim, verdict, "proof"), method="m", rests_on=rests_on)
        return ClaimResult(claim=CLAIMS[claim], findings=(finding,))

    proved = row(LEMMA, Verdict.PROVED, LEDGER, NULLS)
    (kept, _) = with_failed_assumptions([proved, row(LEDGER, Verdict.PROVED)])
    assert kept.reason == "m"
    (said, *_) = with_failed_assumptions(
        [proved, row(LEDGER, Verdict.REFUTED), row(NULLS, Verdict.UNKNOWN)]
    )
    assert said.verdict is Verdict.PROVED
    assert f"it needs a part only of {LEDGER}, which is refuted here as a whole" in said.reason
    assert f"{NULLS}, which is not shown here as a whole" in said.reason


def test_no_proof_rests_on_a_claim_with_an_alarm() -> None:
    """An alarm goes up from claim to claim; what rests on others stays proved."""

    def row(claim: str, *findings: Finding) -> ClaimResult:
        return ClaimResult(claim=CLAIMS[claim], findings=findings)

    lemma = replace(found(LEMMA, Verdict.PROVED, "proof"), rests_on=(LEDGER,))
    top = replace(found(ATTRIBUTION, Verdict.PROVED, "proof"), rests_on=(LEMMA,))
    other = replace(found(NULLS, Verdict.PROVED, "proof"), rests_on=())
    at_once = (found(LEDGER, Verdict.PROVED, "proof"), found(LEDGER, Verdict.REFUTED, "machine"))
    rows = [row(ATTRIBUTION, top), row(LEMMA, lemma), row(LEDGER, *at_once), row(NULLS, other)]
    verdicts = [each.verdict for each in without_fallen_proofs(rows)]
    assert verdicts == [Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.REFUTED, Verdict.PROVED]
    kept = without_fallen_proofs([row(ATTRIBUTION, top), row(LEMMA, lemma)])
    assert [each.verdict for each in kept] == [Verdict.PROVED, Verdict.PROVED]


def test_what_a_lemma_assumes_is_named() -> None:
    (check,) = (check for check in CHECKS if check.claim == LEMMA)
    assert check.run(PAPER).assumes == LEDGER
    (check,) = (c for c in CHECKS if c.claim == "summary_mechanism_is_individually_private")
    named = check.run(PAPER).assumes.split(", ")
    assert LEDGER in named
    assert set(named) <= set(CLAIMS)


# What is certain early is said early.


def certainly_refuted(schedule: Schedule, options: Options) -> bool:
    """Tell whether a schedule is said to be refuted while it is not at its end."""
    session = Case(Request(path=Path("change.py")), options)
    session.schedule = schedule
    return session.is_refuted


def test_a_proposal_is_certainly_refuted_once_no_earlier_job_is_left() -> None:
    early, attacking, late = (job_of(i, LEDGER, name) for i, name in enumerate(("a", "b", "c")))
    options = replace(OPTIONS, only=(LEDGER,))
    schedule = scheduled(options, early, attacking, late)
    assert not certainly_refuted(schedule, options)
    schedule.take(attacking, Found(finding=found(LEDGER, Verdict.REFUTED)))
    schedule.pending = [early, late]
    assert not certainly_refuted(schedule, options)
    schedule.pending, schedule.running = [late], {early}
    assert not certainly_refuted(schedule, options)
    schedule.running = set()
    schedule.found[early] = Found(finding=found(LEDGER, Verdict.SEARCHED))
    assert certainly_refuted(schedule, options)
    schedule.found[late] = Found(finding=found(LEDGER, Verdict.SEARCHED), misbehaved=("it raised",))
    assert result_of(schedule, options).verdict is Verdict.REFUTED


def test_an_attack_that_an_earlier_job_may_make_needless_is_not_certain() -> None:
    early, attacking = job_of(0, LEDGER, "a"), job_of(1, LEDGER, "b")
    options = replace(OPTIONS, only=(LEDGER,))
    schedule = scheduled(options, early, attacking)
    schedule.pending, schedule.running = [], {early}
    schedule.found[attacking] = Found(finding=found(LEDGER, Verdict.REFUTED))
    assert not certainly_refuted(schedule, options)
    schedule.take(early, Found(finding=found(LEDGER, Verdict.SEARCHED), misbehaved=("it raised",)))
    assert result_of(schedule, options).verdict is not Verdict.REFUTED
    assert not certainly_refuted(schedule, options)


def test_a_refuted_proposal_is_told_before_everything_is_decided(
    checks: list[Check], tmp_path: Path
) -> None:
    checks[:] = [
        check(ATTRIBUTION, "play", Verdict.REFUTED),
        check(LEDGER, "play", Verdict.PROVED),
    ]
    requests = [
        Request(path=written(tmp_path, rule(PAPERS_CHARGE), "broken.py")),
        Request(path=written(tmp_path, "x = (", "bad.py")),
    ]
    told: list[str] = []
    results = verdict.run(requests, replace(OPTIONS, jobs=1), told.append)
    first = next(results)
    assert told == [requests[0].name]
    assert first.verdict is Verdict.REFUTED
    assert [each.bad_input != "" for each in results] == [True]
    assert told == [requests[0].name]
    checks[:] = [check(ATTRIBUTION, "play", Verdict.SEARCHED), checks[1]]
    assert next(verdict.run(requests[:1], OPTIONS, told.append)).verdict is not Verdict.REFUTED
    assert len(told) == 1
