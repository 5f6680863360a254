"""The algorithms beside the paper's pseudocode: the steps of each, and the code that takes them.

The steps are told in our own words, in the order of the pseudocode. `lines` counts the lines of the
pseudocode that do something, as it is printed; headings and declarations are left out. On our side
code is counted without docstrings and blank lines, each function once.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

from docs.generator.names import label, place_label


@dataclass(frozen=True, slots=True)
class Step:
    """Hold a step of the pseudocode and the functions of spec that take it."""

    says: str
    taken_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Hold an algorithm of the paper: its number, its length and its steps."""

    number: int
    title: str
    lines: int
    steps: tuple[Step, ...]


SERVICE = "spec.aggregation_service"
CLIENT = "spec.attribution_client"
BOUNDS = "spec.contributions"
PAA = "spec.private_aggregation_client"
EVENT = "spec.event_client"
SUMMARY = "spec.summary_mechanism"
RESPONSE = "spec.randomized_response"
EVENTS = "spec.event_mechanism"

ALGORITHMS = (
    Algorithm(
        1,
        "The aggregation service",
        10,
        (
            Step(
                "Charge all reports of the batch, or abort and charge none.",
                (
                    f"{SERVICE}.serve",
                    f"{SERVICE}.distinct_reports",
                    f"{SERVICE}.settle",
                    f"{SERVICE}.one_entry_per_report",
                ),
            ),
            Step("A report cannot pay if ε or δ would pass its cap.", (f"{SERVICE}.charge",)),
            Step(
                "Take the listed keys, or with key discovery those in the batch, and τ.",
                (
                    f"{SERVICE}.keys",
                    f"{SERVICE}.threshold",
                ),
            ),
            Step(
                "For every key add noise to the sum of its values.",
                (
                    f"{SERVICE}.answer",
                    f"{SERVICE}.totals",
                    f"{SERVICE}.noise",
                ),
            ),
            Step(
                "Return the noisy sums, with key discovery those above τ.",
                (
                    f"{SERVICE}.releases",
                    f"{SERVICE}.reveal_outcome",
                ),
            ),
        ),
    ),
    Algorithm(
        2,
        "The ARA client for summary reports",
        13,
        (
            Step("Register a source, with nothing contributed.", (f"{CLIENT}.register_source",)),
            Step(
                "Run through the active sources, the newest first.",
                (
                    f"{CLIENT}.attribute",
                    f"{CLIENT}.newest_first",
                ),
            ),
            Step("Ask for the same destination and a common filter.", (f"{CLIENT}.matches",)),
            Step(
                "Join the keys; a value of zero contributes nothing.", (f"{CLIENT}.contributions",)
            ),
            Step(
                "Ask whether the budgets allow it, and count it.",
                (
                    f"{BOUNDS}.contribute",
                    f"{BOUNDS}.admit",
                ),
            ),
            Step("Send the report, or a null report.", (f"{BOUNDS}.send",)),
        ),
    ),
    Algorithm(
        3,
        "The PAA client",
        8,
        (
            Step("Run the program on the storage.", (f"{PAA}.propose", f"{PAA}.run_program")),
            Step("Budgets are those of the device in the time window.", (f"{PAA}.budget_unit",)),
            Step(
                "Ask whether the budgets allow it, and count it.",
                (
                    f"{BOUNDS}.contribute",
                    f"{BOUNDS}.admit",
                ),
            ),
            Step("Send the report, or a null report.", (f"{BOUNDS}.send",)),
        ),
    ),
    Algorithm(
        4,
        "The ARA client for event-level reports",
        17,
        (
            Step("Register a source, with empty accounts.", (f"{EVENT}.register_event_source",)),
            Step(
                "Run through the active sources, the newest first, and add the value.",
                (
                    f"{EVENT}.event_attribute",
                    f"{EVENT}.event_matches",
                    f"{EVENT}.specification_of",
                    f"{EVENT}.register_event_trigger",
                ),
            ),
            Step(
                "When a window passes, look at the buckets of its datum in order.",
                (
                    f"{EVENT}.pass_windows",
                    f"{EVENT}.pass_window",
                ),
            ),
            Step(
                "Report a bucket that is reached, as long as the source may.",
                (f"{EVENT}.report_truthfully",),
            ),
        ),
    ),
    Algorithm(
        6,
        "The mechanism of summary reports",
        17,
        (
            Step(
                "Bound what each unit contributes, record by record.",
                (
                    f"{SUMMARY}.SummaryMechanism.step",
                    f"{SUMMARY}.add_record",
                    f"{BOUNDS}.contribute",
                    f"{BOUNDS}.admit",
                ),
            ),
            Step(
                "Bound what each report is asked for; then sum with noise.",
                (
                    f"{SERVICE}.named_reports",
                    f"{SERVICE}.serve",
                    f"{SERVICE}.settle",
                    f"{SERVICE}.charge",
                    f"{SERVICE}.answer",
                    f"{SERVICE}.totals",
                    f"{SERVICE}.keys",
                    f"{SERVICE}.threshold",
                    f"{SERVICE}.noise",
                    f"{SERVICE}.releases",
                ),
            ),
        ),
    ),
    Algorithm(
        8,
        "Interactive randomized response",
        6,
        (
            Step(
                "At the first step draw the response: the truth, or an output.",
                (
                    f"{RESPONSE}.respond",
                    f"{RESPONSE}.truth_probability",
                    f"{RESPONSE}.RandomizedResponse.outcomes",
                ),
            ),
            Step(
                "Then answer by the truth or by the response.",
                (f"{RESPONSE}.InteractiveRandomizedResponse.step",),
            ),
        ),
    ),
    Algorithm(
        9,
        "The mechanism of event-level reports",
        3,
        (
            Step(
                "Let every source answer about its own records.",
                (
                    f"{EVENTS}.EventMechanism.step",
                    f"{EVENTS}.records_of",
                ),
            ),
        ),
    ),
)


