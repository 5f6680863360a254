"""The histogram is filled once to learn what it costs, and once more to be reported.

This is the draft of May 2026. Shares are rounded at random, and a share whose index is beyond the
histogram is lost. So the first draw may lose everything, and cost nothing, while the second loses
nothing. The site pays for the first only. The shared limits are charged for the value either way.

Origin: w3c/attribution at 9fab4e8, Attribution Logic; w3c/attribution#461
Expected: global proved, one view refuted, one site refuted
"""

from spec.level1 import LEVEL_1_2026_05

RULES = LEVEL_1_2026_05
