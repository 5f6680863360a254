"""The public parameters of each family's own rules, known before its checks are imported.

So a `--set` that names no parameter is refused at once.
"""

from __future__ import annotations

from typing import Any

from spec import PAPER
from spec.level1 import LEVEL_1_2026_05

OWN: dict[str, Any] = {"paper": PAPER.limits, "w3c": LEVEL_1_2026_05.limits}
"""The parameters of the rules that are judged where no proposal is named, by family."""
