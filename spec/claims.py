r"""The paper's theorems as data.

A claim is one sentence about the specification: a *guarantee* (what users are promised), a
*lemma* (what a proof uses; `spec/lemmas.py`) or an *assumption* (what the paper's proof takes for
granted and a change can break). Checks in `proofs/` and `properties/` decide claims and carry their
names.

Paper: Sec. 3; Sec. 4; Sec. 5; App. A; App. B.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from spec.lemmas import AGGREGATION, ATTRIBUTION, CLIENTS, EVENT_LEVEL, LEMMAS, SERVICE
from spec.neighbours import ATTRIBUTION_FIXED, NULL_STORE
from spec.verdicts import Claim, Kind, Shape

guarantee = partial(Claim, kind=Kind.GUARANTEE)
assumption = partial(Claim, kind=Kind.ASSUMPTION, shapes=(Shape.RANDOM_RUNS,))

GUARANTEES = (
    guarantee(
        id="attribution_summaries_are_private",
        statement="Summary reports of ARA, client and service together, are (ε*, δ*)-private per "
        "source, against every interactive adversary: in the other world attribution is as it was "
        "and what the source contributed is null.",
        formula=r"\mathrm{IT}(\mathcal{M} : \mathcal{A}) \approx_{\varepsilon_*, \delta_*} "
        r"\mathrm{IT}(\mathcal{M}^{-x} : \mathcal{A})",
        paper="Cor. 4.4",
        subjects=("spec.system.step", "spec.neighbours.ATTRIBUTION_FIXED"),
        rules=(*SERVICE, *CLIENTS, *ATTRIBUTION),
        relation=ATTRIBUTION_FIXED,
        not_covered="Side channels outside the model: traffic, timing within a step, the TEE. That "
        "a source exists: see never_registered_costs_a_factor.",
        shapes=(Shape.SMALL_UNIVERSE, Shape.SCRIPTS),
    ),
    guarantee(
        id="aggregation_summaries_are_private",
        statement="Summary reports of PAA, client and service together, are (ε*, δ*)-private per "
        "device, time window and ad-tech, against every interactive adversary: in the other world "
        "the programs of the unit contribute nothing.",
        formula=r"\mathrm{IT}(\mathcal{M} : \mathcal{A}) \approx_{\varepsilon_*, \delta_*} "
        r"\mathrm{IT}(\mathcal{M}^{-x} : \mathcal{A})",
        paper="Cor. 4.6",
        subjects=("spec.system.step", "spec.neighbours.NULL_STORE"),
        rules=(*SERVICE, *CLIENTS, *AGGREGATION),
        relation=NULL_STORE,
        not_covered="A whole device: see gradual_expiration. Several ad-techs that pool what they "
        "see: each has budgets of its own. What an event stores and a later window reports belongs "
        "to the later window.",
        shapes=(Shape.SMALL_UNIVERSE, Shape.SCRIPTS),
    ),
    guarantee(
        id="event_level_reports_are_private",
        statement="Event-level reports of ARA are (ε, 0)-private per source, against every "
        "interactive adversary, with ε that of event-level reports: in the other world no trigger "
        "is credited to the source.",
        formula=r"\mathrm{IT}(\mathcal{M}_{\mathrm{ER}} : \mathcal{A}) \approx_{\varepsilon, 0} "
        r"\mathrm{IT}(\mathcal{M}_{\mathrm{ER}}^{-x} : \mathcal{A})",
        paper="Thm. 5.1",
        subjects=("spec.event_client.pass_windows", "spec.event_mechanism"),
        rules=EVENT_LEVEL,
        relation=ATTRIBUTION_FIXED,
        not_covered="Configurations that depend on private data: the output set is public. Several "
        "sources of one user: each has an ε of its own.",
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
    guarantee(
        id="the_ledger_never_passes_the_caps",
        statement="For every report, the ε of the answers that are drawn from it sum to at most "
        "ε*, and their δ to at most δ*, if queries are settled one after the other.",
        formula=r"\sum_{t : r \in S_t} \varepsilon_t \le \varepsilon_* \wedge \sum_{t : r \in S_t} "
        r"\delta_t \le \delta_*",
        paper="Alg. 1",
        subjects=("spec.aggregation_service.charge", "spec.aggregation_service.settle"),
        rules=("batch", "charge", "settle", "budget_entries", "serve", "initial", "limits"),
        not_covered="An answer that is shown again costs nothing. How the ledger writes numbers. "
        "What an answer tells of a unit is decided separately. Queries for different keys are not "
        "told apart.",
        shapes=(Shape.RANDOM_RUNS,),
    ),
    guarantee(
        id="summary_and_event_reports_compose",
        statement="Summary and event-level reports of one source together are (ε* + ε, "
        "δ*)-private, with ε that of event-level reports, if each kind is private by itself and "
        "the clients share no state.",
        formula=r"\mathcal{M} \approx_{\varepsilon_* + \varepsilon, \delta_*} \mathcal{M}^{-x}",
        paper="none (E1)",
        subjects=("spec.system.step",),
        rules=(*SERVICE, *CLIENTS, *ATTRIBUTION, *EVENT_LEVEL),
        relation=ATTRIBUTION_FIXED,
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
)
ASSUMPTIONS = (
    assumption(
        id="null_reports_are_charged",
        statement="A null report in a batch is charged like any other.",
        formula=r"B(r) = B(r') \Rightarrow B'(r) = B'(r')\ \mathrm{for\ all}\ r, r' \in Y",
        paper="Thm. 4.3",
        subjects=("spec.aggregation_service.charge",),
        rules=("charge", "settle", "budget_entries"),
    ),
    assumption(
        id="a_batch_is_a_set",
        statement="A report counts once in a batch.",
        formula=r"Y \subseteq \mathcal{Y}",
        paper="Alg. 6",
        subjects=("spec.aggregation_service.distinct_reports", "spec.aggregation_service.totals"),
        rules=("batch", "totals"),
    ),
    assumption(
        id="noise_is_chosen_in_public",
        statement="Noise and threshold depend on the limits, on ε and δ of the query and on the "
        "size of the batch only, not on its reports.",
        formula=r"\tau = \tau(\varepsilon, \delta, \Lambda_1, \Lambda_0, |Y|)",
        paper="Alg. 1",
        subjects=("spec.aggregation_service.noise", "spec.aggregation_service.threshold"),
        rules=("noise", "threshold", "initial", "limits"),
    ),
    assumption(
        id="a_report_is_sent_for_every_trigger",
        statement="A report's presence, time and what it shows depend on public data only.",
        formula=r"\mathrm{presence}(D) = \mathrm{presence}(D^{-x})",
        paper="Alg. 2; Alg. 3; Remark 2.2",
        subjects=("spec.contributions.send",),
        rules=("limits", "send"),
    ),
    assumption(
        id="absent_keys_are_never_released",
        statement="With key discovery, for every query with 0 < δ ≤ 1, no outcome of the noise "
        "around zero passes the release test. The caps do not enter: where δ* = 0 such queries are "
        "refused, and the same is asked of the rules.",
        formula=r"\delta > 0 \wedge z \le \lfloor\tau\rfloor \Rightarrow \neg (z > \tau)",
        paper="Alg. 1",
        subjects=("spec.aggregation_service.releases", "spec.aggregation_service.noise"),
        rules=("noise", "threshold", "releases", "limits"),
    ),
)
CLAIMS: Mapping[str, Claim] = {claim.id: claim for claim in (*GUARANTEES, *LEMMAS, *ASSUMPTIONS)}
