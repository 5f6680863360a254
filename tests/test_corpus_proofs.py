"""Unsound changes of the corpus that no search attacks are not proved either.

What a search attacks cannot be called proved, whatever a proof says. What none attacks rests on the
proofs alone: they must leave a guarantee open.
"""

from __future__ import annotations

import pytest

from proofs import CHECKS
from sandproof.about import Request
from sandproof.problems import NotFollowed
from sandproof.proposal import load
from spec.claims import CLAIMS
from spec.verdicts import Evidence, Kind
from tests.corpus import Entry, entries

GUARANTEES = [each for each in CHECKS if CLAIMS[each.claim].kind is Kind.GUARANTEE]
UNKNOWN = [each for each in entries() if each.status == "unknown"]


@pytest.mark.parametrize("entry", UNKNOWN, ids=lambda entry: entry.name)
def test_a_guarantee_is_left_open(entry: Entry) -> None:
    try:
        proposal = load(Request(path=entry.path))
    except NotFollowed:
        return
    about = [x for x in GUARANTEES if proposal.about.changed & set(CLAIMS[x.claim].rules)]
    assert about
    found = (check.run(proposal.rules) for check in about)
    assert any(each.evidence is not Evidence.PROOF for each in found)


def test_there_are_such_changes() -> None:
    assert len(UNKNOWN) >= 8
