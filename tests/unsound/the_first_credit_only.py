"""All matching sources are credited with a trigger, and the first of the credits is admitted.

A function that is made for the trigger counts the credits.

Truth: refuted: without the first source the second one contributes, so that a unit moves the sums
    of its own key and of another.
Status: refuted
"""

from spec import PAPER, Credit, replace


def attribute(at, draw):
    client, _ = PAPER.attribute(at, draw)
    matching = tuple(each for each in client.sources if at.rules.matches(at, each))
    return client, tuple(
        Credit(unit=each.source_id, contributions=at.rules.contributions(at, each))
        for each in matching
    )


def counter():
    seen = {}

    def count():
        seen[len(seen)] = True
        return len(seen)

    return count


def contribute(at, credits):
    count = counter()
    return PAPER.contribute(at, tuple(each for each in credits if count() == 1))


RULES = replace(PAPER, attribute=attribute, contribute=contribute)
