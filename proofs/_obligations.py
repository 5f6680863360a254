"""Whether every step of every proof is needed: each has a control for which it fails alone.

If a step is replaced by True, its proof must notice. It does if there is a control, a broken
subject, for which this step fails and every other step is proved: without the step the broken
subject would be called proved. So every control is run once, and what each step says is noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import proofs
from proofs._proof import Proof


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Hold which steps fail for a control, and which are neither proved nor known to fail."""

    failing: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()

    @property
    def alone(self) -> str | None:
        """Return the step that fails while all others are proved, if that is so."""
        return self.failing[0] if len(self.failing) == 1 and not self.left_open else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligations:
    """Hold the steps of a proof, and what fails for each of its controls."""

    proof: str
    steps: tuple[str, ...]
    failures: Mapping[str, Failure]

    def control_of(self, step: str) -> str | None:
        """Return a control for which the step fails alone."""
        return next((name for name, each in self.failures.items() if each.alone == step), None)

    @property
    def unnoticed(self) -> tuple[str, ...]:
        """Return the steps that could be replaced by True."""
        return tuple(step for step in self.steps if self.control_of(step) is None)

    @property
    def defects(self) -> tuple[str, ...]:
        """Say of each step without a control of its own, and of each blurred control, what is."""
        return (*self._steps_without_control(), *self._blurred_controls())

    def _steps_without_control(self) -> Iterator[str]:
        for step in self.unnoticed:
            shared = [name for name, each in self.failures.items() if step in each.failing]
            why = f"fails only with others for: {'; '.join(shared)}" if shared else "never fails"
            yield f"{self.proof}: nothing notices without the step: {step} ({why})"

    def _blurred_controls(self) -> Iterator[str]:
        for name, each in self.failures.items():
            if each.alone is None:
                said = [
                    *(f"fails: {step}" for step in each.failing or ("nothing",)),
                    *(f"left open: {step}" for step in each.left_open),
                ]
                yield f"{self.proof}: no step alone fails for: {name} ({'; '.join(said)})"


def proofs_by_name() -> dict[str, Proof[Any]]:
    """Return every proof of the package: those named in its modules, machinery included."""
    found: dict[str, Proof[Any]] = {}
    for module in sorted(each.name for each in walk_packages(proofs.__path__, "proofs.")):
        for name, value in vars(import_module(module)).items():
            if isinstance(value, Proof) and value not in found.values():
                found[value.claim if name == "PROOF" else f"{value.claim}, {name}"] = value
    return found


def controls_of(proof: Proof[Any]) -> dict[str, Any]:
    """Return all broken subjects of a proof."""
    return {**proof.controls, **proof.unproved_for}


def failure(proof: Proof[Any], control: str) -> Failure:
    """Run a proof on one of its controls."""
    result = proof.run_on(controls_of(proof)[control])
    named = list(zip((step.name for step in proof.steps), result.steps, strict=True))
    return Failure(
        failing=tuple(name for name, step in named if step.fails),
        left_open=tuple(n for n, step in named if step.verdict != "PROVED" and not step.fails),
    )


def obligations(name: str, proof: Proof[Any]) -> Obligations:
    """Run a proof on all its controls."""
    return Obligations(
        proof=name,
        steps=tuple(step.name for step in proof.steps),
        failures={control: failure(proof, control) for control in controls_of(proof)},
    )
