r"""Noisy sums that are shown as they are drawn: what each tells, and what all tell together.

A *part* is an event about one noisy sum, with a lower bound $p$ of its probability in one world and
an upper bound $q$ in the other: that the sum lies on the side of the true one; that it is shown at
all, where the key is absent in the other world; that it lies beyond what the noise of the other
world reaches. The sums are independent, so that

- all of several parts happen with $\prod p_i$ and $\prod q_i$;
- of parts that are impossible in the other world, one happens with $1 - \prod (1 - p_i)$;
- of $n$ equal parts at least $k$ happen with the tail of a binomial law;
- a query that leaves both worlds as they were can be asked $n$ times, for any $n$: that more than
  the middle between $np$ and $nq$ happen has probability at least $1 - e^{-2ng^2}$ and at most
  $e^{-2ng^2}$, with $g = (p - q)/2$ (Hoeffding).

That two keys are released in the order in which only one world lists them depends on their sums,
and is an event by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import isqrt, prod

from flint import arb, ctx

from properties.noise_told import without_noise
from properties.observation import encoded
from properties.telling import key_text
from properties.worlds import BothWorlds, CannotPlay, chances
from spec.aggregation_service import Answer, Query
from spec.contributions import Unit
from spec.neighbours import Relation
from spec.noise import Noise, Noisy
from spec.numbers import bounds, enclose
from spec.paper import PAPER
from spec.reports import Key
from spec.rules import AtService, Rules
from spec.system import Move, Observation

PRECISION = 256
"""The bits with which probabilities are enclosed."""

PLAIN = ("serve", "answer", "releases", "reveal")
"""The rules that must be the paper's, so that a noisy sum is shown as it is drawn."""

MANY = 8
"""From how many equal parts on they are counted."""

Transcript = tuple[Observation, ...]
Chances = Sequence[tuple[Fraction, ...]]
Sums = dict[Key, tuple[Noisy, int | None]]
"""The law and the threshold of every key that is answered for, in the order of the answer."""


class ListedTwice(CannotPlay):
    """Report a key that has two noisy sums in one answer: they are not told apart here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Hold an event about one sum, or about what is certain, with its bounds in both worlds."""

    text: str
    likely: Fraction
    unlikely: Fraction

    @property
    def certain(self) -> bool:
        """Tell whether the part is what is seen without any noise."""
        return self.likely == 1 and self.unlikely == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Hold an event made of parts, with its bounds; the last move is made so many `times`."""

    parts: tuple[Part, ...]
    event: str
    likely: Fraction
    unlikely: Fraction
    times: int = 1

    def gain(self, power: Fraction) -> Fraction:
        """Return the delta that the event attains at least."""
        return self.likely - power * self.unlikely


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Hold the parts that point at each world, and what is seen in each.

    `orders` are events about the order of keys, each by itself. `again` says how many of the last
    parts are of a last query that leaves both worlds as they were. `sums` are the noisy sums of
    each world, `chances` those of what was drawn beside noise.
    """

    mine: tuple[Part, ...]
    theirs: tuple[Part, ...]
    orders: tuple[tuple[Part, ...], tuple[Part, ...]]
    again: tuple[int, int]
    seen: tuple[Transcript, Transcript]
    sums: tuple[Sequence[Noisy], Sequence[Noisy]]
    chances: tuple[Chances, Chances]

    @property
    def chance(self) -> Fraction:
        """Return the chance of what was drawn beside noise, which is the same in both worlds."""
        if self.chances[0] != self.chances[1]:
            raise CannotPlay("what is drawn beside noise differs between the worlds")
        return prod((law[0] for law in self.chances[0]), start=Fraction(1))

    def telling(self, power: Fraction) -> Iterator[tuple[str, Told]]:
        """Return for each world the event that tells most."""
        chance = self.chance
        for world, parts, orders, again in zip(
            ("with x", "without x"), (self.mine, self.theirs), self.orders, self.again, strict=True
        ):
            told = telling(parts, orders, power, again)
            if told is not None and chance != 1:
                event = f"Other draws come out as they did; {told.event}"
                likely, unlikely = told.likely * chance, told.unlikely * chance
                told = replace(told, event=event, likely=likely, unlikely=unlikely)
            if told is not None:
                yield world, told


