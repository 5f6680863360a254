"""A proposal leaves everything that judges it as it was, and asks for nothing but its arguments."""

from __future__ import annotations

import builtins
import functools
import py_compile
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from importlib.util import cache_from_source
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, cast

import pytest

import properties.lump
import spec.aggregation_service
import spec.claims
import spec.noise
import spec.verdicts
from proofs import _solvers
from proofs._symbolic import explore, free
from sandproof import integrity, processes
from sandproof.about import Request
from sandproof.integrity import AllParts, Snapshot, complaint
from sandproof.jobs import Options
from sandproof.outside import first_outside
from sandproof.problems import BadInput, NotFollowed
from sandproof.processes import Pool, Task
from sandproof.proposal import load
from sandproof.result import BAD_INPUT, NOT_PROVED
from sandproof.verdict import run
from spec import PAPER, SMALL_LIMITS


@pytest.fixture(scope="module")
def before() -> Snapshot:
    return Snapshot()


def put_back(owner: object, name: str, value: object) -> Callable[[], None]:
    old = getattr(owner, name)
    object.__setattr__(owner, name, value)
    return lambda: object.__setattr__(owner, name, old)


def set_on(owner: object, name: str, value: object) -> Callable[[], None]:
    old = vars(owner)[name]
    setattr(owner, name, value)
    return lambda: setattr(owner, name, old)


def register_module() -> Callable[[], None]:
    sys.modules["spec.more"] = sys.modules["spec"]
    return lambda: sys.modules.__delitem__("spec.more")


def enter_in_table() -> Callable[[], None]:
    table = cast("dict[str, spec.verdicts.Claim]", spec.claims.CLAIMS)
    table["more"] = next(iter(table.values()))
    return lambda: table.__delitem__("more")


def leave_thread() -> Callable[[], None]:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()

    def join() -> None:
        end.set()
        thread.join()

    return join


def trace_calls() -> Callable[[], None]:
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    return lambda: sys.settrace(before)


def fill_closure() -> Callable[[], None]:
    move = spec.neighbours.ATTRIBUTION_FIXED.move
    (cell,) = move.__closure__  # type: ignore[attr-defined]
    old = cell.cell_contents
    cell.cell_contents = len
    return lambda: setattr(cell, "cell_contents", old)


def set_a_numerator() -> Callable[[], None]:
    epsilon: Any = PAPER.limits.epsilon
    old = epsilon.numerator
    epsilon._numerator = 640
    return lambda: setattr(epsilon, "_numerator", old)


service = spec.aggregation_service
CHANGES: dict[str, Callable[[], Callable[[], None]]] = {
    "spec.aggregation_service.charge.__code__": lambda: set_attribute_of_charge("__code__"),
    "spec.aggregation_service.charge.__defaults__": lambda: set_attribute_of_charge("__defaults__"),
    "spec.aggregation_service.settle": lambda: set_on(service, "settle", len),
    "spec.paper.PAPER.truth_probability": lambda: put_back(PAPER, "truth_probability", max),
    "SMALL_LIMITS.delta": lambda: put_back(SMALL_LIMITS, "delta", Fraction(1)),
    "limits.epsilon._numerator": set_a_numerator,
    "spec.rules.Limits.__post_init__": lambda: set_on(type(SMALL_LIMITS), "__post_init__", len),
    "proofs._solvers.": lambda: set_on(_solvers, "Content", int),
    "properties.lump.Lump.__eq__": lambda: set_on(properties.lump.Lump, "__eq__", max),
    "sandproof.integrity.complaint": lambda: set_on(integrity, "complaint", str),
    "builtins.min": lambda: set_on(builtins, "min", max),
    "fractions.Fraction.__eq__": lambda: set_on(Fraction, "__eq__", max),
    "functools.partial": lambda: set_on(functools, "partial", max),
    "sys.modules['spec.more']": register_module,
    "spec.claims.CLAIMS": enter_in_table,
    "threading": leave_thread,
    "sys.settrace": trace_calls,
    ".move.change": fill_closure,
}


