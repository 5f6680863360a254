"""Site names: from a text to the registrable domain that identifies a site.

A site is written as its host. Which domains can be registered is said by the public suffixes of
the limits; by default every last label is one, so that a site is the last two labels.

Paper: none (the draft Attribution Level 1).
"""

from __future__ import annotations

import re

from spec.level1.rules import Level1Limits, Level1Rules, reject

LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?")


def parse_site(limits: Level1Limits, text: str) -> str | None:
    """Return the registrable domain of a host, or None; a local host has none.

    Draft: Site Names.
    """
    labels = text.lower().removesuffix(".").split(".")
    if not all(LABEL.fullmatch(label) for label in labels) or labels[-1].isdigit():
        return None
    for start in range(len(labels)):
        suffix = ".".join(labels[start:])
        if suffix in limits.public_suffixes or start == len(labels) - 1:
            site = ".".join(labels[start - 1 :]) if start else None
            return None if site is None or labels[-1] == "localhost" else site
    return None


def checked_site(rules: Level1Rules, text: str) -> str:
    """Return the site that a text names, or reject the call.

    Draft: Site Names.
    """
    site = rules.parse_site(rules.limits, text)
    return reject("SyntaxError", f"{text!r} names no site") if site is None else site


def checked_sites(
    rules: Level1Rules, texts: tuple[str, ...], most: int, what: str
) -> frozenset[str]:
    """Return the sites that a list of texts names, or reject the call.

    Draft: Save Impression Algorithm; Measure Conversion Algorithm.
    """
    if len(texts) > most:
        reject("RangeError", f"{what} lists {len(texts)} sites, {most} are allowed")
    return frozenset(checked_site(rules, text) for text in texts)
