r"""Summary reports of PAA, client and service together, are private per device and time window.

Claim: What the ad-tech sees of PAA summary reports is $(\varepsilon_*, \delta_*)$-indistinguishable
    with and without a unit $x$, for every interactive adversary, where the store of $x$ is null.
Paper: Cor. 4.6.
Method: The chain of lemmas of attribution_summaries_are_private. They are about units, whatever a
    unit is, and about both clients. The program that an event runs is free: it is run once, and
    what it contributes is the same for both runs or deleted.
Assumes: What every lemma assumes; no side channels; rules are functions of their arguments.
"""

from __future__ import annotations

from proofs._chain import Chain
from proofs.attribution_summaries_are_private import BROKEN, DECIDED, WAYS
from proofs.attribution_summaries_are_private import CHAIN as SUMMARIES

CHAIN = Chain(
    claim="aggregation_summaries_are_private",
    ways=WAYS,
    decided=DECIDED,
    free=frozenset({"run_program"}),
    argument="chain of lemmas from M_SR's individual privacy to privacy",
    assumes=SUMMARIES.assumes,
    controls=BROKEN,
)

CHECK = CHAIN.check()
