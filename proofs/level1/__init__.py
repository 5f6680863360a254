"""Proofs about Attribution Level 1, on the functions of `spec.level1` that run.

A file is a claim of `spec.level1.claims`. Its proof takes the rules that are judged as its subject.
Where a lemma is about the draft's own function, `OWN` names it: of other functions it says nothing.
"""
