r"""The lemmas: what the proofs use, and what the text says that is false as written.

Each has its place in the paper, the rules it depends on, and what it does not cover. Statements of
the paper that are false as written stand here as what they are: that they are false.

Paper: Sec. 3; Sec. 4; Sec. 5; App. A; App. B.
"""

from __future__ import annotations

from functools import partial

from spec.neighbours import NEVER_REGISTERED
from spec.verdicts import Claim, Kind, Shape

NOISE = ("noise", "threshold", "releases", "totals", "keys", "answer", "limits")
SERVICE = (*NOISE, "batch", "budget_entries", "charge", "settle", "reveal", "serve")
CLIENTS = ("initial", "admit", "contribute", "send")
ATTRIBUTION = ("matches", "attempt_order", "contributions", "attribute", "register_source")
AGGREGATION = ("budget_unit", "run_program", "propose")
EVENT_CHOICES = ("event_matches", "event_attribute", "output_set", "truth_probability")
EVENT_STEPS = ("register_event_source", "register_event_trigger", "pass_windows", "event_visible")
EVENT_LEVEL = (*EVENT_CHOICES, *EVENT_STEPS, "initial", "limits")
"""The rules that the statements below depend on, by who decides them."""

OTHER_FILTERS = "Any other filter, such as those of advanced composition. Infinitely many queries."
lemma = partial(Claim, kind=Kind.LEMMA)

