"""Names and links: labels of the objects of spec, of claims, of places in the paper.

A link is made only to what exists: the objects that claims name are imported, and proof files and
checks are looked up. `faults` lists what is missing, and the build refuses to go on.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from spec.claims import CLAIMS
from spec.verdicts import Check

ROOT = Path(__file__).resolve().parent.parent.parent

PLACE = re.compile(r"(Sec|Alg|Def|Thm|Lem|Fact|Cor|Remark|App|Fn)\.? ([\w.]*\w)")
NOTE = re.compile(r"\b([AB]\d+)\b")


def label(name: str) -> str:
    """Return the label of an object of spec; classes and constants are kept apart from modules."""
    return "spec-" + "-".join(
        part + ("-value" if part.isupper() else "-class" if part[:1].isupper() else "")
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
    """List claims about nothing, claims without proof, proofs and checks of no claim.

    Checks are imported only if every claim has its proof, since proofs import each other.
    """
    files = {path.stem for path in (root / "proofs").glob("*.py") if path.stem[0] != "_"}
    listed = [
        f"claim {claim.id}: its subject {subject} does not exist"
        for claim in CLAIMS.values()
        for subject in claim.subjects
        if not found(subject)
    ]
    listed += [
        f"claim {name}: there is no proofs/{name}.py" for name in CLAIMS if name not in files
    ]
    listed += [
        f"proofs/{name}.py: there is no claim {name}" for name in sorted(files - set(CLAIMS))
    ]
    return listed or [
        f"check {check.name!r} is of {check.claim}, which is no claim"
        for check in checks()
        if check.claim not in CLAIMS
    ]


def checks() -> tuple[Check, ...]:
    """Return every check, of proofs and of properties."""
    from proofs import CHECKS
    from properties.checks import property_checks

    return (*CHECKS, *property_checks("quick"))
