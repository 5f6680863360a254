"""The store: what checks have found before, so that nothing is computed twice.

A verdict depends on the rules, the effort and the seed alone. So what a check found is kept under a
digest of all of these, of this project's own source and of the versions of its solvers, and is
found again by the same digest only. An entry that cannot be read, or holds anything but findings
or a whole result, is no entry. What ended early, raised, or printed is never kept.

This imports no solver, so that what is known is said at once.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import os
import pickle
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PosixPath, WindowsPath
from typing import TYPE_CHECKING, Any

from sandproof.families import NAMES, claims_of
from spec.verdicts import Claim, Finding, Reason

if TYPE_CHECKING:
    from sandproof.jobs import Found, Job, Options
    from sandproof.result import Result

PACKAGES = ("spec", "proofs", "properties", "sandproof")
SOLVERS = ("z3-solver", "cvc5", "sympy", "python-flint", "hypothesis")
FOLDER = "SANDPROOF_CACHE"
"""The environment variable that names the folder of the store."""

DAYS_KEPT = 14
"""For how long entries of another version are kept."""

KNOWN = frozenset(
    {
        ("builtins", "frozenset"),
        ("builtins", "set"),
        ("fractions", "Fraction"),
        *((kind.__module__, kind.__name__) for kind in (PosixPath, WindowsPath)),
        ("sandproof.about", "About"),
        ("sandproof.about", "Change"),
        ("sandproof.claim_result", "AttackRecord"),
        ("sandproof.claim_result", "ClaimResult"),
        ("sandproof.jobs", "Found"),
        ("sandproof.promise", "Promise"),
        ("sandproof.result", "Repair"),
        ("sandproof.result", "Result"),
        ("spec.numbers", "Base"),
        ("spec.verdicts", "Evidence"),
        ("spec.verdicts", "Finding"),
        ("spec.verdicts", "Reason"),
        ("spec.verdicts", "Shape"),
        ("spec.verdicts", "Step"),
        ("spec.verdicts", "Verdict"),
    }
)
"""What an entry may be made of; in which module paths are depends on the version of Python."""

FLEETING = (Reason.OUT_OF_RESOURCES, Reason.INTERRUPTED, Reason.MISBEHAVED)
"""Why a finding is not kept."""


class Store:
    """Keep findings and whole results in a folder; without one, keep nothing.

    They are apart from those of other versions.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder / version_digest()

    def get(self, digest: str) -> Found | None:
        """Return what was found before, if it was kept."""
        from sandproof.jobs import Found

        found = self._read(digest)
        return replace(found, stored=True) if isinstance(found, Found) else None

    def put(self, digest: str, found: Found) -> None:
        """Keep what was found, if it would be the same the next time."""
        if lasting(found):
            self._write(digest, found)

    def get_result(self, digest: str) -> Result | None:
        """Return the whole result of an earlier check, if it was kept."""
        from sandproof.result import Result

        result = self._read(digest)
        return result if isinstance(result, Result) and result.lasting else None

    def put_result(self, digest: str, result: Result) -> None:
        """Keep a whole result, if it would be the same the next time."""
        if result.lasting:
            self._write(digest, result)

    def _read(self, digest: str) -> object:
        if self.folder is not None:
            with suppress(Exception):
                return Reader(io.BytesIO((self.folder / digest).read_bytes())).load()
        return None

    def _write(self, digest: str, kept: object) -> None:
        """Write an entry in one piece; a folder that cannot be written to keeps nothing."""
        if self.folder is None:
            return
        with suppress(OSError):
            if not self.folder.exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                forget(self.folder)
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as written:
                Writer(written).dump(kept)
            os.replace(written.name, self.folder / digest)


class Writer(pickle.Pickler):
    """Write an entry; claims stand in it by their names, because they refer to functions."""

    def persistent_id(self, value: object) -> tuple[str, str] | None:
        """Return the family and the name of a claim."""
        if not isinstance(value, Claim):
            return None
        owners = [family for family in NAMES if claims_of(family).get(value.id) is value]
        return (owners[0], value.id) if owners else None

    def reducer_override(self, value: object) -> Any:
        """Write a member of an enumeration by its value; before 3.11.4 Python asks `getattr`."""
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


class Reader(pickle.Unpickler):
    """Read an entry, and refuse to make anything but what entries are made of."""

    def find_class(self, module: str, name: str) -> object:
        """Return a class that entries are made of."""
        if (module, name) not in KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an entry")
        return getattr(importlib.import_module(module), name)

    def persistent_load(self, named: tuple[str, str]) -> Claim:
        """Return the claim of a family and a name."""
        family, name = named
        return claims_of(family)[name]


def users_store() -> Path | None:
    """Return the folder of the user's store, by the conventions of the system.

    The environment variable `SANDPROOF_CACHE` names another one; an empty one means none.
    """
    named = os.environ.get(FOLDER)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sandproof"


def forget(kept: Path) -> None:
    """Remove what other versions have left long ago."""
    for other in kept.parent.iterdir():
        if other != kept and time.time() - other.stat().st_mtime > DAYS_KEPT * 86_400:
            shutil.rmtree(other, ignore_errors=True)


def lasting(found: Found) -> bool:
    """Tell whether what was found would be the same the next time."""
    findings = (found.finding, *found.lemmas.values())
    return not (found.misbehaved or found.exhausted) and not any(map(fleeting, findings))


def fleeting(finding: Finding) -> bool:
    """Tell whether a finding may be another the next time, or must be looked into."""
    return finding.is_alarm or finding.reason in FLEETING


def digest_of(job: Job, options: Options, proposal: str) -> str:
    """Return under what the finding of a job is kept; `proposal` is the digest of what it is."""
    parts = (job.claim, job.check, job.put_back, options.effort, options.seed, proposal)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def files_digest(files: Iterable[Path], beside: Path = Path()) -> str:
    """Return a digest of files, with their names as they are seen from a folder."""
    digest = hashlib.sha256()
    for path in sorted(files):
        named = path.relative_to(beside) if path.is_relative_to(beside) else path
        digest.update(f"{named.as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@cache
def version_digest() -> str:
    """Return a digest of this project's source and of what it runs on, wherever it lies."""
    own = [
        path
        for package in PACKAGES
        for folder in folders_of(package)
        for path in Path(folder).rglob("*")
        if path.suffix in (".py", ".json")
    ]
    beside = Path(__file__).parent.parent
    machine = (sys.version, platform.machine(), *map(version_of, SOLVERS))
    return hashlib.sha256(f"{files_digest(own, beside)} {machine}".encode()).hexdigest()[:32]


def folders_of(package: str) -> list[str]:
    """Return where a package lies, without importing it."""
    found = find_spec(package)
    assert found is not None
    return list(found.submodule_search_locations or ())


def version_of(package: str) -> str:
    """Return the version of a package, if it is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
