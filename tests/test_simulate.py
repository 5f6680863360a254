from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import sandproof
from sandproof.main import main
from sandproof.trace import MAKERS
from sandproof.trace_text import schema
from spec import Limits

TRACES = Path(sandproof.__file__).parent / "traces"

SOURCE = {"id": "x", "destination": "shop", "expiry": 100, "filters": ["a"], "key": "0x1"}
TRIGGER = {"report": 1, "destination": "shop", "filters": ["a"], "key": 2, "value": 3}
EVENT = {"report": 1, "device": "d", "program": {"constant": {"key": 1, "value": 5}}}
EVENT_SOURCE = {
    "id": "e",
    "destination": "shop",
    "expiry": 100,
    "filters": ["a"],
    "maximum_reports": 1,
    "specifications": [{"data": 0, "windows": [10, 20], "buckets": [1]}],
}
EVENT_TRIGGER = {"destination": "shop", "filters": ["a"], "data": 0, "value": 1}
QUERY = {"epsilon": "1/2", "reports": [1], "keys": [3]}


class Command:
    """Run `sandproof simulate` on a trace and return what it printed."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.path = folder / "trace.json"
        self.capture = capture

    def __call__(self, trace: object, *options: str) -> tuple[int, str, str]:
        text = trace if isinstance(trace, str) else json.dumps(trace)
        self.path.write_text(text, encoding="utf-8")
        status = main(["simulate", str(self.path), *options])
        printed = self.capture.readouterr()
        return status, printed.out, printed.err


@pytest.fixture
def simulate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, capsys)


def trace(*moves: dict[str, object], **rest: object) -> dict[str, object]:
    return {"moves": list(moves), **rest}


def changed(fields: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**fields, **changes}


def test_the_table_shows_reports_refusals_and_summaries(simulate: Command) -> None:
    moves = trace(
        {"source": SOURCE},
        {"at": 50, "trigger": TRIGGER},
        {"query": QUERY},
        {"query": changed(QUERY, epsilon=64)},
    )
    status, table, complaint = simulate(moves, "--noiseless")
    assert (status, complaint) == (0, "")
    assert table.splitlines() == [
        "time  cause    result",
        "   0  source   x registered",
        "  50  trigger  report 1: key 0x3 value 3, from x",
        "  50  query    summary: key 0x3 sum 3 (true sum 3)",
        "  50  query    refused: the privacy budget of a report is used up",
    ]


def test_a_trigger_finds_the_sources_of_its_own_device(simulate: Command) -> None:
    moves = trace(
        {"source": changed(SOURCE, device="phone")},
        {"trigger": changed(TRIGGER, device="phone", credited="x")},
        {"trigger": changed(TRIGGER, device="tablet", report=2)},
        {"event_source": changed(EVENT_SOURCE, device="tablet")},
        {"event_trigger": changed(EVENT_TRIGGER, device="phone")},
        {"event_trigger": changed(EVENT_TRIGGER, device="tablet", credited="e")},
    )
    status, table, complaint = simulate(moves, "--noiseless")
    assert (status, complaint) == (0, "")
    assert "report 1: key 0x3 value 3, from x" in table
    assert "null report 2: no active matching source can take it" in table
    assert "value 1 for 0 credited to no source" in table
    moves = trace(
        {"source": changed(SOURCE, device="phone")},
        {"trigger": changed(TRIGGER, device="tablet", credited="x")},
    )
    status, _, complaint = simulate(moves, "--noiseless")
    assert status == 2
    assert "no source 'x' is registered yet on 'tablet'" in complaint


def test_json_shows_the_same(simulate: Command) -> None:
    moves = trace({"source": SOURCE}, {"trigger": TRIGGER}, {"query": QUERY}, description="why")
    _, text, _ = simulate(moves, "--noiseless", "--format", "json")
    assert json.loads(text) == {
        "description": "why",
        "rows": [
            {"time": 0, "cause": "source", "source": "x"},
            {
                "time": 0,
                "cause": "trigger",
                "report": 1,
                "contributions": [{"key": "0x3", "value": 3}],
                "credited": ["x"],
            },
            {"time": 0, "cause": "query", "summary": [{"key": "0x3", "sum": 3, "true_sum": 3}]},
        ],
    }


def test_null_reports_say_why(simulate: Command) -> None:
    moves = trace({"trigger": TRIGGER}, {"trigger": changed(TRIGGER, report=2, value=0)})
    _, table, _ = simulate(moves, "--noiseless")
    assert "null report 1: no active matching source can take it" in table
    assert "null report 2: value 0" in table


def test_key_discovery_releases_nothing_below_the_threshold(simulate: Command) -> None:
    query = {"epsilon": 1, "delta": "0.00000001", "reports": [1]}
    _, table, _ = simulate(
        trace({"source": SOURCE}, {"trigger": TRIGGER}, {"query": query}), "--noiseless"
    )
    assert "summary: no key is released; hidden: key 0x3 (true sum 3)" in table


def test_windows_send_their_reports_at_their_own_time(simulate: Command) -> None:
    moves = trace(
        {"event_source": EVENT_SOURCE},
        {"at": 15, "event_trigger": EVENT_TRIGGER},
        {"at": 90},
    )
    _, table, _ = simulate(moves, "--noiseless")
    assert table.splitlines()[-1] == "  20  window         event-level report: e, 0, bucket 1"


def test_limits_are_those_of_the_paper_unless_the_trace_says_otherwise(simulate: Command) -> None:
    small = {"contribution_budget": 2, "base": "2", "epsilon": "1", "window_length": 5}
    moves = trace({"source": SOURCE}, {"trigger": TRIGGER}, limits=small)
    assert "null report 1" in simulate(moves, "--noiseless")[1]


def test_a_seed_decides_the_noise(simulate: Command) -> None:
    moves = trace({"source": SOURCE}, {"trigger": TRIGGER}, {"query": QUERY})
    assert simulate(moves, "--seed", "7") == simulate(moves, "--seed", "7")
    outcomes = {simulate(moves, "--seed", str(seed))[1] for seed in range(5)}
    assert len(outcomes) > 1
    assert simulate(moves)[0] == 0


def test_a_trace_may_say_whom_a_trigger_is_credited_to(simulate: Command) -> None:
    named = changed(TRIGGER, credited="x")
    assert simulate(trace({"source": SOURCE}, {"trigger": named}))[0] == 0
    elsewhere = changed(SOURCE, destination="elsewhere")
    status, _, complaint = simulate(trace({"source": elsewhere}, {"trigger": named}))
    assert status == 2
    assert "moves[1].trigger.credited: credited to no source, not 'x'" in complaint


def test_the_true_sum_stands_beside_the_noisy_one(simulate: Command) -> None:
    moves = trace({"source": SOURCE}, {"trigger": TRIGGER}, {"query": QUERY})
    _, text, _ = simulate(moves, "--seed", "7", "--format", "json")
    (found,) = json.loads(text)["rows"][-1]["summary"]
    assert found["true_sum"] == 3
    assert found["sum"] != 3
    assert f"sum {found['sum']} (true sum 3)" in simulate(moves, "--seed", "7")[1]


def test_times_are_days_or_seconds(simulate: Command) -> None:
    late = changed(SOURCE, expiry="day 2")
    moves = trace({"at": "day 1.5", "source": late}, {"at": "day 2", "trigger": TRIGGER})
    _, table, _ = simulate(moves, "--noiseless")
    assert [line[:7].strip() for line in table.splitlines()[1:]] == ["day 1.5", "day 2"]
    assert "no active matching source" in table
    _, table, _ = simulate(moves, "--noiseless", "--times", "seconds")
    assert "129600  source" in table
    moves = trace({"at": "day 1/3", "source": changed(SOURCE, expiry=86400)})
    _, table, _ = simulate(moves, "--noiseless")
    assert "28800  source" in table
    assert "day 0.33333  source" in simulate(moves, "--noiseless", "--times", "days")[1]
    _, text, _ = simulate(moves, "--noiseless", "--format", "json")
    assert json.loads(text)["rows"][0]["time"] == 28800


PROPOSAL = """from spec import PAPER, Law, replace

