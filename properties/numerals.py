r"""Numbers as people read them: short fractions, decimals, powers of ten, all made of integers."""

from __future__ import annotations

from fractions import Fraction

LONGEST = 60
SHORT = 24
"""The most characters of a number that is written exactly, alone and within a sentence."""

DIGITS = 9
THOUSAND = 1000


def decimal(value: Fraction, digits: int = 6) -> str:
    """Return a fraction rounded to a few decimals, with integers only."""
    scaled = (abs(value.numerator) * 10**digits * 2 + value.denominator) // (2 * value.denominator)
    whole, rest = divmod(scaled, 10**digits)
    text = f"{whole}.{rest:0{digits}}".rstrip("0").rstrip(".")
    return ("-" if value < 0 and scaled else "") + text


def shown(value: Fraction, longest: int = LONGEST) -> str:
    """Return a number exactly if that is short, and else to a few digits; 1/10^8 is 1e-8."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    sign = "-" if value < 0 else ""
    if bits <= 4 * longest:
        short = scientific(abs(value))
        if value.denominator >= THOUSAND and Fraction(short) == abs(value):
            return sign + short
        if len(str(value)) <= longest:
            return str(value)
    plain = value.limit_denominator(THOUSAND)
    rest = abs(value - plain)
    if plain and 0 < rest * 10**DIGITS < abs(plain):
        return f"{plain} {'+' if value > plain else '-'} {about(rest)}"
    return about(value)


def about(value: Fraction) -> str:
    """Return a number to a few digits, and say so where these are not all."""
    text = ("-" if value < 0 else "") + scientific(abs(value), DIGITS)
    return text if Fraction(text) == value else f"about {text}"


def beside(value: Fraction, longest: int = SHORT) -> str:
    """Return a number as it is shown, and beside a fraction its decimals."""
    exact = shown(value, longest)
    return f"{exact} (about {scientific(value)})" if "/" in exact else exact


def bound(value: Fraction, up: bool = False, digits: int = 6) -> str:
    """Return a number that is not negative to a few significant digits, rounded down or up."""
    unit = Fraction(1)
    while value >= unit * 10**digits:
        unit *= 10
    while 0 < value < unit * 10 ** (digits - 1):
        unit /= 10
    return scientific((-(-value // unit) if up else value // unit) * unit, digits)


def scientific(value: Fraction, digits: int = 5) -> str:
    """Return a fraction rounded to a few significant digits, with a power of ten if it is small."""
    if value < 0:
        return f"-{scientific(-value, digits)}"
    if value == 0 or value >= Fraction(1, 1000):
        return significant(value, digits)
    inverse = -(-value.denominator // value.numerator)
    power = (inverse - 1).bit_length() * 3 // 10
    while 10**power < inverse:
        power += 1
    return f"{significant(value * 10**power, digits)}e-{power}"


def significant(value: Fraction, digits: int = 5) -> str:
    """Return a fraction rounded to a few significant digits, with integers only."""
    if value >= 10**digits:
        return str(round(value))
    places = digits - 1
    while places and value >= 10 ** (digits - places):
        places -= 1
    while 0 < value * 10**places < 10 ** (digits - 1) and places < 60:
        places += 1
    whole, rest = divmod(round(value * 10**places), 10**places)
    return f"{whole}.{rest:0{places}}".rstrip("0").rstrip(".") if places else str(whole)
