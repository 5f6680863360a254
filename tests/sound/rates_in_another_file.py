"""What a contribution costs stands in another file, in which house campaigns cost double.

Truth: proved: every contribution is counted with at least its value.
Status: proved
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lib"))

from house_surcharge import counted

from spec import PAPER, replace


def admit(at, unit, spent, contribution):
    worth = replace(contribution, value=counted(contribution.key, contribution.value))
    return PAPER.admit(at, unit, spent, worth)


RULES = replace(PAPER, admit=admit)
