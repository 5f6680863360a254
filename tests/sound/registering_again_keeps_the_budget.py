"""A source that is registered again takes the place of the earlier one and keeps what it has spent.

Truth: proved: the unit is the source with its identifier, and it has one budget for good.
Status: not refuted
"""

from spec import PAPER, Budget, replace


def register_source(at, source):
    others = tuple(each for each in at.client.sources if each.source_id != source.source_id)
    spent = at.client.budgets.get(source.source_id, Budget())
    return replace(
        at.client,
        sources=(replace(source, registered_at=at.now), *others),
        budgets=at.client.budgets.set(source.source_id, spent),
    )


RULES = replace(PAPER, register_source=register_source)