LEMMAS = (
    lemma(
        id="the_papers_examples_come_out",
        statement="The paper's examples, run without noise, come out as it tells them; without "
        "an ad or a device they come out as each neighbour relation says.",
        formula=r"|O| = 27",
        paper="Sec. 2.1; Sec. 2.2",
        subjects=("spec.system.step",),
    ),
    lemma(
        id="powers_are_compared_exactly",
        statement="For e and five fractions b, and exponents n/d from −4 to 4, what is decided of "
        "powers is true, also where both sides are equal; at its ends a range refuses what is out.",
        formula=r"b^{n/d} \le c \iff b^n \le c^d",
        paper="Fact 3.3",
        subjects=("spec.numbers.Power", "spec.numbers.floor_log"),
    ),
    lemma(
        id="discrete_laplace_is_normalised",
        statement="For every ratio 0 < q < 1 and every truncation point T ≥ 0, or none, the masses "
        "of discrete Laplace noise sum to one, and its tails have the closed forms that are used.",
        formula=r"\sum_x \Pr[X = x] = 1",
        paper="Sec. 2.1",
        subjects=("spec.noise.laplace_mass", "spec.noise.laplace_upper_tail"),
    ),
    lemma(
        id="truncated_tail_is_below_delta",
        statement="For noise of rate a > 0 truncated at ⌊τ⌋, an integer Δ ≥ 1 and 0 < δ ≤ 1: a "
        "real τ ≥ ln(1/δ)/a + Δ leaves at most δ above τ − Δ.",
        formula=r"\tau \ge \ln(1/\delta)/a + \Delta \Rightarrow \Pr[X > \tau - \Delta] \le \delta",
        paper="Lem. A.1",
        subjects=("spec.noise.laplace_upper_tail",),
    ),
    lemma(
        id="threshold_meets_the_tail_lemma",
        statement="For δ > 0 the noise of the rules, truncated at the floor of their threshold τ, "
        "exceeds ⌊τ⌋ − Λ1 with probability at most δ/Λ0; the paper has rate ε/Λ1 and τ = Λ1(1 + "
        "ln(Λ0/δ)/ε).",
        formula=r"\lfloor\tau\rfloor \ge \Lambda_1 + \lfloor "
        r"\ln(\Lambda_0/\delta)\Lambda_1/\varepsilon \rfloor",
        paper="Fact 3.3",
        subjects=("spec.aggregation_service.threshold", "spec.noise.threshold"),
        rules=("threshold", "noise", "releases", "limits"),
    ),
    lemma(
        id="discrete_laplace_is_private",
        statement="Untruncated noise of rate ε/Λ1, independent on every key, hides any change of "
        "L1 norm Δ ≤ Λ1 with (εΔ/Λ1, 0), in any dimension.",
        formula=r"\|u - v\|_1 = \Delta \Rightarrow u + \xi \approx_{\varepsilon\Delta/\Lambda_1, "
        r"0} v + \xi",
        paper="Fact 3.3",
        subjects=("spec.noise.laplace_mass",),
        rules=("noise",),
    ),
    lemma(
        id="truncated_laplace_is_private",
        statement="Noise of rate ε/Λ1 truncated at ⌊τ⌋, with τ = Λ1(1 + ln(Λ0/δ)/ε) and δ > 0, "
        "independent on every key, hides any change of L1 norm Δ ≤ Λ1 in s ≤ Λ0 coordinates with "
        "(εΔ/Λ1, δs/Λ0).",
        formula=r"u + \xi \approx_{\varepsilon\Delta/\Lambda_1, \delta s/\Lambda_0} v + \xi",
        paper="Fact 3.3",
        subjects=("spec.noise.laplace_mass", "spec.noise.laplace_upper_tail"),
        rules=("noise", "threshold", "releases"),
    ),
    lemma(
        id="truncated_noise_needs_no_sparsity_bound",
        statement="Let f(v) be the closed form of the probability that noise truncated at T shows "
        "a change by v. If f(Λ1) ≤ δ, a change of L1 norm V ≤ Λ1 on any number of keys is shown "
        "with probability at most δV/Λ1.",
        formula=r"\sum_i f(\Delta_i) \le f(\Delta) \wedge f(V) \le (V/\Lambda_1) f(\Lambda_1)",
        paper="none (E3)",
        subjects=("spec.noise.displaced_mass",),
    ),
    lemma(
        id="smallest_sound_truncation_is_tight",
        statement="The smallest truncation point T with q^(T+1) ≤ δ(1+q)/(e^ε − 1 + 2δ), where q = "
        "e^(−ε/Λ1), shows a change by Λ1 with probability at most δ; for δ < 1/2 the point T − 1 "
        "shows it more often.",
        formula=r"q^{T+1} \le \delta(1+q)/(e^\varepsilon - 1 + 2\delta)",
        paper="none (E3)",
        subjects=("spec.noise.smallest_sound_truncation",),
    ),
    lemma(
        id="contributions_stay_within_budget",
        statement="No unit ever contributes more than Λ1 in value or more than Λ0 times: a source "
        "of ARA, a device and window of PAA per ad-tech, a unit of M_SR.",
        formula=r"L_1(x) \le \Lambda_1 \wedge L_0(x) \le \Lambda_0",
        paper="Alg. 2; Alg. 3; Alg. 6",
        subjects=("spec.contributions.admit", "spec.contributions.contribute"),
        rules=("admit", "contribute", "initial", "limits"),
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="a_refused_query_charges_nothing",
        statement="A query that is refused leaves the ledger as it was.",
        formula=r"\mathrm{abort} \Rightarrow B' = B",
        paper="Alg. 1",
        subjects=("spec.aggregation_service.settle",),
        rules=("charge", "settle", "budget_entries"),
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="abort_does_not_depend_on_attribution",
        statement="Whether a batch is refused, and what it is charged, does not depend on what its "
        "reports contain.",
        formula=r"\mathrm{abort}(D) = \mathrm{abort}(D^{-x})",
        paper="Thm. 4.3",
        subjects=("spec.aggregation_service.charge", "spec.aggregation_service.settle"),
        rules=("charge", "settle", "budget_entries", "batch"),
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="summary_mechanism_is_individually_private",
        statement="Every unit of M_SR has an online rollout that sums to at most (ε*, δ*) on every "
        "sequence, for the neighbours of ARA and of PAA: with V the value and n the number of what "
        "the unit has in the batch of query t, ε_t V/Λ1, and δ_t n/Λ0 or, where the threshold is "
        "sound for it, δ_t V/Λ1.",
        formula=r"\sum_t \varepsilon_t V_t / \Lambda_1 \le \varepsilon_* \wedge \sum_t \delta_t "
        r"n_t / \Lambda_0 \le \delta_*",
        paper="Thm. 4.3; Thm. 4.5",
        subjects=("spec.summary_mechanism.SummaryMechanism",),
        rules=(*SERVICE, "initial", "admit", "contribute"),
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="individual_privacy_implies_privacy",
        statement="A mechanism with deterministic states, each unit of which has an online rollout "
        "(the parameters of a step are a function of the databases and queries up to it; they "
        "compare the histories with and without the unit) that sums to at most (ε*, δ*) on every "
        "sequence, is (ε*, δ*)-private against every interactive adversary.",
        formula=r"\theta_t = \theta(D_1, q_1, \dots, D_t, q_t),\ \sum_t \theta_t \le "
        r"(\varepsilon_*, \delta_*) \Rightarrow \mathrm{IT}(\mathcal{M} : \mathcal{A}) "
        r"\approx_{\varepsilon_*, \delta_*} \mathrm{IT}(\mathcal{M}^{-x} : \mathcal{A})",
        paper="Thm. 4.2",
        subjects=("spec.interaction.transcript", "spec.individual_privacy.along"),
        not_covered="Mechanisms with a random next state; unbounded transcripts need a limit.",
    ),
    lemma(
        id="idp_as_written_is_unsatisfiable",
        statement="As written, with every rollout within the caps, no mechanism that answers is "
        "individually private, for any caps.",
        formula=r"F_t(D_t) \approx_{\varepsilon_* + 1, 1} F_t(D_t^{-x})",
        paper="Def. 4.1",
        subjects=("spec.individual_privacy",),
    ),
    lemma(
        id="a_rollout_that_looks_ahead_is_not_enough",
        statement="As repaired by 'for every sequence there is a rollout within the caps', "
        "individual privacy does not imply privacy: with caps (3 ln 2, 1/4) an adaptive adversary "
        "reaches δ = 25/72. With δ* = 0 the repair is right.",
        formula=r"\delta(3 \ln 2) = 25/72 > 1/4",
        paper="Def. 4.1; Thm. 4.2",
        subjects=("spec.individual_privacy.individually_private",),
    ),
    lemma(
        id="rollouts_as_written_miss_the_state",
        statement="As written, with both laws from the state of the run on D, individual privacy "
        "does not imply privacy: a mechanism can store first and tell later, and has the rollout "
        "(0, 0).",
        formula=r"\mathcal{M}(S_{t-1}, D_t, q_t)\ \mathrm{vs}\ \mathcal{M}(S_{t-1}, D_t^{-x}, q_t)",
        paper="Thm. 4.2",
        subjects=("spec.individual_privacy",),
    ),
    lemma(
        id="an_empty_store_costs_a_factor_two",
        statement="If the programs of x run on an empty store and contribute, the sums change by "
        "2Λ1 at worst, on at most 2Λ0 keys, and the loss without key discovery is 2ε*.",
        formula=r"\max \|u - v\|_1 = 2\Lambda_1",
        paper="Thm. 4.5",
        subjects=("spec.neighbours.EMPTY_STORE",),
        not_covered="With key discovery: that δ is at most doubled is argued, not run.",
    ),
    lemma(
        id="a_contributing_dummy_costs_a_factor",
        statement="If records moved to the dummy source contribute within one budget Λ1 of its "
        "own, the sums change by 2Λ1, or by 3Λ1 if the dummy holds records already, and never by "
        "more; the loss without key discovery is 2ε* or 3ε*.",
        formula=r"\max \|u - v\|_1 \in \{2\Lambda_1, 3\Lambda_1\}",
        paper="Thm. 4.3",
        subjects=("spec.neighbours.MOVED_TO_DUMMY",),
        not_covered="A dummy without a cap: then no factor is enough.",
    ),
    lemma(
        id="truthful_outputs_may_leave_the_set_as_written",
        statement="As written, where each query only promises an answer that is possible at its "
        "own step, truthful answers may leave the output set {00, 11}: they show with the truth "
        "probability in one world and never in the other.",
        formula=r"O = \{00, 11\}",
        paper="Thm. 5.1",
        subjects=("spec.randomized_response",),
    ),
    lemma(
        id="filters_compose",
        statement="The universal mechanism with the filter on the sums of (ε_i, δ_i) is (ε, "
        "δ)-private against stable adversaries that ask finitely often, if each query satisfies "
        "the parameters it claims.",
        formula=r"\mathrm{IT}(\mathcal{M}_{\phi_{\varepsilon,\delta}} : \mathcal{A}) "
        r"\approx_{\varepsilon,\delta} \mathrm{IT}(\mathcal{M}^{-x}_{\phi_{\varepsilon,\delta}} : "
        r"\mathcal{A})",
        paper="Lem. 4.9",
        subjects=("spec.filters",),
        not_covered=OTHER_FILTERS,
    ),
    lemma(
        id="individual_filters_compose",
        statement="The universal mechanism with a filter on the sums for each unit is (ε, "
        "δ)-private against stable adversaries that ask finitely often, if each query satisfies "
        "the parameters it claims for each unit.",
        formula=r"\mathrm{IT}(\mathcal{M}^{\mathrm{ind}}_{\phi_{\varepsilon,\delta}} : "
        r"\mathcal{A}) \approx_{\varepsilon,\delta} "
        r"\mathrm{IT}(\mathcal{M}^{\mathrm{ind},-x}_{\phi_{\varepsilon,\delta}} : \mathcal{A})",
        paper="Lem. 4.11",
        subjects=("spec.filters",),
        not_covered=OTHER_FILTERS,
    ),
    lemma(
        id="joint_convexity",
        statement="Mixtures with the same weights of (ε, δ)-indistinguishable pairs are (ε, "
        "δ)-indistinguishable, so that an adversary that draws a deterministic one first gains "
        "nothing.",
        formula=r"\sum_i \alpha_i P_i \approx_{\varepsilon,\delta} \sum_i \alpha_i Q_i",
        paper="Fact 5.2; Cor. 5.3",
        subjects=("spec.distributions.mixture", "spec.interaction.randomized_transcript"),
    ),
    lemma(
        id="group_privacy",
        statement="If each of k steps between laws is (ε, δ)-indistinguishable with ε > 0, their "
        "ends are, with kε and δ(e^(kε) − 1)/(e^ε − 1). The noise of the service attains it as "
        "long as the changed sum stays within T + 1.",
        formula=r"\delta' = \delta (e^{k\varepsilon} - 1)/(e^\varepsilon - 1)",
        paper="Fact 4.7",
        subjects=("spec.distributions.group_privacy_delta",),
    ),
    lemma(
        id="gradual_expiration",
        statement="What is (ε, δ)-private per device and window, for every sequence of databases, "
        "is with gradual expiration: emptied after t1 and after t2 > t1 the transcripts are (ε(t2 "
        "− t1), δ')-close, with δ' by group privacy.",
        formula=r"\varepsilon' = \varepsilon(t_2 - t_1), \delta' = \delta (e^{\varepsilon'} - "
        r"1)/(e^{\varepsilon} - 1)",
        paper="Def. 4.8",
        subjects=("spec.distributions.group_privacy_delta",),
        not_covered="Several ad-techs; a store that is really cleared (the programs run once, on "
        "D).",
    ),
    lemma(
        id="randomized_response_is_private",
        statement="Interactive randomized response over a finite output set, truthful with "
        "probability (e^ε − 1)/(e^ε + |O| − 1), is ε-private if every prefix of a truthful "
        "sequence, with and without the unit, extends into the set.",
        formula=r"\mathcal{M} \approx_{\varepsilon, 0} \mathcal{M}^{-x}",
        paper="Thm. 5.1; Alg. 8; Alg. 9",
        subjects=("spec.randomized_response.truth_probability",),
        rules=("truth_probability",),
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="event_client_outputs_stay_in_the_output_set",
        statement="Every prefix of what the noiseless event-level client sends, in whatever order "
        "windows pass, extends to an output of the set, if buckets increase.",
        formula=r"o \in O",
        paper="Sec. 2.2",
        subjects=("spec.event_client.pass_windows", "spec.event_outputs.output_set"),
        rules=EVENT_LEVEL,
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="client_and_service_refine_the_mechanism",
        statement="Client and service together are M_SR: from the same credits the same budgets, "
        "reports, ledger and law of answers, if f is null for zero values and a credit of several "
        "contributions is as many records of one report.",
        formula=r"\mathrm{client} \circ \mathrm{service} = \mathcal{M}_{\mathrm{SR}}",
        paper="Sec. 4.2",
        subjects=("spec.system.step", "spec.summary_mechanism.SummaryMechanism"),
        rules=(*SERVICE, *CLIENTS, *ATTRIBUTION, *AGGREGATION),
        shapes=(Shape.RANDOM_RUNS,),
    ),
    lemma(
        id="concentrated_filters_compose",
        statement="Weaker than the paper's lemma: the filter on (ρ, δ) keeps both sums within the "
        "caps, for all ρ and δ; that sums within the caps give (ρ, δ)-AzCDP against stable "
        "adversaries is shown for δ = 0 only.",
        formula=r"\sum \rho_i \le \rho \wedge \sum \delta_i \le \delta",
        paper="Lem. B.2",
        subjects=("spec.filters",),
        not_covered="The lemma for δ > 0: there the filter theorem that the paper cites is not "
        "shown. Any other filter.",
    ),
    lemma(
        id="discrete_gaussian_is_concentrated",
        statement="Untruncated discrete Gaussian noise of parameter σ², on integers and "
        "independent on every key, hides a change of L2 norm Δ at every order α > 1 with ρ = "
        "Δ²/(2σ²).",
        formula=r"\rho = \Delta^2 / (2\sigma^2)",
        paper="App. B",
        subjects=("spec.noise.DiscreteGaussian", "spec.concentrated"),
    ),
    lemma(
        id="never_registered_costs_a_factor",
        statement="If x was never registered, triggers re-route to older sources. With k ≥ 1 of "
        "them the sums change by (2k + 1)Λ1 at worst, and some triggers reach it for every Λ1 ≥ 1 "
        "and Λ0 ≥ 1, whether triggers fall through to older sources or are dropped.",
        formula=r"\max \|u - v\|_1 = (2k + 1)\Lambda_1",
        paper="none (B2)",
        subjects=("spec.neighbours.NEVER_REGISTERED",),
        relation=NEVER_REGISTERED,
    ),
)