def totals(at, batch):
    BODY

RULES = replace(PAPER, totals=totals, limits=replace(PAPER.limits, epsilon=100))
"""


def proposal(folder: Path, body: str) -> str:
    """Write a proposal that sums in another way, and return its path."""
    path = folder / "proposal.py"
    path.write_text(PROPOSAL.replace("BODY", body), encoding="utf-8")
    return str(path)


def test_a_trace_runs_through_the_rules_of_a_proposal(simulate: Command, tmp_path: Path) -> None:
    moves: list[dict[str, object]] = [
        {"source": SOURCE},
        {"trigger": TRIGGER},
        {"query": changed(QUERY, epsilon=70)},
    ]
    path = proposal(tmp_path, "return {key: 9 for key in PAPER.totals(at, batch)}")
    status, table, complaint = simulate(trace(*moves), "--noiseless", "--rules", path)
    assert (status, complaint) == (0, "")
    assert "key 0x3 sum 9 (true sum 3)" in table
    limited = trace(*moves, limits={"epsilon": "69"})
    assert "refused" in simulate(limited, "--noiseless", "--rules", path)[1]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 1 / 0", "line 4, in totals: rule `totals` raised ZeroDivisionError"),
        ("return 3", "rule `totals` returned an int: 3; it must return Mapping[int, int]"),
        ("return {", "line 4: syntax error"),
        ("raise SystemExit(3)", "rule `totals`"),
    ],
)
def test_a_proposal_that_cannot_be_run_is_one_line(
    body: str, told: str, simulate: Command, tmp_path: Path
) -> None:
    moves = trace({"source": SOURCE}, {"trigger": TRIGGER}, {"query": QUERY})
    path = proposal(tmp_path, body)
    status, output, complaint = simulate(moves, "--noiseless", "--rules", path)
    assert (status, output) == (2, "")
    assert complaint.startswith(f"sandproof: {path}")
    assert told in complaint
    assert complaint.count("\n") == 1


def test_rules_that_send_no_report_are_told(simulate: Command) -> None:
    rules = TRACES.parent.parent / "proposals" / "no_report_when_budget_is_used_up.py"
    full = changed(EVENT, program={"constant": {"key": 1, "value": 65536}})
    moves: list[dict[str, object]] = [{"event": full}, {"event": changed(full, report=2)}]
    status, table, _ = simulate(trace(*moves), "--noiseless", "--rules", str(rules))
    assert status == 0
    assert "no report: the budget of this window is used up" in table
    asked = trace(*moves, {"query": changed(QUERY, reports=[1, 2])})
    status, _, complaint = simulate(asked, "--noiseless", "--rules", str(rules))
    assert status == 2
    assert "moves[2].query: no report with identifier 2 has arrived" in complaint


BAD: dict[str, tuple[object, str]] = {
    "not JSON": ("{", "line 1, column 2"),
    "empty": ("", "line 1, column 1"),
    "not an object": ("[]", "is not of type 'object'"),
    "no moves": ("{}", "'moves' is a required property"),
    "an unknown name": (trace(speed=1), "'speed' was unexpected"),
    "a name that stands twice": ('{"moves": [], "moves": []}', "'moves' stands twice"),
    "NaN": ('{"moves": [{"at": NaN}]}', "moves[0].at: NaN is not exact"),
    "infinity": ('{"moves": [{"at": -Infinity}]}', "moves[0].at: -Infinity is not exact"),
    "a float for a time": ('{"moves": [{"at": 1.0}]}', "moves[0].at: 1.0 is not exact"),
    "a float for epsilon": (
        trace({"query": changed(QUERY, epsilon=0.5)}),
        "moves[0].query.epsilon: 0.5 is not exact",
    ),
    "a float for a value": (
        trace({"trigger": changed(TRIGGER, value=1e3)}),
        "moves[0].trigger.value: 1000.0 is not exact",
    ),
    "a float in the limits": (trace(limits={"delta": 1e-8}), "limits.delta: 1e-08 is not exact"),
    "a number with many digits": (
        '{"moves": [{"at": ' + "9" * 5000 + "}]}",
        "4300",
    ),
    "nested too deeply": ("[" * 100_000, "nested too deeply"),
    "a negative value": (
        trace({"trigger": changed(TRIGGER, value=-1)}),
        "moves[0].trigger.value: -1 is less than the minimum of 0",
    ),
    "a value that is true": (
        trace({"trigger": changed(TRIGGER, value=True)}),
        "moves[0].trigger.value: True is not of type 'integer'",
    ),
    "a key with 129 bits": (
        trace({"source": changed(SOURCE, key=2**128)}),
        f"moves[0].source: key must fit into 128 bits, not {2**128}",
    ),
    "a key that is no number": (
        trace({"source": changed(SOURCE, key="campaign")}),
        "moves[0].source.key: 'campaign' does not match",
    ),
    "an epsilon of zero": (
        trace({"trigger": TRIGGER}, {"query": changed(QUERY, epsilon=0)}),
        "moves[1].query: epsilon must be positive, not 0",
    ),
    "a negative epsilon": (
        trace({"trigger": TRIGGER}, {"query": changed(QUERY, epsilon="-1/2")}),
        "moves[1].query: epsilon must be positive, not -1/2",
    ),
    "a delta above one": (
        trace({"trigger": TRIGGER}, {"query": changed(QUERY, delta="3/2")}),
        "moves[1].query: delta must lie in [0, 1], not 3/2",
    ),
    "a division by zero": (
        trace({"query": changed(QUERY, epsilon="1/0")}),
        "moves[0].query.epsilon: '1/0' does not match",
    ),
    "an unknown report": (
        trace({"trigger": TRIGGER}, {"query": changed(QUERY, reports=[1, 8])}),
        "moves[1].query: no report with identifier 8 has arrived",
    ),
    "a report that exists": (
        trace({"trigger": TRIGGER}, {"event": EVENT}),
        "moves[1].event: a report with identifier 1 exists already",
    ),
    "a time that runs backwards": (
        trace({"at": 9}, {"at": 8, "source": SOURCE}),
        "moves[1].source: the time is 9 already, not 8",
    ),
    "a day that is no whole second": (
        trace({"at": "day 0.00001"}),
        "moves[0].at: 'day 0.00001' is no whole number of seconds",
    ),
    "a day without a number": (trace({"at": "day one"}), "moves[0].at: 'day one' does not match"),
    "a negative time": (trace({"at": -1}), "moves[0].at: -1 is less than the minimum of 0"),
    "an event before its source": (
        trace({"trigger": changed(TRIGGER, credited="x")}, {"source": SOURCE}),
        "moves[0].trigger.credited: no source 'x' is registered yet",
    ),
    "an event-level event before its source": (
        trace({"event_trigger": changed(EVENT_TRIGGER, credited="e")}),
        "moves[0].event_trigger.credited: no source 'e' is registered yet",
    ),
    "a source that exists": (
        trace({"source": SOURCE}, {"source": SOURCE}),
        "moves[1].source: source 'x' is registered already",
    ),
    "two moves in one": (
        trace({"source": SOURCE, "trigger": TRIGGER}),
        "moves[0]: a move holds `at` or exactly one of source, trigger, event",
    ),
    "an empty move": (trace({}), "moves[0]: a move holds `at` or exactly one of"),
    "an unknown move": (trace({"at": 0, "jump": {}}), "moves[0]"),
    "a missing field": (
        trace({"source": {"id": "x"}}),
        "moves[0].source: 'destination' is a required property",
    ),
    "windows that do not increase": (
        trace(
            {
                "event_source": changed(
                    EVENT_SOURCE, specifications=[{"data": 0, "windows": [20, 10], "buckets": [1]}]
                )
            }
        ),
        "moves[0].event_source: windows must be positive and increase strictly, not (20, 10)",
    ),
    "an unknown program": (
        trace({"event": changed(EVENT, program={"rm": {"key": 1, "value": 1}})}),
        "moves[0].event.program",
    ),
    "a limit out of range": (
        trace(limits={"contribution_budget": 0}),
        "limits.contribution_budget: 0 is less than the minimum of 1",
    ),
    "a base of one": (trace(limits={"base": "1"}), "limits: base must be above 1, not 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_trace_gets_one_line_and_nothing_else(simulate: Command, name: str) -> None:
    content, reason = BAD[name]
    status, printed, complaint = simulate(content)
    assert status == 2
    assert printed == ""
    assert complaint.count("\n") == 1
    assert complaint.startswith(f"sandproof: {simulate.path}: ")
    assert reason in complaint
    assert len(complaint) < 600


def test_a_bad_move_at_the_end_leaves_no_partial_output(simulate: Command) -> None:
    moves = trace({"source": SOURCE}, {"trigger": TRIGGER}, {"query": changed(QUERY, reports=[7])})
    assert simulate(moves, "--format", "json")[1] == ""


def test_a_file_that_is_not_there_or_not_text(simulate: Command) -> None:
    simulate.path.write_bytes(b'{"moves": "\xff"}')
    assert main(["simulate", str(simulate.path)]) == 2
    assert "byte 11: not UTF-8" in simulate.capture.readouterr().err
    simulate.path.unlink()
    assert main(["simulate", str(simulate.path)]) == 2
    assert "No such file or directory" in simulate.capture.readouterr().err
    assert main(["simulate", str(simulate.path.parent)]) == 2
    assert simulate.capture.readouterr().err.count("\n") == 1


def test_the_schema_is_a_schema_and_covers_every_move_and_limit() -> None:
    Draft202012Validator.check_schema(schema())
    definitions = schema()["$defs"]
    assert set(definitions["move"]["properties"]) == {"at", *MAKERS}
    assert set(definitions["limits"]["properties"]) == set(Limits.__dataclass_fields__)


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.json")), ids=lambda path: path.stem)
def test_the_shipped_traces_follow_the_schema(path: Path) -> None:
    Draft202012Validator(schema()).validate(json.loads(path.read_text(encoding="utf-8")))


def test_the_command_runs_from_a_shell() -> None:
    command = [sys.executable, "-m", "sandproof.main", "simulate", "--noiseless"]
    done = subprocess.run(
        [*command, str(TRACES / "event_level.json")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("event-level report") == 3
