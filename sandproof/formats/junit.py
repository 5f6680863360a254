"""A result as JUnit XML, for continuous integration.

Only the claims that decide the verdict fail: the guarantees, and for the paper's own rules all
claims. Another one that falls is told in the output of its test case. What was searched and not
proved is skipped: it is neither a failure nor a pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from sandproof.claim_result import ClaimResult
from sandproof.result import Result
from sandproof.why import opening
from spec.verdicts import Verdict

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(results: Sequence[Result]) -> str:
    """Return results as JUnit XML."""
    root = ElementTree.Element("testsuites", name="sandproof")
    for result in results:
        root.append(suite(result))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode", xml_declaration=False)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + text


def suite(result: Result) -> ElementTree.Element:
    """Return one result as a suite of test cases."""
    cases = [case(row, row in result.deciding) for row in result.claims]
    if result.bad_input:
        failed = ElementTree.Element("testcase", classname="sandproof", name="load", time="0")
        ElementTree.SubElement(failed, "error", message=clean(result.bad_input))
        cases.append(failed)
    counts = {
        tag: str(sum(each.find(tag) is not None for each in cases))
        for tag in ("failure", "error", "skipped")
    }
    element = ElementTree.Element(
        "testsuite",
        name=clean(result.about.name),
        tests=str(len(cases)),
        failures=counts["failure"],
        errors=counts["error"],
        skipped=counts["skipped"],
        time=f"{result.seconds:.3f}",
    )
    properties = ElementTree.SubElement(element, "properties")
    for name, value in (
        ("verdict", result.verdict.value),
        ("effort", result.effort),
        ("seed", str(result.seed)),
        ("why", opening(result)),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=clean(value))
    element.extend(cases)
    notes = [*result.misbehaved, *result.exhausted, *result.notes, result.headline]
    ElementTree.SubElement(element, "system-out").text = clean("\n".join(notes))
    return element


def case(row: ClaimResult, decides: bool) -> ElementTree.Element:
    """Return a claim as a test case, which may fail if the claim decides the verdict."""
    element = ElementTree.Element(
        "testcase",
        classname=f"sandproof.{row.claim.kind.value}",
        name=row.claim.id,
        time=f"{row.seconds:.3f}",
    )
    if row.verdict is Verdict.UNAFFECTED:
        ElementTree.SubElement(element, "skipped", message=clean(f"unaffected: {row.why}"))
    elif decides and row.verdict is Verdict.REFUTED:
        failure = ElementTree.SubElement(element, "failure", message=clean(row.reason))
        run = "\n".join(row.told_counterexample)
        failure.text = clean(row.attack.story if row.attack else run)
    elif decides and row.verdict is Verdict.UNKNOWN:
        ElementTree.SubElement(element, "error", message=clean(f"unknown: {row.reason}"))
    elif decides and row.verdict is Verdict.SEARCHED:
        ElementTree.SubElement(element, "skipped", message=clean(f"searched: {row.reason}"))
    promise = f"promise: {row.told_promise}" if row.told_promise else ""
    assumes = f"assumes: {row.assumes}" if promise and row.assumes else ""
    told = "\n".join(filter(None, (f"{row.verdict.value}: {row.reason}", promise, assumes)))
    ElementTree.SubElement(element, "system-out").text = clean(told)
    return element


def clean(text: str) -> str:
    """Return text without the characters that XML forbids."""
    return NOT_XML.sub("?", text)
