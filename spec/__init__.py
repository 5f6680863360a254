"""The Privacy Sandbox measurement APIs as an exact, executable specification.

One module per algorithm, in the paper's order. `Rules` is the change surface, `PAPER` its value for
the paper's rules; a proposal replaces fields of it.

Paper: Sec. 2; Sec. 3; Sec. 4; Sec. 5.
"""

from dataclasses import replace

from spec.paper import PAPER
from spec.rules import Limits, Rules

__all__ = ["PAPER", "Limits", "Rules", "replace"]
