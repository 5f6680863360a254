"""Measure how long it takes to refute each assumption of the proofs once a rule breaks it.

Each line is one broken rule, searched for the smallest attack in its universe: the proposal's own,
or the default one. Time is processor time, with the replay of the attack and the factor. The ratio
is that to the time in which the paper's rules are solved there in as many moves, in the same run.

    python -m benchmarks.broken_rules
"""

from __future__ import annotations

from time import process_time

from properties.solve import solve
from properties.universes import aggregation_universe, attribution_universe
from proposals import (
    charge_real_reports_only,
    count_repeated_reports,
    ledger_rounded_to_nearest,
    no_report_when_budget_is_used_up,
    null_report_with_some_probability,
    output_set_misses_outputs,
)
from spec import (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    PAPER,
    AtService,
    DiscreteLaplace,
    Key,
    Noise,
    Power,
    Relation,
    Report,
    Rules,
    Universe,
    replace,
)

SECONDS = 5


def noise_by_the_batch(at: AtService, batch: tuple[Report, ...], threshold: int | None) -> Noise:
    """Add half the noise if some report of the batch is null."""
    rate = at.query.epsilon / at.limits.contribution_budget
    halved = 2 if any(report.is_null for report in batch) else 1
    return DiscreteLaplace(Power(at.limits.base, -rate * halved), threshold)


def release_all(at: AtService, key: Key, noisy: int, threshold: int | None) -> bool:
    """Release every key that is present."""
    del at, key, noisy, threshold
    return True


ARA, PAA = attribution_universe(), aggregation_universe()
BROKEN: tuple[tuple[str, Rules, Relation, Universe], ...] = (
    ("C1 null reports are not charged", charge_real_reports_only.RULES, ATTRIBUTION_FIXED, ARA),
    (
        "C2 a repeated report counts twice",
        count_repeated_reports.RULES,
        ATTRIBUTION_FIXED,
        count_repeated_reports.UNIVERSE,
    ),
    (
        "C3 the ledger is rounded",
        ledger_rounded_to_nearest.RULES,
        ATTRIBUTION_FIXED,
        ledger_rounded_to_nearest.UNIVERSE,
    ),
    (
        "C4 noise depends on the batch",
        replace(PAPER, noise=noise_by_the_batch),
        ATTRIBUTION_FIXED,
        ARA,
    ),
    (
        "C5 outputs are missing",
        output_set_misses_outputs.RULES,
        ATTRIBUTION_FIXED,
        output_set_misses_outputs.UNIVERSE,
    ),
    ("C6 no report when denied", no_report_when_budget_is_used_up.RULES, NULL_STORE, PAA),
    ("C6 null reports at random", null_report_with_some_probability.RULES, ATTRIBUTION_FIXED, ARA),
    ("C7 absent keys show", replace(PAPER, releases=release_all), ATTRIBUTION_FIXED, ARA),
)


def main() -> None:
    """Refute each broken rule and print how long it took."""
    print(
        f"{'broken rule':<34}  {'moves':>5}  {'nodes':>6}  {'seconds':>7}  {'ratio':>6}  "
        "worst delta"
    )
    for name, rules, relation, universe in BROKEN:
        start = process_time()
        found = solve(rules, relation, universe, moves=5)
        taken = process_time() - start
        if not found.refuted:
            raise SystemExit(f"{name} is not refuted")
        start = process_time()
        solve(PAPER, relation, universe, moves=found.solved)
        ratio = taken / (process_time() - start)
        late = "" if taken < SECONDS else f"  (more than {SECONDS} s)"
        print(
            f"{name:<34}  {found.solved:>5}  {found.nodes:>6}  {taken:>7.2f}  {ratio:>6.2f}  "
            f"{found.worst}{late}",
            flush=True,
        )


if __name__ == "__main__":
    main()
