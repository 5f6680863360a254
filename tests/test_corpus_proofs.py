"""What the proofs say of the corpus: what is sound is proved as its file says, what is not is not.

What a search attacks cannot be called proved, whatever a proof says. What none attacks rests on the
proofs alone: they must leave a guarantee open.
"""

from __future__ import annotations

import pytest

from proofs import CHECKS
from sandproof.about import Request
from sandproof.problems import NotFollowed
from sandproof.proposal import Proposal, load
from spec.claims import CLAIMS
from spec.verdicts import Check, Evidence, Kind
from tests.corpus import Entry, entries

GUARANTEES = [each for each in CHECKS if CLAIMS[each.claim].kind is Kind.GUARANTEE]
UNKNOWN = [each for each in entries() if each.status == "unknown"]
PROVED = [each for each in entries() if each.status == "proved"]


def about(proposal: Proposal) -> list[Check]:
    """Return the proofs of the guarantees that a proposal concerns."""
    return [x for x in GUARANTEES if proposal.about.changed & set(CLAIMS[x.claim].rules)]


@pytest.mark.parametrize("entry", UNKNOWN, ids=lambda entry: entry.name)
def test_a_guarantee_is_left_open(entry: Entry) -> None:
    try:
        proposal = load(Request(path=entry.path))
    except NotFollowed:
        return
    assert about(proposal)
    found = (check.run(proposal.rules) for check in about(proposal))
    assert any(each.evidence is not Evidence.PROOF for each in found)


@pytest.mark.parametrize("entry", PROVED, ids=lambda entry: entry.name)
def test_a_sound_change_is_proved(entry: Entry) -> None:
    proposal = load(Request(path=entry.path))
    assert about(proposal)
    for check in about(proposal):
        found = check.run(proposal.rules)
        assert found.evidence is Evidence.PROOF, found.detail


def test_an_order_by_drawn_responses_is_not_proved() -> None:
    (entry,) = (x for x in entries() if x.name == "unsound/fullest_event_source_is_credited")
    proposal = load(Request(path=entry.path))
    for check in about(proposal):
        found = check.run(proposal.rules)
        assert found.evidence is not Evidence.PROOF
        assert "event_attribute changed" in found.detail


def test_there_are_such_changes() -> None:
    assert len(UNKNOWN) >= 8
    assert len(PROVED) >= 40
