"""State machines: one per component, and one for all of them together."""

from __future__ import annotations

from properties.machines._machine import Machine, Violated, invariants_of, machine_for
from properties.machines.checks import CONTROLS, MACHINES, machine_checks
from properties.machines.run import PROFILES, Profile, machine_finding, replayed, run_machine

__all__ = [
    "CONTROLS",
    "MACHINES",
    "PROFILES",
    "Machine",
    "Profile",
    "Violated",
    "invariants_of",
    "machine_checks",
    "machine_finding",
    "machine_for",
    "replayed",
    "run_machine",
]
