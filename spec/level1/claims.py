"""What Attribution Level 1 promises, and what its proofs rest on, as data.

A guarantee names its unit, its epsilon, who is watching, and every hypothesis. Statements of the
draft that are false as written are claims too: that they are false.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

from collections.abc import Mapping

from spec.verdicts import Claim, Kind, Shape

DEVICE_RULES = (
    "parse_site",
    "check_activation",
    "validate_impression",
    "save",
    "epoch_start",
    "first_epoch",
    "validate_conversion",
    "matches",
    "single_epoch",
    "charge",
    "deduct",
    "allocate",
    "fill",
    "attribute",
    "stated_budget",
    "clear_site",
    "clear_history",
    "last_clearing",
)
ALL_RULES = ("limits", *DEVICE_RULES, "accept", "noise")

GLOBAL = "level1_device_epochs_are_private"
ONE_VIEW = "level1_one_site_learns_little_of_an_epoch"
ONE_SITE = "level1_what_one_site_asks_is_private"
ONE_IMPRESSION = "level1_an_impression_is_private_at_twice_the_epsilon"
SEVERAL_EPOCHS = "level1_several_epochs_cost_as_many_times"
DRAFT = "none (Attribution Level 1)"
HYPOTHESES = "if the clock is never set back and every epsilon is a whole number of grains."
SIDE_CHANNELS = "Side channels outside the model: timing, locks, storage. A malicious browser."


ATTRIBUTION = (
    *("attribute", "matches", "deduct", "fill", "allocate", "single_epoch", "first_epoch"),
    "charge",
)


def _claims(*claims: Claim) -> Mapping[str, Claim]:
    return {claim.id: claim for claim in claims}


LEVEL1_CLAIMS = _claims(
    Claim(
        id=GLOBAL,
        kind=Kind.GUARANTEE,
        statement="The impressions of a device and an epoch are ε_global-private against all sites "
        f"together, adaptively, {HYPOTHESES}",
        formula=r"\mathrm{IT}(\mathcal{M} : \mathcal{A}) \approx_{\varepsilon_{global}, 0} "
        r"\mathrm{IT}(\mathcal{M}^{-(d, e)} : \mathcal{A})",
        paper=DRAFT,
        subjects=("spec.level1.system.step", "spec.level1.neighbours.Level1OtherWorld"),
        rules=ALL_RULES,
        not_covered=SIDE_CHANNELS,
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
    Claim(
        id=ONE_VIEW,
        kind=Kind.GUARANTEE,
        statement="The impressions of a device and an epoch are ε_site-private against one site "
        "that sees nothing but its own reports and sums, if no other site acts on answers of its "
        f"own; shared limits may run short; {HYPOTHESES}",
        formula=r"\mathrm{IT}_s(\mathcal{M} : \mathcal{A}) \approx_{\varepsilon_{site}, 0} "
        r"\mathrm{IT}_s(\mathcal{M}^{-(d, e)} : \mathcal{A})",
        paper=DRAFT,
        subjects=("spec.level1.system.step", "spec.level1.neighbours.Level1OtherWorld"),
        rules=ALL_RULES,
        not_covered=f"Sites that act on each other's answers. {SIDE_CHANNELS}",
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
    Claim(
        id=ONE_SITE,
        kind=Kind.GUARANTEE,
        statement="What a device's impressions of an epoch are to one conversion site is "
        "ε_site-private against all sites together, adaptively, if shared limits never run short; "
        f"{HYPOTHESES}",
        formula=r"\mathrm{IT}(\mathcal{M} : \mathcal{A}) \approx_{\varepsilon_{site}, 0} "
        r"\mathrm{IT}(\mathcal{M}^{-(d, e, s)} : \mathcal{A})",
        paper=DRAFT,
        subjects=("spec.level1.system.step", "spec.level1.neighbours.Level1OtherWorld"),
        rules=ALL_RULES,
        not_covered=f"Shared limits that run short. {SIDE_CHANNELS}",
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
    Claim(
        id=ONE_IMPRESSION,
        kind=Kind.GUARANTEE,
        statement="A single impression is 2ε_site-private against one site that sees nothing but "
        "its own reports and sums, if no other site acts on answers of its own; shared limits may "
        f"run short; {HYPOTHESES}",
        formula=r"\mathrm{IT}_s(\mathcal{M} : \mathcal{A}) \approx_{2 \varepsilon_{site}, 0} "
        r"\mathrm{IT}_s(\mathcal{M}^{-i} : \mathcal{A})",
        paper=DRAFT,
        subjects=("spec.level1.system.step", "spec.level1.neighbours.Level1OtherWorld"),
        rules=ALL_RULES,
        not_covered=f"The same with ε_site, which is false. {SIDE_CHANNELS}",
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
    Claim(
        id=SEVERAL_EPOCHS,
        kind=Kind.GUARANTEE,
        statement="The impressions of a device and k epochs are kε_global-private against all "
        f"sites together, adaptively, by taking away epoch after epoch, {HYPOTHESES}",
        formula=r"\mathrm{IT}(\mathcal{M} : \mathcal{A}) \approx_{k \varepsilon_{global}, 0} "
        r"\mathrm{IT}(\mathcal{M}^{-(d, e, \dots, e + k - 1)} : \mathcal{A})",
        paper=DRAFT,
        subjects=("spec.level1.system.step", "spec.level1.neighbours.Level1OtherWorld"),
        rules=ALL_RULES,
        not_covered=SIDE_CHANNELS,
        shapes=(Shape.SMALL_UNIVERSE,),
    ),
    Claim(
        id="level1_budgets_are_never_overdrawn",
        kind=Kind.LEMMA,
        statement="What an epoch pays for, summed over all reports, is at most the site's budget, "
        "the global budget and each quota, whatever is cleared in between, if the clock is never "
        "set back.",
        formula=r"\sum_r c_r \le \varepsilon_{site}, \varepsilon_{global}, \varepsilon_{quota}",
        paper=DRAFT,
        subjects=("spec.level1.budgets.deduct", "spec.level1.device.clear_history"),
        rules=("deduct", "clear_history", "last_clearing", "first_epoch"),
    ),
    Claim(
        id="level1_charges_cover_the_noise",
        kind=Kind.LEMMA,
        statement="For every job that a report may take part in, a change of its histogram by at "
        "most twice the value, or by at most its norm within a single epoch, costs no more than "
        "the report was charged, if the epsilon asked for is a whole number of grains.",
        formula=r"c\, r \le \lceil 2 v / s \cdot 10^6 \rceil / 10^6",
        paper=DRAFT,
        subjects=("spec.level1.budgets.charge", "spec.level1.aggregation.noise"),
        rules=("charge", "stated_budget", "accept", "noise"),
    ),
    Claim(
        id="level1_histograms_change_by_at_most_the_charge",
        kind=Kind.LEMMA,
        statement="If an epoch does not pay for a report, its impressions make no difference to "
        "it. If it does, the histogram changes by at most twice the value. What other epochs pay "
        "is the same with and without it.",
        formula=r"\|h - h^{-e}\|_1 \le 2 v",
        paper=DRAFT,
        subjects=("spec.level1.measurement.attribute_with_one_draw", "spec.level1.credit.fill"),
        rules=ATTRIBUTION,
    ),
    Claim(
        id="level1_a_single_epoch_changes_by_its_norm",
        kind=Kind.LEMMA,
        statement="If the lookback of a conversion stays within the current epoch, its histogram "
        "changes by at most its norm without that epoch, which is what the site is charged for.",
        formula=r"\|h - h^{-e}\|_1 \le \|h\|_1",
        paper=DRAFT,
        subjects=("spec.level1.measurement.attribute_with_one_draw", "spec.level1.epochs"),
        rules=ATTRIBUTION,
    ),
    Claim(
        id="level1_other_sites_report_the_same",
        kind=Kind.LEMMA,
        statement="Whether an epoch pays for a report of a site, which of its impressions the site "
        "selects, and what the site has left of it do not depend on what another site asked of the "
        "epoch, as long as each shared limit has as much left as the report costs.",
        formula=r"h_t = h_t^{-(d, e, s)} \text{ for all sites } t \ne s",
        paper=DRAFT,
        subjects=("spec.level1.budgets.deduct", "spec.level1.impressions.matches"),
        rules=(
            *("deduct", "matches", "clear_history", "last_clearing", "charge"),
            *("single_epoch", "first_epoch"),
        ),
    ),
    Claim(
        id="level1_reports_are_accepted_once",
        kind=Kind.LEMMA,
        statement="The budgets of the jobs that a report takes part in sum to at most what it "
        "states; in the draft it takes part once.",
        formula=r"\sum_j b_j \le b(r)",
        paper=DRAFT,
        subjects=("spec.level1.aggregation.accept",),
        rules=("accept",),
    ),
    Claim(
        id="level1_what_is_seen_is_public",
        kind=Kind.LEMMA,
        statement="Whether a call is rejected, and what is shown of its report, depend on the call "
        "and on the page's activation alone; what the store holds does not depend on budgets, and "
        "what clearing leaves of an epoch's budgets depends on these alone.",
        formula=r"\mathrm{seen}(D) = \mathrm{seen}(D^{-e})",
        paper=DRAFT,
        subjects=("spec.level1.system.step",),
        rules=(
            *("check_activation", "validate_impression", "stated_budget", "save", "clear_site"),
            *("clear_history", "last_clearing", "first_epoch", "parse_site", "validate_conversion"),
        ),
    ),
)
GUARANTEES = tuple(each for each in LEVEL1_CLAIMS.values() if each.kind is Kind.GUARANTEE)
