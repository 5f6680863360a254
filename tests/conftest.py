"""Fix the seeds of examples, let a busy machine be slow, and keep the user's store apart."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from sandproof.processes import COLLECTED
from sandproof.store import FOLDER

gc.set_threshold(*COLLECTED)
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
os.environ[FOLDER] = ""


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of these tests; what they check of a whole proposal is kept there once."""
    shared = tmp_path_factory.getbasetemp()
    return (shared.parent if os.environ.get("PYTEST_XDIST_WORKER") else shared) / "store"