@dataclass(slots=True)
class Recorder:
    """Be a release test that lets everything pass and notes the key and the threshold."""

    noted: list[tuple[Key, int | None]]

    def __call__(self, at: AtService, key: Key, noisy: int, threshold: int | None) -> bool:
        """Note what is asked, and release it."""
        del at, noisy
        self.noted.append((key, threshold))
        return True


def shows_as_drawn(rules: Rules) -> bool:
    """Tell whether the service shows noisy sums as they are drawn, or not at all."""
    return all(getattr(rules, name) is getattr(PAPER, name) for name in PLAIN)


def parts_of(rules: Rules, relation: Relation, unit: Unit, moves: Sequence[Move]) -> Parts:
    """Make the moves, and return the parts that point at either world."""
    recorder = Recorder([])
    asked = replace(rules, releases=recorder)
    run = BothWorlds(asked, relation, unit, without_noise)
    mine: list[Part] = []
    theirs: list[Part] = []
    orders: tuple[list[Part], list[Part]] = [], []
    again = (0, 0)
    with ctx.workprec(PRECISION):
        for number, move in enumerate(moves, 1):
            before = (len(run.mine.sums), len(run.theirs.sums), run.there, run.worlds)
            recorder.noted.clear()
            run.make(move)
            sums = run.mine.sums[before[0] :], run.theirs.sums[before[1] :]
            seen = run.seen[-1]
            if len(recorder.noted) != len(sums[0]) + len(sums[1]):
                raise CannotPlay("noise is drawn for something else than a released sum")
            if not isinstance(move, Query) or not all(isinstance(each[0], Answer) for each in seen):
                if encoded(seen[0]) != encoded(seen[1]):
                    differ = "What is seen differs"
                    mine.append(Part(text=differ, likely=Fraction(1), unlikely=Fraction(0)))
                    theirs.append(mine[-1])
                again = (0, 0)
                continue
            noted = recorder.noted[: len(sums[0])], recorder.noted[len(sums[0]) :]
            there, gone = (by_key(*pair) for pair in zip(noted, sums, strict=True))
            new = tuple(pointing_at(there, gone)), tuple(pointing_at(gone, there))
            mine += new[0]
            theirs += new[1]
            orders[0].extend(ordered_like(there, gone))
            orders[1].extend(ordered_like(gone, there))
            same = number == len(moves) and encoded(run.there) == encoded(before[2])
            same = same and encoded(run.worlds) == encoded(before[3])
            again = (len(new[0]), len(new[1])) if same else (0, 0)
    return Parts(
        mine=tuple(mine),
        theirs=tuple(theirs),
        orders=(tuple(orders[0]), tuple(orders[1])),
        again=again,
        seen=(tuple(x for x, _ in run.seen), tuple(y for _, y in run.seen)),
        sums=(run.mine.sums, run.theirs.sums),
        chances=(list(map(chances, run.mine.laws)), list(map(chances, run.theirs.laws))),
    )


def by_key(noted: Sequence[tuple[Key, int | None]], sums: Sequence[Noisy]) -> Sums:
    """Return the law and the threshold of every key; none may be there twice."""
    found = {key: (law, threshold) for (key, threshold), law in zip(noted, sums, strict=True)}
    if len(found) != len(noted):
        raise ListedTwice("a key is answered for twice")
    return found


def pointing_at(mine: Sums, theirs: Sums) -> Iterator[Part]:
    """Return the events about the sums of one query that point at the first world."""
    for key, (law, threshold) in mine.items():
        other = theirs.get(key)
        if other == (law, threshold):
            continue
        if other is None or (other[1] is not None and threshold is None):
            chance = released(law, threshold)
            yield Part(text=f"Key {key_text(key)} is released", likely=chance, unlikely=Fraction(0))
            continue
        yield from differing(key, law, other[0], threshold, other[1])


