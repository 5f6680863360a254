"""The service's answers in a game: each computed once, and all that lead to one state as one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import cast

from flint import fmpq

from properties.game.counting import Steps
from properties.game.masses import ONE, ZERO, fraction, quotient
from properties.game.responses import Answers, Packer, bare
from properties.game.window import Window, noisy_outcomes
from properties.lump import Inexact, OutOfWindow, apart, check_apart, sealed
from properties.observation import Codes, Seen
from spec.aggregation_service import Answer, Outcome, Service
from spec.distributions import Distribution, Draw, Law, Random, explore
from spec.lemmas import SERVICE
from spec.noise import Noise, Noisy
from spec.paper import PAPER
from spec.reports import Key, Report
from spec.rules import AtService, Rules


def with_answers_remembered(rules: Rules, window: Window, budget: Steps) -> Rules:
    """Return the rules with the service's step computed once per moment, state, query and batch.

    The service then answers with `Answers`, so that a step runs once for each of its next states.
    """
    if rules.serve is not PAPER.serve:
        return replace(rules, serve=remembered_serve(rules, window, budget, Packer(budget)))
    inner = replace(rules, answer=remembered_answer(rules, window, budget))
    if rules.reveal is not PAPER.reveal:
        inner = replace(inner, reveal=remembered_reveal(rules, window, budget))
    return replace(inner, serve=remembered_serve(inner, window, budget))


Serve = Callable[[AtService, tuple[Report, ...], Draw], tuple[Service, Hashable]]


def remembered_serve(
    rules: Rules, window: Window, budget: Steps, pack: Packer | None = None
) -> Serve:
    """Return the rule `serve`, computed once; responses are packed unless they are already.

    It is run anew for a neighbour relation that gives the service other rules.
    """
    laws: dict[Hashable, Random[tuple[Seen, Hashable]]] = {}
    usual: list[Rules] = []
    codes = Codes()

    def serve(at: AtService, reports: tuple[Report, ...], draw: Draw) -> tuple[Service, Hashable]:
        if not usual:
            usual.append(at.rules)
        if at.rules is not usual[0] and not same_service(at.rules, usual[0]):
            return rules.serve(at, reports, draw)
        key = at.now, codes(at.service), codes(at.query), tuple(map(codes, reports))
        law = laws.get(key)
        if law is None:

            def run(inner: Draw) -> tuple[Seen, Hashable]:
                budget.take()
                if pack is None:
                    served, shown = rules.serve(at, reports, inner)
                else:
                    with sealed():
                        served, shown = rules.serve(at, reports, inner)
                return Seen(served), shown if isinstance(shown, Answers) else Seen(shown)

            found = explore(run, window.outcomes)
            for served, shown in found.support() if window.watched else ():
                if isinstance(shown, Seen):
                    check_apart(shown.value, () if pack is None else served.value)
            if pack is not None:
                found = with_responses_packed(found, pack)
            outcomes = found.support()
            law = laws[key] = found if len(outcomes) > 1 else outcomes[0]
        served, shown = draw(law)
        return cast(Service, served.value), shown

    return serve


def same_service(rules: Rules, others: Rules) -> bool:
    """Tell whether two rules differ in the clients' rules alone."""
    return all(getattr(rules, name) is getattr(others, name) for name in SERVICE)


def seen_at(at: AtService, codes: Codes) -> Hashable:
    """Return all that a rule of the service can see but for the clients' rules."""
    rules = tuple(getattr(at.rules, name) for name in SERVICE)
    return at.now, codes(at.service), codes(at.query), rules


def with_responses_packed(
    law: Distribution[tuple[Seen, Hashable]], pack: Packer
) -> Distribution[tuple[Seen, Hashable]]:
    """Return the law with one packed response for each next state."""
    after: dict[Seen, dict[Hashable, fmpq]] = {}
    for (served, shown), weight in law.items():
        after.setdefault(served, {})[shown] = quotient(weight)
    return Distribution.of(
        {(served, pack(w)): fraction(sum(w.values(), ZERO)) for served, w in after.items()}
    )