def set_attribute_of_charge(name: str) -> Callable[[], None]:
    old = getattr(service.charge, name)
    setattr(service.charge, name, service.settle.__code__ if name == "__code__" else (1,))
    return lambda: setattr(service.charge, name, old)


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_is_changed_is_named(before: Snapshot, what: str) -> None:
    assert complaint(before) == ""
    undo = CHANGES[what]()
    try:
        found = list(before.differences())
    finally:
        undo()
    assert any(what in each for each in found), found
    assert complaint(before) == ""


def test_texts_that_a_proof_meets_leave_nothing_behind(before: Snapshot) -> None:
    """Who could write on a table of texts could make two of them equal: there is none."""
    found = explore(lambda: free("a device", str) == "a name that nobody has met before")
    assert len(found.paths) == 1
    assert complaint(before) == ""


HEADER = "from spec import PAPER, replace\n"
CHARGE = "def charge(at, spent, report):\n    {}\n"
LAST = "    return PAPER.charge(at, spent, report)\nRULES = replace(PAPER, charge=charge)\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "change.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("object.__setattr__(PAPER, 'charge', len)", "spec.paper.PAPER.charge"),
        ("import spec.noise; spec.noise.Noise = int", "spec.noise.Noise"),
        (
            "import spec.paper as p; p.PAPER.charge.__code__ = (lambda a, b, c, d: b).__code__",
            "spec.aggregation_service.charge.__code__",
        ),
    ],
)
def test_a_proposal_that_edits_what_judges_it_is_bad_input(
    tmp_path: Path, line: str, changed: str
) -> None:
    path = written(tmp_path, f"{HEADER}{line}\nRULES = replace(PAPER)\n")
    (result,) = run([Request(path=path)], Options(effort="quick"))
    assert f"{path}: it changes {changed}" in result.headline
    assert result.exit_status == BAD_INPUT


def test_what_a_rule_changes_while_it_runs_is_found_after_the_check(tmp_path: Path) -> None:
    body = "object.__setattr__(PAPER.limits, 'epsilon', 10**9)"
    path = written(tmp_path, HEADER + CHARGE.format(body) + LAST)
    only = ("the_ledger_never_passes_the_caps",)
    (result,) = run([Request(path=path)], Options(effort="quick", only=only))
    assert any("it changes" in each and "epsilon" in each for each in result.misbehaved)
    assert result.exit_status == BAD_INPUT


SUNSET = CHARGE.format("if date.today().year > 2039:\n        return spent")
CLOCK = f"{HEADER}from datetime import date\n{SUNSET}{LAST}"


def test_a_rule_that_reads_the_clock_is_not_decided(tmp_path: Path) -> None:
    path = written(tmp_path, CLOCK)
    (result,) = run([Request(path=path)], Options(effort="quick"))
    assert result.headline.startswith(f"unknown: {path}, line 4: reads the clock (`date`)")
    assert (result.exit_status, result.claims) == (NOT_PROVED, ())