def ordered_like(mine: Sums, theirs: Sums) -> Iterator[Part]:
    """Return the likeliest event that keys are released in an order of the first world only.

    Each key is listed once, so that two keys which the other world lists the other way round are
    never released in this order there.
    """
    places = {key: place for place, key in enumerate(theirs)}
    listed = [key for key in mine if key in places]
    if listed == sorted(listed, key=places.__getitem__):
        return
    chances = {key: released(*mine[key]) for key in listed}
    turned = [pair for pair in combinations(listed, 2) if places[pair[0]] > places[pair[1]]]
    first, second = max(turned, key=lambda pair: chances[pair[0]] * chances[pair[1]])
    text = f"Keys {key_text(first)} and {key_text(second)} are released in this order"
    yield Part(text=text, likely=chances[first] * chances[second], unlikely=Fraction(0))


def released(law: Noisy, threshold: int | None) -> Fraction:
    """Return how likely it is at least that a noisy sum is released."""
    return at_least(law, None if threshold is None else threshold + 1)[0]


def differing(
    key: Key, law: Noisy, other: Noisy, threshold: int | None, others: int | None
) -> Iterator[Part]:
    """Return the events about one sum that is there in both worlds."""
    low = None if threshold is None else threshold + 1
    told = f"Key {key_text(key)} (true sums {law.centre} and {other.centre})"
    beyond = other.noise.support[1]
    if beyond is not None:
        start = other.centre + beyond + 1
        from_there = start if low is None else max(start, low)
        chance = at_least(law, from_there)[0]
        if chance > 0:
            text = f"{told} is at least {from_there}"
            yield Part(text=text, likely=chance, unlikely=Fraction(0))
    if law.centre >= other.centre or threshold is not None:
        start = law.centre if low is None else max(law.centre, low)
        shown = start if others is None else max(start, others + 1)
        text = f"{told} is at least {start}"
        yield Part(text=text, likely=at_least(law, start)[0], unlikely=at_least(other, shown)[1])
    else:
        text = f"{told} is at most {law.centre}"
        above = at_least(law, law.centre + 1)[1], at_least(other, law.centre + 1)[0]
        yield Part(text=text, likely=1 - above[0], unlikely=1 - above[1])


def at_least(law: Noisy, start: int | None) -> tuple[Fraction, Fraction]:
    """Bound the probability that a noisy sum is at least a number."""
    if start is None:
        return Fraction(1), Fraction(1)
    return bounds(tail_of(law.noise, start - 1 - law.centre))


def tail_of(noise: Noise, above: int) -> Fraction | arb:
    """Return the probability of noise above a number."""
    low, high = noise.support
    if high is not None and above >= high:
        return Fraction(0)
    if low is not None and above < low:
        return Fraction(1)
    return noise.tail(above)


def telling(
    parts: Sequence[Part], orders: Sequence[Part], power: Fraction, again: int
) -> Told | None:
    """Return the event that tells most, of those that parts can make, or orders by themselves."""
    found = [*impossible_ones(parts), *all_of_some(parts, power), *at_least_some(parts)]
    found += [told for order in orders for told in impossible_ones([order])]
    if again and not any(each.gain(power) > 0 for each in found if each.unlikely == 0):
        found += asked_again(parts[-again:], power)
    return max(found, key=lambda told: told.gain(power), default=None)


def impossible_ones(parts: Sequence[Part]) -> Iterator[Told]:
    """Let one of the parts happen that are impossible in the other world."""
    chosen = tuple(part for part in parts if part.unlikely == 0 and part.likely > 0)
    if not chosen:
        return
    likely = 1 - prod((1 - part.likely for part in chosen), start=Fraction(1))
    if len(chosen) == 1 or chosen[0].certain:
        yield Told(
            parts=chosen[:1], event=f"{chosen[0].text}:", likely=likely, unlikely=Fraction(0)
        )
        return
    event = f"{chosen[0].text}, or one of {len(chosen) - 1} more such events happens:"
    yield Told(parts=chosen, event=event, likely=rounded(likely), unlikely=Fraction(0))


