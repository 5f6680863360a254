"""The second family: W3C Attribution Level 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import ModuleType

import spec.distributions
import spec.level1.aggregation
import spec.level1.budgets
import spec.level1.device
import spec.level1.impressions
import spec.level1.measurement
import spec.level1.rules
import spec.noise
from proofs.level1._guarantees import lemmas_of, level1_proofs, refuted_lemmas
from properties.level1.checks import ToldAttack, level1_searches
from properties.level1.machine import level1_machines
from properties.level1.scripts import level1_scripts
from sandproof.families import Family
from sandproof.jobs import Options
from sandproof.level1_scenario import AttackWithScenario
from sandproof.plan import in_order
from sandproof.problems import BadInput
from sandproof.promise import Promise
from sandproof.proposal import Proposal
from spec.level1 import LEVEL_1_2026_05, LEVEL_1_ONE_DRAW, Level1Limits, Level1Rules
from spec.level1.claims import (
    GLOBAL,
    LEVEL1_CLAIMS,
    ONE_IMPRESSION,
    ONE_SITE,
    ONE_VIEW,
    SEVERAL_EPOCHS,
)
from spec.neighbours import Relation
from spec.verdicts import Check, Finding

PROOFS = level1_proofs()
"""The proofs, collected before proposals are run: collecting them imports their files."""


def checks(proposal: Proposal, options: Options) -> tuple[Check, ...]:
    """Return every check in order; an attack comes with the scenario that shows it."""
    searches = (
        replace(each, run=partial(with_scenario, each.run))
        for each in (
            *level1_searches(options.effort),
            *level1_scripts(options.effort, proposal.words),
        )
    )
    machines = level1_machines(options.effort, options.seed)
    return in_order((*searches, *machines, *PROOFS), options.effort)


def with_scenario(run: Callable[[Level1Rules], Finding], rules: Level1Rules) -> Finding:
    """Run a check, and let an attack that it finds be told as a scenario as well."""
    found = run(rules)
    if not isinstance(found.attack, ToldAttack):
        return found
    return replace(found, attack=AttackWithScenario(told=found.attack))


def promises(rules: Level1Rules, _: Mapping[str, Relation]) -> Mapping[str, Promise]:
    """Return what each guarantee promises under given rules."""
    limits: Level1Limits = rules.limits
    site, shared = limits.site_budget, limits.global_budget
    promised = {
        GLOBAL: (shared, "device and epoch, against all sites"),
        ONE_VIEW: (site, "device and epoch, against one site"),
        ONE_SITE: (site, "device, epoch and conversion site, against all sites"),
        ONE_IMPRESSION: (2 * site, "impression, against one site"),
        SEVERAL_EPOCHS: (shared, "device and each of several epochs, against all sites"),
    }
    return {
        claim: Promise(
            epsilon=Fraction(grains, limits.grains),
            delta=Fraction(0),
            base=limits.base,
            unit=unit,
            window=limits.epoch,
            windows="epochs",
        )
        for claim, (grains, unit) in promised.items()
    }


def read(name: str, module: ModuleType, _: Level1Rules) -> tuple[None, tuple[()]]:
    """Refuse universes and neighbours of a proposal's own: its guarantees fix them."""
    for unread in ("NEIGHBOURS", "UNIVERSE", "UNIVERSES"):
        if hasattr(module, unread):
            raise BadInput(f"{name}: {unread} is not read for rules of Attribution Level 1")
    return None, ()


FAMILY = Family(
    name="w3c",
    rules_name="spec.level1.Level1Rules",
    versions={"LEVEL_1_2026_05": LEVEL_1_2026_05, "LEVEL_1_ONE_DRAW": LEVEL_1_ONE_DRAW},
    claims=LEVEL1_CLAIMS,
    checks=checks,
    promises=promises,
    lemmas_of=lemmas_of,
    refuted_lemmas=refuted_lemmas,
    types=(
        spec.distributions,
        spec.level1.aggregation,
        spec.level1.budgets,
        spec.level1.device,
        spec.level1.impressions,
        spec.level1.measurement,
        spec.level1.rules,
        spec.noise,
    ),
    unreached="the universes of Level 1 are fixed, and only a proof decides what they leave out",
    read=read,
)