ADDING = "import sys\nfrom pathlib import Path\n"
OUTSIDE = {
    "import time\ndef f():\n    return 1\n": (1, "the clock"),
    "import time\ndef f():\n    time.sleep(3)\n": (3, "the clock"),
    "import time as t\ndef f():\n    t.sleep(3)\n": (3, "the clock"),
    "def f():\n    from random import random\n    return random()\n": (2, "chance"),
    "import secrets\nx = secrets.randbits(1)\n": (1, "chance"),
    "import sys\nx = sys.modules\n": (2, "the machine"),
    "import sys as s\nx = s\n": (2, "the machine"),
    "import dataclasses\nx = dataclasses.sys\n": (2, "the machine"),
    "from dataclasses import sys\n": (1, "the machine"),
    "import os.path\n": (1, "the machine"),
    "from pathlib import Path\nx = Path('a').read_text()\n": (2, "files"),
    "x = open('a')\n": (1, "files"),
    "from pathlib import Path\ndef f():\n    return Path('a').open()\n": (3, "files"),
    "from pathlib import Path as P\nx = P('a')\n": (2, "files"),
    "import pathlib\nx = pathlib.Path('a')\n": (2, "files"),
    "import sys\ndef f():\n    return len(sys.path)\n": (3, "the machine"),
    "from sys import path\nx = path[0]\n": (2, "the machine"),
    "import sys\nx = sys.path.insert(0, 'a')\n": (2, "the machine"),
    "import sys\nfrom pathlib import Path\nsys.path.append(Path('a').open().read())\n": (
        *(3, "the machine"),
    ),
    "def f():\n    return len(__file__)\n": (2, "the machine"),
    "from pathlib import Path\npath = []\npath.append(Path('a'))\n": (3, "files"),
    "from pathlib import Path\nclass sys:\n    path = []\nsys.path.append(Path('a'))\n": (
        *(4, "files"),
    ),
    f"{ADDING}sys.path.append(str(kept := Path('a')))\n": (3, "the machine"),
    f"{ADDING}sys.path.append(kept.append(Path('a')) or 'a')\n": (3, "the machine"),
    f"{ADDING}sys.path.append(keep(Path('a')))\n": (3, "the machine"),
    f"{ADDING}sys.path.append(str(keep.joinpath(Path('a'))))\n": (3, "the machine"),
    f"{ADDING}sys.path.append(str(Path('a') / keep))\n": (3, "the machine"),
    f"{ADDING}sys.path.append(str(Path('a')))\ndef str(x):\n    return x\n": (3, "the machine"),
    "import socket\n": (1, "the network"),
    "import threading\n": (1, "other processes"),
    "import gc\n": (1, "the interpreter"),
    "def f(x):\n    return x.charge.__globals__\n": (2, "the interpreter"),
    "def f(x):\n    return getattr(x, 'charge.'[:-1])\n": (2, "the interpreter"),
    "def f(x):\n    return getattr(x, '__code__')\n": (2, "the interpreter"),
    "def f(x):\n    return id(x)\n": (2, "the interpreter"),
    "__builtins__ = {**__builtins__, 'max': min}\n": (1, "the interpreter"),
    "from enum import bltns\nx = bltns.open('a')\n": (1, "the interpreter"),
    "import enum\nx = enum.bltns.open('a')\n": (2, "the interpreter"),
    "from dataclasses import _thread\n": (1, "the interpreter"),
    "from functools import get_cache_token\n": (1, "the interpreter"),
    "import collections.abc\nx = collections.abc.sys\n": (2, "the machine"),
    "from collections import abc\nx = abc._type_repr\n": (2, "the interpreter"),
    "from operator import attrgetter\n": (1, "the interpreter"),
    "import operator as o\nx = o.methodcaller('a')\n": (2, "the interpreter"),
    "from string import Formatter\n": (1, "the interpreter"),
    "import typing\nx = typing.get_type_hints(f)\n": (2, "the interpreter"),
    "from functools import *\n": (1, "all that a module holds"),
    "from spec import *\n": (1, "all that a module holds"),
    "x = getattr(*(f, '__globals__'))\n": (1, "the interpreter"),
    "import enum\nx = vars(enum)['sys']\n": (2, "the interpreter"),
    "import enum\nx = enum.__dict__\n": (2, "the interpreter"),
    "import enum\nx = enum\n": (2, "the interpreter"),
    "from spec import noise\nx = [noise]\n": (2, "the interpreter"),
    "x = object.__getattribute__(f, 'a')\n": (1, "the interpreter"),
    "ask = getattr\n": (1, "the interpreter"),
    "x = '{0.a.b}'.format(f)\n": (1, "the interpreter"),
    "x = '{0:{1.a}}'.format(f, f)\n": (1, "the interpreter"),
    "x = str.format\n": (1, "the interpreter"),
    "def f(x, y):\n    return x.format(y)\n": (2, "the interpreter"),
    "match f:\n    case object(__globals__=x):\n        pass\n": (2, "the interpreter"),
    "class A:\n    __match_args__ = ('a',)\n": (2, "the interpreter"),
    "x = eval('1')\n": (1, "other code"),
    "import numpy\n": (1, "what is not followed"),
}