def remembered_answer(
    rules: Rules, window: Window, budget: Steps
) -> Callable[[AtService, tuple[Report, ...], Draw], Answer]:
    """Return the rule `answer` without a draw: one object stands for all that may be answered.

    The paper's answer depends on the threshold, the noise and the sums alone.
    """
    known: dict[Hashable, Answers] = {}
    codes = Codes()
    pack = Packer(budget)
    noises: dict[Hashable, Noise] = {}

    def paper_answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
        del draw
        threshold, sums = noisy_sums(at, batch)
        if window.tolerance is None:
            for _, noisy in sums:
                check_public(noises.setdefault((at.now, at.query), noisy.noise), noisy.noise)
        seen = None if at.rules.releases is PAPER.releases else seen_at(at, codes)
        found = known.get((seen, threshold, sums))
        if found is None:
            shown = [(key, released(window, law, at, key, threshold)) for key, law in sums]
            budget.check_room(prod([len(law.weights) for _, law in shown]))
            found = known[seen, threshold, sums] = pack(joint_answer(shown))
        return cast(Answer, found)

    def any_answer(at: AtService, batch: tuple[Report, ...], draw: Draw) -> Answer:
        del draw
        key = seen_at(at, codes), tuple(map(codes, batch))
        found = known.get(key)
        if found is None:

            def run(inner: Draw) -> Seen:
                budget.take()
                with sealed():
                    answer = rules.answer(at, batch, inner)
                return Seen(answer)

            law = explore(run, window.outcomes)
            if window.watched and rules.reveal is PAPER.reveal:
                for shown in law.support():
                    check_apart(shown.value)
            found = known[key] = pack({shown: quotient(p) for shown, p in law.items()})
        return cast(Answer, found)

    return paper_answer if rules.answer is PAPER.answer else any_answer


def remembered_reveal(
    rules: Rules, window: Window, budget: Steps
) -> Callable[[AtService, tuple[Report, ...], Outcome], Random[Hashable]]:
    """Return the rule `reveal` for packed answers: it is asked for each that they stand for."""
    known: dict[Hashable, Answers] = {}
    codes = Codes()
    pack = Packer(budget)

    def reveal(at: AtService, batch: tuple[Report, ...], outcome: Outcome) -> Random[Hashable]:
        if not isinstance(outcome, Answers):
            return rules.reveal(at, batch, outcome)
        key = (seen_at(at, codes), tuple(map(codes, batch)), outcome)
        if key not in known:
            weights: dict[Hashable, fmpq] = {}
            for answer, share in outcome.shares:
                with sealed():
                    shown = rules.reveal(at, batch, cast(Answer, bare(answer)))
                law = window.outcomes(shown) if isinstance(shown, Law) else ((shown, Fraction(1)),)
                for each, p in law:
                    if window.watched:
                        check_apart(each)
                    shown_as = Seen(each)
                    weights[shown_as] = weights.get(shown_as, ZERO) + share * quotient(p)
            known[key] = pack(weights)
        return known[key]

    return reveal


def noisy_sums(
    at: AtService, batch: tuple[Report, ...]
) -> tuple[int | None, tuple[tuple[Key, Noisy], ...]]:
    """Return the threshold and the law of every key's noisy sum, as the paper's answer does."""
    threshold = at.rules.threshold(at, batch)
    noise = at.rules.noise(at, batch, threshold)
    totals = at.rules.totals(at, batch)
    sums = ((key, noise.around(totals.get(key, 0))) for key in at.rules.keys(at, batch))
    return threshold, tuple(sums)


def joint_answer(laws: list[tuple[Key, Distribution[int | None]]]) -> dict[Hashable, fmpq]:
    """Return the law of the answer from the laws of what is released for each key."""
    parts = [[(key, noisy, quotient(mass)) for noisy, mass in law.items()] for key, law in laws]
    weights: dict[Hashable, fmpq] = {}
    for chosen in product(*parts):
        drawn = [(key, apart(noisy)) for key, noisy, _ in chosen if noisy is not None]
        shown = Seen(Answer(released=tuple(drawn)))
        mass = prod((mass for _, _, mass in chosen), start=ONE)
        weights[shown] = weights.get(shown, ZERO) + mass
    return weights


def check_public(noise: Noise, other: Noise) -> None:
    """Refuse to cut infinite noise that differs between two answers to the same query."""
    if noise != other and None in (*noise.support, *other.support):
        raise Inexact(f"the noise depends on the reports: {noise!r} and {other!r}")


def released(
    window: Window, law: Noisy, at: AtService, key: Key, threshold: int | None
) -> Distribution[int | None]:
    """Return the law of a noisy sum that is released, with None for all that are not."""
    endless = None in law.noise.support
    if threshold is not None and endless and not window.lowest <= threshold < window.highest:
        lowest, highest = min(window.lowest, threshold), max(window.highest, threshold + 1)
        raise OutOfWindow(f"a threshold of {threshold}", lowest, highest)
    weights: dict[int | None, Fraction] = {}
    for noisy, mass in noisy_outcomes(window, law):
        with sealed():
            shown = noisy if at.rules.releases(at, key, noisy, threshold) else None
        weights[shown] = weights.get(shown, Fraction(0)) + mass
    return Distribution.of(weights)