def pages() -> dict[str, str]:
    """Return the page of the algorithms."""
    lines = [
        "# The algorithms beside the pseudocode",
        "",
        "What each algorithm of the paper {cite}`ghazi2025` does, step by step, with the code that",
        "takes the step. Lines of pseudocode are those that do something; code is counted without",
        "docstrings. The code also returns new states, names its arguments, lets every decision be",
        "replaced, and refuses bad input, which the pseudocode does not.",
        "",
        "| algorithm | lines of pseudocode | lines of code | functions |",
        "| --- | ---: | ---: | ---: |",
    ]
    for each in ALGORITHMS:
        names = taken_by(each)
        count = sum(len(code(name)) for name in names)
        link = f"[{each.number}: {each.title}](#algorithm-{each.number})"
        lines.append(f"| {link} | {each.lines} | {count} | {len(names)} |")
    lines.append("")
    for each in ALGORITHMS:
        place = place_label("Alg", str(each.number))
        lines += [
            f"(algorithm-{each.number})=",
            f"## {{ref}}`Algorithm {each.number} <{place}>`: {each.title}",
            "",
        ]
        shown: set[str] = set()
        for step in each.steps:
            links = ", ".join(
                f"{{ref}}`{short(name)} <{label(chapter(name))}>`" for name in step.taken_by
            )
            lines += [f"**{step.says}** {links}", ""]
            new = [name for name in step.taken_by if name not in shown]
            shown |= set(new)
            if new:
                lines += [
                    "```python",
                    "\n\n".join("\n".join(code(name)) for name in new),
                    "```",
                    "",
                ]
    return {"algorithms.md": "\n".join(lines)}


def taken_by(algorithm: Algorithm) -> list[str]:
    """Return the functions of an algorithm, each once."""
    return list(dict.fromkeys(name for step in algorithm.steps for name in step.taken_by))


def short(name: str) -> str:
    """Return a name without its module."""
    return name.split(".", 2)[2]


def chapter(name: str) -> str:
    """Return the name that has a section of its own: a function, or the class of a method."""
    return ".".join(name.split(".")[:3])


def code(name: str) -> list[str]:
    """Return the lines of a function, without its docstring and without blank lines."""
    package, module, *inside = name.split(".")
    found: object = import_module(f"{package}.{module}")
    for part in inside:
        found = getattr(found, part)
    assert callable(found)
    source = textwrap.dedent(inspect.getsource(found))
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    said = node.body[0]
    assert said.end_lineno is not None
    omitted = range(said.lineno, said.end_lineno + 1)
    return list(without(source.splitlines(), omitted))


def without(lines: Iterable[str], omitted: range) -> Iterable[str]:
    """Return the lines that are neither blank nor left out, counted from one."""
    return (line for n, line in enumerate(lines, 1) if line.strip() and n not in omitted)
