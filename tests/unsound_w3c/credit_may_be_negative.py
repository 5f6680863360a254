"""Credit may be negative as long as the latest touches together keep a positive share.

Truth: unsound. What is charged for is the sum of the histogram, and its norm is larger.
"""

from dataclasses import replace
from itertools import accumulate

from spec.level1 import LEVEL_1_ONE_DRAW, Conversion, ConversionOptions, Level1Rules
from spec.level1.measurement import validate_conversion
from spec.level1.rules import reject


def validate_with_discounts(rules: Level1Rules, options: ConversionOptions) -> Conversion:
    if any(part == 0 for part in options.credit):
        reject("RangeError", "credit is out of range")
    if any(total <= 0 for total in accumulate(options.credit)):
        reject("RangeError", "credit must stay positive")
    positive = tuple(abs(part) for part in options.credit)
    conversion = validate_conversion(rules, replace(options, credit=positive))
    return replace(conversion, credit=options.credit)


RULES = replace(LEVEL_1_ONE_DRAW, validate_conversion=validate_with_discounts)
