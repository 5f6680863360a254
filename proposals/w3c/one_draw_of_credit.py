"""The histogram that is charged for is the one that is reported.

Origin: w3c/attribution#461
Expected: global proved, one view proved, one site proved
"""

from spec.level1 import LEVEL_1_ONE_DRAW

RULES = LEVEL_1_ONE_DRAW