def rounded(chance: Fraction) -> Fraction:
    """Round a probability down to a fraction that can be written."""
    return Fraction(chance.numerator * 2**PRECISION // chance.denominator, 2**PRECISION)


def all_of_some(parts: Sequence[Part], power: Fraction) -> Iterator[Told]:
    """Let those parts happen that tell most, as many as it takes."""
    mine = theirs = Fraction(1)
    likely = [part for part in parts if part.likely > part.unlikely and not part.certain]
    likely.sort(key=lambda part: part.unlikely / part.likely)
    best: Told | None = None
    for number, part in enumerate(likely[:64], 1):
        mine, theirs = mine * part.likely, theirs * part.unlikely
        if best is None or mine - power * theirs > best.gain(power):
            chosen = tuple(likely[:number])
            event = "; ".join(each.text for each in chosen) + ":"
            best = Told(parts=chosen, event=event, likely=mine, unlikely=theirs)
    if best is not None:
        yield best


def at_least_some(parts: Sequence[Part]) -> Iterator[Told]:
    """Let so many of equal parts happen, and all of the few others that tell most."""
    usual = [part for part in parts if 0 < part.unlikely < part.likely]
    alike = Counter((part.likely, part.unlikely) for part in usual)
    if not alike:
        return
    (likely, unlikely), count = alike.most_common(1)[0]
    if count < MANY:
        return
    equal = [part for part in usual if (part.likely, part.unlikely) == (likely, unlikely)]
    others = [part for part in usual if (part.likely, part.unlikely) != (likely, unlikely)]
    others.sort(key=lambda part: part.unlikely / part.likely)
    for chosen in {tuple(others[:number]) for number in (0, 1, 2, 3)}:
        mine = prod((part.likely for part in chosen), start=Fraction(1))
        theirs = prod((part.unlikely for part in chosen), start=Fraction(1))
        for least in thresholds(count, likely, unlikely):
            here, there = binomial(count, least, likely)[0], binomial(count, least, unlikely)[1]
            texts = [*(part.text for part in chosen), f"{equal[0].text}, and {least} of {count}"]
            yield Told(
                parts=(*chosen, *equal[:1]),
                event="; ".join(texts) + " such events happen:",
                likely=mine * here,
                unlikely=theirs * there,
            )


def thresholds(count: int, likely: Fraction, unlikely: Fraction) -> list[int]:
    """Return how many of equal parts may be asked for."""
    middle, step = int(count * (likely + unlikely) / 2), isqrt(count) // 2 + 1
    tried = {middle + number * step for number in range(-3, 9)}
    return sorted(least for least in tried if 0 < least <= count)


def binomial(count: int, least: int, chance: Fraction) -> tuple[Fraction, Fraction]:
    """Bound the probability that at least so many of equal independent events happen."""
    with ctx.workprec(PRECISION):
        one = enclose(chance)
        other = 1 - one
        term = one**count
        total = term
        for number in range(count, least, -1):
            term = term * number / (count - number + 1) * other / one
            total = total + term
        low, high = bounds(total)
    return max(low, Fraction(0)), min(high, Fraction(1))


def asked_again(parts: Sequence[Part], power: Fraction) -> Iterator[Told]:
    """Ask a query that changes nothing as often as it takes."""
    useful = [part for part in parts if part.likely > part.unlikely]
    best = max(useful, key=lambda part: part.likely - part.unlikely, default=None)
    if best is None:
        return
    half = (best.likely - best.unlikely) / 2
    with ctx.workprec(PRECISION):
        wanted = bounds((2 * (1 + enclose(power))).log())[1]
        times = int(wanted / (2 * half * half)) + 1
        if times < 2:
            return
        most = bounds((-2 * times * enclose(half * half)).exp())[1]
    middle = (best.likely + best.unlikely) / 2
    event = f"{best.text}, in more than {float_free(middle)} of the last {times} answers:"
    yield Told(parts=(best,), event=event, likely=1 - most, unlikely=most, times=times)


def float_free(share: Fraction) -> str:
    """Write a share as a percentage with a few digits."""
    digits = share.numerator * 10**8 // share.denominator
    return f"{digits // 10**6}.{digits % 10**6:06} percent"