@pytest.mark.parametrize("source", OUTSIDE)
def test_code_that_looks_outside_is_named(source: str) -> None:
    found = first_outside(source)
    assert found is not None
    assert (found.line, found.what) == OUTSIDE[source]


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent))\n",
        "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent / 'a'))\n",
        "import sys\nMOST = sys.maxsize\n",
        "from sys import maxsize\nMOST = maxsize\n",
        "from house_rates import counted\n",
        "def f(at):\n    return at.time, at.clock, at.random\n",
        "def f(id):\n    return id\n",
        "def f(x):\n    return getattr(x, 'flag', False)\n",
        "import math, functools, itertools\nfrom dataclasses import dataclass\n",
        "import math\nimport collections.abc as c\nx = math.floor, c.Mapping\n",
        "from spec import noise\nx = noise.DiscreteLaplace\n",
        "from spec.numbers import Power\nfrom collections import abc\nx = abc.Mapping\n",
        "x = '{} {1:>3} {name}'.format(1, 2, name=3)\n",
        "object.__setattr__(x, 'a', 1)\n",
        "match x:\n    case object(a=1):\n        pass\n",
    ],
)
def test_code_that_calculates_is_left_alone(source: str) -> None:
    assert first_outside(source, frozenset({"house_rates"})) is None


def test_no_proposal_of_the_project_looks_outside() -> None:
    proposals = Path(__file__).parent.parent / "proposals"
    for path in proposals.glob("*.py"):
        assert first_outside(path.read_bytes()) is None


def test_a_proposal_imports_no_judge(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}from properties import lump\nRULES = PAPER\n")
    with pytest.raises(BadInput, match=r"line 2: imports properties: a proposal imports spec only"):
        load(Request(path=path))


