"""Names and links: labels of the objects of spec, of claims, of places in the paper.

A link is made only to what exists: the objects that claims name are imported, and proof files and
checks are looked up. `faults` lists what is missing, and the build refuses to go on.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from proofs import CHECKS
from properties.checks import property_checks
from spec.claims import CLAIMS

ROOT = Path(__file__).resolve().parent.parent.parent

NO_PROOF: frozenset[str] = frozenset({"summary_and_event_reports_compose"})
"""The claims that are decided by properties alone."""

AWAITED: frozenset[str] = frozenset(
    {
        "gradual_expiration",
        "randomized_response_is_private",
        "concentrated_filters_compose",
        "discrete_gaussian_is_concentrated",
    }
)
"""The claims that are not decided yet."""

PLACE = re.compile(r"(Sec|Alg|Def|Thm|Lem|Fact|Cor|Remark|App|Fn)\.? ([\w.]*\w)")
NOTE = re.compile(r"\b([AB]\d+)\b")


class BrokenLink(Exception):
    """Report everything that the site would have to link to and that is not there."""


def label(name: str) -> str:
    """Return the label of an object of spec; the case of names is kept apart."""
    return "spec-" + "-".join(
        part + ("-class" if part[:1].isupper() and not part.isupper() else "")
        for part in name.removeprefix("spec.").split(".")
    ).lower().replace("_", "-")


def claim_label(name: str) -> str:
    """Return the label of a claim."""
    return "claim-" + name.replace("_", "-")


def place_label(kind: str, number: str) -> str:
    """Return the label of a place in the paper."""
    return f"place-{kind}-{number}".lower().replace(".", "-")


def title(name: str) -> str:
    """Return the sentence that a name of a claim or a proposal is."""
    return name.replace("_", " ").capitalize()


def linked(text: str) -> str:
    """Link the places of the paper in a citation, and the entries on differences."""
    text = PLACE.sub(lambda found: f"{{ref}}`{found[0]} <{place_label(found[1], found[2])}>`", text)
    return NOTE.sub(lambda found: f"[{found[1]}](/differences/{found[1].lower()}.md)", text)


def found(name: str) -> bool:
    """Tell whether a dotted name of spec exists."""
    try:
        import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        try:
            return bool(module) and hasattr(import_module(module), attribute)
        except ModuleNotFoundError:
            return False
    return True


def faults(root: Path = ROOT) -> list[str]:
    """List claims about nothing, claims without proof, and checks of no claim."""
    listed = [
        f"claim {claim.id}: its subject {subject} does not exist"
        for claim in CLAIMS.values()
        for subject in claim.subjects
        if not found(subject)
    ]
    files = {path.stem for path in (root / "proofs").glob("*.py") if path.stem[0] != "_"}
    properties = {check.claim for check in property_checks("quick")}
    listed += [
        f"proofs/{name}.py: there is no claim {name}" for name in sorted(files - set(CLAIMS))
    ]
    listed += [
        f"check {check.name!r} is of {check.claim}, which is no claim"
        for check in (*CHECKS, *property_checks("quick"))
        if check.claim not in CLAIMS
    ]
    for name in CLAIMS.keys() - AWAITED:
        if name not in files and name not in NO_PROOF:
            listed.append(f"claim {name}: there is no proofs/{name}.py")
        if name not in files and name in NO_PROOF and name not in properties:
            listed.append(f"claim {name}: no property checks it, and there is no proof")
    return listed
