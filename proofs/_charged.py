r"""What a proposal may make of `charge`: the paper's charge, and more reasons to refuse.

A rule may ask the paper's `charge` about the entry that it is given, and return what that returns,
with something noted beside $\varepsilon$, $\delta$ and the number of queries, or None. Whether it
asks and what it notes must be public: it may look at the time, the query, the ledger, and at what
is written on a report outside, but not at what the report holds.

So the ledger holds the paper's numbers, and a query that the paper's service would refuse is
refused. An adversary who talks to the paper's service can refuse the others by itself.
"""

from __future__ import annotations

import dataclasses
from typing import cast

from proofs._followed import _known
from proofs._labels import NONE, Call, Change, Label, Public, is_public
from proofs._served import AT, REPORT, AtTheService
from spec import PAPER
from spec.aggregation_service import Spent

SPENT = Public("what an entry has been charged")
CHARGED_OR_NONE = Public("the entry after the paper's charge, or None")
CHARGED = Public("the entry after the paper's charge")
NOTED = Public("the entry after the paper's charge, with something noted")
NOTED_OR_NONE = Public("the entry after the paper's charge, with something noted, or None")
HOLDING = (CHARGED, NOTED)
NUMBERS: dict[str, Label] = {
    each.name: Public(f"the {each.name} after the paper's charge")
    for each in dataclasses.fields(Spent)
}


class AroundCharge(AtTheService):
    """Let a rule refuse more than the paper does, and note more, by what is public."""

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open the numbers that the paper has charged."""
        return NUMBERS.get(name) if label in HOLDING else super().attribute(label, name)

    def call(self, call: Call) -> Label | None:
        """Let the paper charge; copy an entry with something noted in it."""
        keywords, given = call.keywords, call.positional
        if call.target is PAPER.charge:
            return CHARGED_OR_NONE if given == (AT, SPENT, REPORT) and not keywords else None
        counted = {name: label for name, label in keywords.items() if name in NUMBERS}
        noted = all(map(is_public, keywords.values()))
        if call.target is dataclasses.replace and len(given) == 1 and given[0] in HOLDING:
            return NOTED if noted and not counted else None
        made = isinstance(call.target, type) and issubclass(call.target, Spent) and keywords
        if made and _known(cast(type, call.target)):
            return NOTED if noted and not given and counted == NUMBERS else None
        return super().call(call)

    def found_none(self, label: Label, none: bool) -> Change | None:
        """Note that the paper refuses, or charges."""
        known = NONE if none else CHARGED
        return (lambda each: known if each == label else each) if label == CHARGED_OR_NONE else None

    def joined(self, first: Label, second: Label) -> Label | None:
        """Forget on which way the paper charges."""
        both = {first, second}
        if both <= {NONE, CHARGED, CHARGED_OR_NONE}:
            return CHARGED_OR_NONE
        if both <= {*HOLDING}:
            return NOTED
        return NOTED_OR_NONE if both <= {*CHARGED_OR_REFUSED} else None


CHARGED_OR_REFUSED = (NONE, CHARGED_OR_NONE, *HOLDING, NOTED_OR_NONE)
"""What may become of an entry."""
