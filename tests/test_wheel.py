"""The wheel works: built, installed into an empty environment outside the clone, and used there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

import sandproof

ROOT = Path(__file__).resolve().parent.parent
BUILT = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in")
PACKAGES = ("spec", "proofs", "properties", "sandproof", "proposals")
AGGREGATION = "aggregation_summaries_are_private"
LEDGER = "the_ledger_never_passes_the_caps"
CHANGE = "charge_real_reports_only"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what is built from, so that nothing is left behind in the clone, and nothing found."""
    copy = tmp_path_factory.mktemp("sources")
    for name in BUILT:
        shutil.copy(ROOT / name, copy)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def run(*command: object, cwd: Path, status: int = 0) -> str:
    """Run a command away from the clone, expect a status, and return what it printed."""
    away = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(
        list(map(str, command)), cwd=cwd, env=away, capture_output=True, text=True, check=False
    )
    assert found.returncode == status, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def installed(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it into an environment of its own, and return its programs."""
    wheels, home = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("environment")
    options = ("--no-deps", "--no-index", "-qq", "--disable-pip-version-check")
    build = ("wheel", "--no-build-isolation", "-w", wheels, sources)
    run(sys.executable, "-m", "pip", *build, *options, cwd=wheels)
    (wheel,) = wheels.glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=home)
    (packages,) = home.glob("lib/python*/site-packages")
    # The dependencies are those of this environment. Its own `.pth` files, which lead to the clone,
    # are not read for a folder that is named in one.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = ("-m", "pip", "--python", home / "bin" / "python")
    run(sys.executable, *pip, "install", wheel, *options, cwd=home)
    return home / "bin"


def test_the_packages_are_those_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "sandproof", "--version", cwd=tmp_path) == (
        f"sandproof {sandproof.VERSION}\n"
    )
    program = "import sandproof, spec, proofs, properties; print(sandproof.__file__, spec.__file__)"
    for file in run(installed / "python", "-c", program, cwd=tmp_path).split():
        assert Path(file).is_relative_to(installed.parent)


def test_claims_params_and_new_work(installed: Path, tmp_path: Path) -> None:
    command = installed / "sandproof"
    assert LEDGER in run(command, "claims", "--list", cwd=tmp_path)
    assert "proofs/" in run(command, "claims", "joint_convexity", cwd=tmp_path)
    assert "outputs" in run(command, "params", cwd=tmp_path)
    run(command, "new", "my_change", cwd=tmp_path)
    checked = ("check", "my_change.py", "--only", "null_reports_are_charged", "--effort", "quick")
    assert "proved   null_reports_are_charged" in run(command, *checked, "-v", cwd=tmp_path)


def test_a_trace_is_simulated(installed: Path, tmp_path: Path) -> None:
    (trace,) = installed.parent.glob("lib/python*/site-packages/sandproof/traces/event_level.json")
    assert run(installed / "sandproof", "simulate", trace, "--seed", "1", cwd=tmp_path)


def test_the_catalogue_is_there_and_a_proposal_of_it_is_decided(
    installed: Path, tmp_path: Path
) -> None:
    command = installed / "sandproof"
    listed = run(command, "catalogue", "--list", cwd=tmp_path).split()
    assert len(listed) == len(list((ROOT / "proposals").glob("[!_]*.py")))
    assert all(Path(path).is_relative_to(installed.parent) for path in listed)
    found = run(command, "catalogue", CHANGE, "--effort", "quick", "--only", LEDGER, cwd=tmp_path)
    assert f"{CHANGE}  refuted    refuted" in found


def test_an_attack_and_the_test_that_it_writes(installed: Path, tmp_path: Path) -> None:
    change = Path(shutil.copy(ROOT / "proposals" / f"{CHANGE}.py", tmp_path))
    options = (change.name, "--effort", "quick", "--only", AGGREGATION, "--pytest", "test_it.py")
    told = run(installed / "sandproof", "attack", *options, cwd=tmp_path, status=1)
    assert "The unit x is" in told
    pytest_ = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    assert "1 failed, 1 passed" in run(installed / "python", *pytest_, cwd=tmp_path, status=1)


def test_nothing_is_written_beside_the_packages(installed: Path, tmp_path: Path) -> None:
    def there() -> set[Path]:
        return {*installed.parent.rglob("*"), *tmp_path.rglob("*")}

    before = there()
    # Nobody, not even root, can make a folder in this one.
    nowhere = (
        "env",
        "-u",
        "SANDPROOF_CACHE",
        "HOME=/dev/null",
        "XDG_CACHE_HOME=/dev/null",
        "PYTHONDONTWRITEBYTECODE=1",
    )
    options = ("--effort", "quick", "--only", LEDGER, "--format", "json")
    (proposal,) = installed.parent.glob(f"lib/python*/site-packages/proposals/{CHANGE}.py")
    command = (*nowhere, installed / "sandproof", "check", proposal)
    assert LEDGER in run(*command, *options, cwd=tmp_path, status=1)
    assert there() == before


def test_the_source_distribution_holds_what_runs(sources: Path, tmp_path: Path) -> None:
    program = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", program, tmp_path, cwd=sources)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    wanted = [path for package in PACKAGES for path in (sources / package).rglob("*.*")]
    assert {str(path.relative_to(sources)) for path in wanted if path.is_file()} - held == set()
