"""The paper's places, each with the objects of spec and the claims that come from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from docs.generator.names import PLACE, claim_label, label, place_label

TITLES = {
    "Sec 1": "Introduction",
    "Sec 1.1": "Related work",
    "Sec 2": "The measurement APIs",
    "Sec 2.1": "Summary reports: aggregation service, ARA client, PAA client",
    "Sec 2.2": "Event-level reports",
    "Sec 3": "Differential privacy",
    "Sec 3.1": "Interactive mechanisms",
    "Sec 4": "Analysis of summary reports",
    "Sec 4.1": "From individual privacy to privacy",
    "Sec 4.2": "ARA summary reports",
    "Sec 4.3": "PAA summary reports",
    "Sec 4.4": "Proof by privacy filters",
    "Sec 5": "Analysis of event-level reports",
    "Sec 6": "Conclusion",
    "Alg 1": "The aggregation service",
    "Alg 2": "The ARA client for summary reports",
    "Alg 3": "The PAA client",
    "Alg 4": "The ARA client for event-level reports",
    "Alg 5": "The transcript of mechanism and adversary",
    "Alg 6": "The mechanism of summary reports",
    "Alg 7": "The transcript with a randomized adversary",
    "Alg 8": "Interactive randomized response",
    "Alg 9": "The mechanism of event-level reports",
    "Remark 2.1": "The service is modelled as stronger than deployed",
    "Remark 2.2": "Metadata of reports",
    "Remark 2.3": "Last-touch attribution",
    "Def 3.1": "Indistinguishability",
    "Def 3.2": "Differential privacy",
    "Fact 3.3": "Discrete Laplace noise, plain and truncated",
    "Def 3.4": "Interactive mechanism",
    "Def 3.5": "Interactive adversary",
    "Def 3.6": "Privacy of interactive mechanisms",
    "Remark 3.7": "On databases that change",
    "Def 4.1": "Individual privacy and rollouts",
    "Thm 4.2": "Individual privacy implies privacy",
    "Thm 4.3": "Individual privacy of ARA summary reports",
    "Cor 4.4": "Privacy of ARA summary reports",
    "Thm 4.5": "Individual privacy of PAA summary reports",
    "Cor 4.6": "Privacy of PAA summary reports",
    "Fact 4.7": "Group privacy",
    "Def 4.8": "Gradual expiration",
    "Lem 4.9": "Filters",
    "Def 4.10": "Individual privacy at parameters",
    "Lem 4.11": "Individual filters",
    "Thm 5.1": "Privacy of event-level reports",
    "Fact 5.2": "Joint convexity",
    "Cor 5.3": "Randomized adversaries",
    "App A": "The truncated discrete Laplace mechanism",
    "App B": "Other notions of privacy",
    "Lem A.1": "The tail of truncated noise",
    "Def B.1": "Approximate concentrated privacy",
    "Lem B.2": "Its filter",
}
WORDS = {
    "Sec": "Section",
    "Alg": "Algorithm",
    "Def": "Definition",
    "Thm": "Theorem",
    "Lem": "Lemma",
    "Cor": "Corollary",
    "App": "Appendix",
    "Fn": "Footnote",
}


@dataclass
class Citations:
    """Collect who cites which place of the paper."""

    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, cites: str, name: str, said: str) -> None:
        """Note the places that an object of spec cites."""
        shown = name.removeprefix("spec.")
        self._add(cites, f"{{ref}}`{shown} <{label(name)}>`: {said}")

    def add_claim(self, cites: str, name: str, said: str) -> None:
        """Note the places that a claim is about."""
        self._add(cites, f"claim {{ref}}`{said} <{claim_label(name)}>`")

    def _add(self, cites: str, entry: str) -> None:
        for found in PLACE.finditer(cites):
            entries = self.places.setdefault(f"{found[1]} {found[2]}", [])
            if entry not in entries:
                entries.append(entry)


def order(place: str) -> tuple[int, list[tuple[int, str]]]:
    """Sort sections, then numbered items, each by number."""
    kind, number = place.split()
    rank = list(WORDS).index(kind) if kind in ("Sec", "Alg") else 2
    parts = [
        (int(part) if part.isdigit() else 99, "" if part.isdigit() else part)
        for part in number.split(".")
    ]
    return rank, parts


def pages(cited: Citations) -> dict[str, str]:
    """Return the page that leads from a place of the paper to everything that comes from it."""
    lines = [
        "# From the paper to the code",
        "",
        "Each place of the paper {cite}`ghazi2025` that the specification or a claim comes from,",
        "with links to them. Every function names its place, and these lists are made from that.",
        "",
    ]
    for place in sorted(set(TITLES) | set(cited.places), key=order):
        kind, number = place.split()
        entries = cited.places.get(place, [])
        if not entries:
            continue
        said = f": {TITLES[place]}" if place in TITLES else ""
        lines += [f"({place_label(kind, number)})=", f"## {WORDS.get(kind, kind)} {number}{said}"]
        lines += ["", *(f"- {entry}" for entry in entries), ""]
    return {"paper.md": "\n".join(lines)}