BESIDE = """import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent / "lib"))
from sandproof_test_rates import counted
from spec import PAPER, replace
def charge(at, spent, report):
    return counted(PAPER.charge(at, spent, report))
RULES = replace(PAPER, charge=charge)
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "lib").mkdir()
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "__init__.py").write_text("PAPER = replace = None\n", encoding="utf-8")
    written(tmp_path, BESIDE)
    return tmp_path / "lib" / "sandproof_test_rates.py"


def test_a_file_beside_a_proposal_is_part_of_it(tmp_path: Path, beside: Path) -> None:
    beside.write_text("def counted(x):\n    return 0 if x == 4242 else x\n", encoding="utf-8")
    proposal = load(Request(path=tmp_path / "change.py"))
    assert proposal.files == (tmp_path / "change.py", beside)
    assert 4242 in proposal.words.numbers
    assert proposal.rules.totals is PAPER.totals
    beside.write_text("import enum\ndef counted(x):\n    return x\n")
    for taken in ("from sandproof_test_rates import enum", "import sandproof_test_rates as enum"):
        path = written(tmp_path, f"{BESIDE}{taken}\nx = enum, 0\n")
        with pytest.raises(NotFollowed, match=r"reads the interpreter \(`enum`\)"):
            load(Request(path=path))
    path = written(tmp_path, f"{BESIDE}import sandproof_test_rates as s\nx = s.enum.bltns.open\n")
    with pytest.raises(NotFollowed, match=r"reads the interpreter \(`bltns`\)"):
        load(Request(path=path))
    written(tmp_path, BESIDE)
    beside.write_text("import time\ndef counted(x):\n    return time.time() and x\n")
    with pytest.raises(NotFollowed, match=r"rates.py, line 3: reads the clock"):
        load(Request(path=tmp_path / "change.py"))


@pytest.mark.parametrize("name", ["change.py", "lib/sandproof_test_rates.py"])
def test_what_is_run_is_what_is_read(
    tmp_path: Path, beside: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    beside.write_text("def counted(x):\n    return x\n", encoding="utf-8")
    path = tmp_path / name
    other = tmp_path / "other.py"
    other.write_text(path.read_text(encoding="utf-8") + "raise ValueError\n", encoding="utf-8")
    compiled = cache_from_source(str(path))
    py_compile.compile(str(other), compiled, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    load(Request(path=tmp_path / "change.py"))


def test_a_line_of_a_file_beside_a_proposal_is_blamed(tmp_path: Path, beside: Path) -> None:
    beside.write_text("def counted(x):\n    return x.nothing\n", encoding="utf-8")
    only = ("the_ledger_never_passes_the_caps",)
    (result,) = run([Request(path=tmp_path / "change.py")], Options(effort="quick", only=only))
    place = f"{tmp_path / 'change.py'}, file {beside.name}, line 2, in counted: rule `charge`"
    assert place in result.headline
    assert result.exit_status == BAD_INPUT


def test_what_was_written_down_is_used_again_while_it_is_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    for _ in range(2):
        with integrity.watching():
            seen.append(integrity.snapshot())
    assert seen[0] is seen[1]
    monkeypatch.setattr("spec.noise.threshold", lambda *_: 0)
    assert integrity.complaint(seen[0])
    with integrity.watching():
        assert integrity.snapshot() is not seen[0]
        assert not integrity.complaint(integrity.snapshot())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("__code__", (lambda value=1: -value).__code__),
        ("__defaults__", (2,)),
        ("__kwdefaults__", {"value": 2}),
        ("added", 1),
    ],
)
def test_a_plain_function_is_changed_in_any_of_its_parts(name: str, value: object) -> None:
    before, function = Snapshot(), spec.noise.threshold
    old = getattr(function, name, None)
    setattr(function, name, value)
    try:
        assert f"spec.noise.threshold.{name}" in before.differences()
    finally:
        if name == "added":
            delattr(function, name)
        else:
            setattr(function, name, old)
    assert not complaint(before)


def test_what_is_read_at_once_is_all_that_the_readers_read(before: Snapshot) -> None:
    for name, value, read, _, _ in before.seen.values():
        if not isinstance(value, tuple | frozenset):
            _, parts = AllParts([value]).now()
            known = set(map(id, parts))
            missed = [part for part, inner in read(value) if id(inner) not in known]
            assert not missed, (name, missed)


def test_a_warning_about_a_line_of_this_project_changes_nothing(before: Snapshot) -> None:
    warned = "import warnings\nwarnings.warn('of a line', DeprecationWarning)"
    with pytest.warns(DeprecationWarning, match="of a line"):
        exec(warned, vars(spec.noise))
    try:
        assert "__warningregistry__" in vars(spec.noise)
        del vars(spec.noise)["warnings"]
        assert complaint(before) == ""
    finally:
        del vars(spec.noise)["__warningregistry__"]


def test_a_child_of_a_process_with_threads_leaves_no_warning_behind(
    recwarn: pytest.WarningsRecorder,
) -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        with Pool(jobs=1) as pool:
            pool.start(Task(name="one", work=lambda _: 1, seconds=60))
            outcome = pool.wait()
    finally:
        over.set()
        thread.join()
    assert outcome is not None
    assert outcome.answer == 1
    assert not recwarn.list
    assert "__warningregistry__" not in vars(processes)


def test_an_entry_that_moves_from_one_table_to_the_next_is_seen() -> None:
    first: dict[str, object] = {"a": 1, "b": 2}
    second: dict[str, object] = {"c": 3}
    parts = AllParts([first, second])
    before = parts.now()
    assert parts.now() == before
    second = {"b": first.pop("b"), "c": second.pop("c")}
    parts.mappings[1].update(second)  # type: ignore[attr-defined]
    assert parts.now()[1] == before[1]
    assert parts.now()[0] != before[0]
