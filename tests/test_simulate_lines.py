"""Traces in JSON Lines: read, run and told line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import sandproof
from sandproof import trace_text
from sandproof.main import main
from sandproof.shapes import shape_of
from sandproof.trace_text import schema_of, shape

TRACES = Path(sandproof.__file__).parent / "traces"
COMMAND = [sys.executable, "-m", "sandproof.main", "simulate"]

EVENT = {"event": {"report": 1, "device": "d", "program": {"constant": {"key": 1, "value": 5}}}}
QUERY = {"query": {"epsilon": 1, "reports": [1], "keys": [1]}}

Printed = tuple[int, str, str]
Simulate = Callable[..., Printed]


def lines(*objects: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


@pytest.fixture
def simulate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Simulate:
    def command(text: str | bytes, *options: str) -> Printed:
        path = tmp_path / "trace.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        status = main(["simulate", str(path), *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return command


def piped(text: str, *options: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "-", *options], input=text, capture_output=True, text=True, check=False, **more
    )


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.json")), ids=lambda path: path.stem)
def test_lines_tell_what_the_document_tells(
    simulate: Simulate, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    header = {name: part for name, part in document.items() if name != "moves"}
    text = lines(header, *document["moves"])
    assert main(["simulate", str(path), "--seed", "1", "--format", "json"]) == 0
    whole = capsys.readouterr().out
    assert simulate(text, "--seed", "1", "--format", "json") == (0, whole, "")
    status, told, _ = simulate(text, "--seed", "1", "--format", "jsonl")
    assert (status, [json.loads(line) for line in told.splitlines()]) == (
        0,
        json.loads(whole)["rows"],
    )
    assert main(["simulate", str(path), "--seed", "1", "--format", "jsonl"]) == 0
    assert capsys.readouterr().out == told


def test_the_table_of_lines_has_a_fixed_layout(simulate: Simulate) -> None:
    status, table, complaint = simulate(lines({}, {"at": 86400}, EVENT, QUERY), "--noiseless")
    assert (status, complaint) == (0, "")
    assert table.splitlines() == [
        "          time  cause          result",
        "         86400  event          report 1: key 0x1 value 5, from d",
        "         86400  query          summary: key 0x1 sum 5 (true sum 5)",
    ]
    _, table, _ = simulate(lines({}, {"at": 86400}, EVENT), "--noiseless", "--times", "days")
    assert table.splitlines()[-1].startswith("         day 1  event          report 1")


def test_a_range_names_reports(simulate: Simulate) -> None:
    events = [{"event": {**EVENT["event"], "report": number}} for number in range(4)]
    query = {"epsilon": 1, "reports": [[0, 2], 3, [2, 3]], "keys": [1]}
    _, table, _ = simulate(lines({}, *events, {"query": query}), "--noiseless")
    assert table.splitlines()[-1].endswith("summary: key 0x1 sum 20 (true sum 20)")


BAD: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "line 1: there is no header, an object with a description and limits"),
    "a move in place of the header": (
        lines(EVENT),
        "line 1: Additional properties are not allowed ('event' was unexpected)",
    ),
    "a document": (
        lines({"moves": []}),
        "line 1: Additional properties are not allowed ('moves' was unexpected)",
    ),
    "bad limits": (lines({"limits": {"delta": 2}}), "line 1: limits: delta must lie in [0, 1]"),
    "a truncated line": (lines({}, EVENT)[:-20], "line 2, column "),
    "an empty line": (lines({}) + "\n" + lines(EVENT), "line 2, column 1: Expecting value"),
    "a line that is no object": (lines({}, [1]), "line 2: [1] is not of type 'object'"),
    "two objects in a line": ("{}\n{} {}\n", "line 2, column 4: Extra data"),
    "an unknown field": (lines({}, {"evnt": 1}), "line 2: Additional properties are not allowed"),
    "an unknown field inside": (
        lines({}, {"event": {**EVENT["event"], "x": 1}}),
        "line 2: event: Additional properties are not allowed",
    ),
    "two moves in a line": (lines({}, {**EVENT, **QUERY}), "line 2: a move holds `at` or exactly"),
    "a number with a point": (
        lines({}, {"query": {"epsilon": 0.5, "reports": []}}),
        "line 2: query.epsilon: 0.5 is not exact",
    ),
    "a name that stands twice": (
        '{}\n{"at": 1, "at": 2}\n',
        "line 2: the name 'at' stands twice in one object",
    ),
    "not UTF-8": (b'{}\n{"at": \xff}\n', "line 2: byte 7: not UTF-8"),
    "nested too deeply": ("{}\n" + "[" * 100_000, "line 2: nested too deeply"),
    "a number of too many digits": ("{}\n" + "1" * 5000, "line 2: Exceeds the limit"),
    "a huge line": ("{}\n" + " " * 1000 + "{}\n", "line 2: longer than 500 bytes"),
    "a range that is none": (
        lines({}, EVENT, {"query": {"epsilon": 1, "reports": [[2, 1]]}}),
        "line 3: query: reports 2 to 1 are none",
    ),
    "a range of three": (
        lines({}, EVENT, {"query": {"epsilon": 1, "reports": [[1, 1, 1]]}}),
        "line 3: query.reports[0]: [1, 1, 1] is too long",
    ),
    "an identifier that is too large": (
        lines({}, {"query": {"epsilon": 1, "reports": [[0, 2**128]]}}),
        "line 2: query: reports must fit into 128 bits",
    ),
    "a report that never arrived": (
        lines({}, {"query": {"epsilon": 1, "reports": [7]}}),
        "line 2: query: no report with identifier 7 has arrived",
    ),
    "a report that is there already": (
        lines({}, EVENT, EVENT),
        "line 3: event: a report with identifier 1 exists already",
    ),
    "time that runs backwards": (lines({}, {"at": 5}, {"at": 4}), "line 3: the time is 5 already"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_gets_one_line_that_names_it(
    simulate: Simulate, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, expected = BAD[name]
    if name == "a huge line":
        monkeypatch.setattr(trace_text, "LONGEST_LINE", 500)
    status, _, complaint = simulate(text)
    assert status == 2
    assert complaint.startswith("sandproof: ")
    assert f"trace.jsonl: {expected}" in complaint
    assert complaint.count("\n") == 1


def test_what_happened_before_a_bad_line_is_told(simulate: Simulate) -> None:
    status, told, complaint = simulate(lines({}, EVENT, {"x": 1}), "--format", "jsonl")
    assert (status, len(told.splitlines())) == (2, 1)
    assert json.loads(told)["report"] == 1
    assert "line 3: " in complaint


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    run = subprocess.run(
        [*COMMAND, str(tmp_path / "no.jsonl")], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith("no.jsonl: No such file or directory\n")


def test_standard_input_is_read_in_lines() -> None:
    run = piped(lines({}, EVENT, QUERY), "--noiseless", "--format", "jsonl")
    assert (run.returncode, run.stderr) == (0, "")
    assert [json.loads(line)["cause"] for line in run.stdout.splitlines()] == ["event", "query"]
    run = piped(lines({}, 7))
    assert run.returncode == 2
    assert run.stderr == "sandproof: -: line 2: 7 is not of type 'object'\n"


def test_half_a_character_in_a_name_is_printed() -> None:
    halved = {"event": {**EVENT["event"], "device": "\ud83d"}}
    run = piped(lines({}, halved), "--noiseless")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith("report 1: key 0x1 value 5, from \\ud83d\n")


def test_a_row_is_told_before_the_next_line_is_there() -> None:
    options = ["-", "--format", "jsonl", "--noiseless"]
    with subprocess.Popen(
        [*COMMAND, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(lines({}, EVENT))
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["report"] == 1
        child.stdin.close()
        assert child.stdout.read() == ""


def test_nobody_who_reads_to_the_end_is_no_complaint() -> None:
    events = ({"event": {**EVENT["event"], "report": number}} for number in range(3000))
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [*COMMAND, "-"],
        input=lines({}, *events).encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (141, b"")


PROPOSAL = '''"""Charge nothing."""

from spec import PAPER, replace

RULES = replace(PAPER, charge=lambda at, spent, report: spent)
'''


def test_lines_run_through_the_rules_of_a_proposal(tmp_path: Path, simulate: Simulate) -> None:
    proposal = tmp_path / "free.py"
    proposal.write_text(PROPOSAL)
    query = {"query": {"epsilon": 64, "reports": [[1, 1]], "keys": [1]}}
    text = lines({}, EVENT, query, query)
    expected = ["event", "query", "query"]
    for run in (
        simulate(text, "--rules", str(proposal), "--format", "jsonl"),
        (lambda done: (done.returncode, done.stdout, done.stderr))(
            piped(text, "--rules", str(proposal), "--format", "jsonl")
        ),
    ):
        assert (run[0], run[2]) == (0, "")
        told = [json.loads(line) for line in run[1].splitlines()]
        assert [each["cause"] for each in told] == expected
        assert "refused" not in told[-1]
    assert '"refused"' in simulate(text, "--format", "jsonl")[1]
    assert simulate(lines({}), "--rules", str(proposal), "--format", "jsonl") == (0, "", "")


def test_scenarios_are_not_told_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--family", "w3c", "x.json", "--format", "jsonl"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


TEXTS = ["0x1f", "0x", "day 1.5", "day", "1/2", "0.5", "1/0", "e", "1\n", "0" * 301, ""]


def drawn(draw: st.DrawFn, of: dict[str, Any]) -> Any:
    """Draw a value that follows a schema, more or less."""
    if "$ref" in of:
        return drawn(draw, schema_of("")["$defs"][of["$ref"].removeprefix("#/$defs/")])
    kind = of.get("type", "object")
    kind = kind if isinstance(kind, str) else draw(st.sampled_from(kind))
    if draw(st.integers(0, 20)) == 0:
        return draw(st.sampled_from([None, True, {}, [], "x", -1]))
    if kind == "integer":
        return draw(st.integers(-1, 20))
    if kind == "string":
        return draw(st.sampled_from(TEXTS))
    if kind == "array":
        return [drawn(draw, of["items"]) for _ in range(draw(st.integers(0, 3)))]
    names = list(of["properties"])
    chosen = draw(st.sets(st.sampled_from(names), max_size=2)) | set(of.get("required", ()))
    found = {name: drawn(draw, of["properties"][name]) for name in names if name in chosen}
    return found | ({"x": 1} if draw(st.integers(0, 20)) == 0 else {})


@pytest.mark.parametrize("kind", ["", "header", "move", "query", "source", "event"])
def test_shapes_and_the_schema_accept_the_same(kind: str) -> None:
    validator = Draft202012Validator(schema_of(kind))

    @given(st.data())
    def check(data: st.DataObject) -> None:
        value = data.draw(st.composite(drawn)(schema_of(kind)))
        accepted = shape(kind)(value)
        event("accepted" if accepted else "refused")
        assert accepted == validator.is_valid(value)

    check()


CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    "unknown",
    [
        {"type": "string", "format": "date"},
        {"minimum": 1},
        {"type": "number"},
        {"type": "object", "properties": {}},
        {**CLOSED, "oneOf": [{"properties": {"at": {"type": "string"}}}]},
    ],
)
def test_a_shape_fails_on_a_schema_that_it_does_not_know(unknown: dict[str, Any]) -> None:
    assert shape_of(CLOSED, {})({})
    with pytest.raises((KeyError, NotImplementedError)):
        shape_of(unknown, {})
