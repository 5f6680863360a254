r"""What a proposal may put around the rules of the service that answer.

Labels for what these rules see, and for each rule a policy: what it may do with that, and how it
may ask the paper's rule that it stands around. `proofs/_core.py` says why no more is told.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace

from proofs._followed import ATOMS
from proofs._instructions import Code
from proofs._labels import (
    DRAW,
    NONE,
    PUBLIC,
    Call,
    Change,
    Label,
    NotFollowed,
    Pack,
    Policy,
    Public,
    Several,
    is_public,
)
from spec import PAPER
from spec.aggregation_service import Query, Spent
from spec.reports import Report
from spec.rules import Limits


@dataclass(frozen=True, slots=True)
class At(Label):
    """Label what a rule of the service sees; `asked` says that its query is that of the ad-tech."""

    service: Label
    asked: bool


REPORT = Label("a report")
NAMED = Several("the reports of the query", REPORT)
BATCH = Several("the batch", REPORT)
ANSWERED = Several("a batch that was answered already", REPORT)
CURRENT = Label("the service")
PAST = Label("the service before an answer")
RULES = Label("the rules")
QUERY = Public("a query, whose parameters were checked")
LEDGER = Public("the ledger")
LEDGER_LOOK_UP = Public("the look-up of an entry of the ledger")
NOTHING = Public("nothing spent")
HELD = Public("what the ledger holds under an entry")
AT = At("what the rule sees", CURRENT, asked=True)
OWN_BATCH = Several("the batch of the query", REPORT)
LEDGER_NEXT = Public("the ledger after the query")
ACCEPTED = Label("the reports that are answered, or None")
USED_UP = Label("the reports that were answered, or None")
SETTLED = Pack("settled", (LEDGER_NEXT, ACCEPTED))


@dataclass(frozen=True, slots=True)
class RuleOf(Label):
    """Label a rule that is taken from the rules."""

    name: str


def is_written_outside(name: str) -> bool:
    """Tell whether an attribute of a report is public: its identifier, or what `send` wrote on it.

    Whatever a rule writes on a report beside its contents is public, or else the rule is not taken
    off, and reports must be the paper's.
    """
    return name == "report_id" or not hasattr(Report, name)


class AtTheService(Policy):
    """Say what a rule of the service may do with what it sees."""

    changes_nothing = False

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is public of a report, of the service and of what a rule sees."""
        if label == REPORT:
            return PUBLIC if is_written_outside(name) else None
        if label in (CURRENT, PAST):
            return LEDGER if name == "ledger" and label == CURRENT else PUBLIC
        if label == LEDGER and name == "get":
            return LEDGER_LOOK_UP
        if label == RULES:
            return PUBLIC if name == "limits" else RuleOf(f"the rule {name}", name)
        if isinstance(label, At):
            return {"service": label.service, "rules": RULES, "query": QUERY}.get(name, PUBLIC)
        return None

    def call(self, call: Call) -> Label | None:
        """Allow copies with other public parts; of rules, ask for the threshold and the charge.

        Neither depends on what reports hold, or else other parts of the proof fail. They show it
        for what these rules are given in the paper, and so nothing else may be given here: no
        argument more, and to a charge what the ledger holds or nothing spent.
        """
        if call.target is Spent and not call.positional and not call.keywords:
            return NOTHING
        if call.target == LEDGER_LOOK_UP and not call.keywords:
            return self._looked_up(call.positional)
        if call.target is isinstance and call.positional[:1] in ((REPORT,), (CURRENT,), (PAST,)):
            return PUBLIC
        if call.target is dataclasses.replace and call.positional:
            return self._copied(call.positional[0], call)
        if call.target is Query and not call.positional:
            return QUERY if all(map(is_public, call.keywords.values())) else None
        if isinstance(call.target, RuleOf) and not call.keywords:
            at, *of = call.positional or (NONE,)
            if call.target.name == "threshold" and isinstance(at, At) and len(of) == 1:
                return PUBLIC if isinstance(of[0], Several) else None
            if call.target.name == "charge" and isinstance(at, At) and at.asked and len(of) == 2:
                return PUBLIC if self.is_held(of[0]) and of[1] == REPORT else None
        return None

    def is_held(self, label: Label) -> bool:
        """Tell whether a value is what the ledger holds under an entry, if it holds anything."""
        return label in (HELD, NOTHING)

    def _looked_up(self, given: tuple[Label, ...]) -> Label | None:
        if not all(map(is_public, given)):
            return None
        return HELD if len(given) == 2 and given[1] == NOTHING else PUBLIC

    def _copied(self, label: Label, call: Call) -> Label | None:
        parts = call.keywords
        if label == QUERY and call.positional[1:] == ():
            return QUERY if all(map(is_public, parts.values())) else None
        if label in (CURRENT, PAST) and "ledger" not in parts:
            return label if all(map(is_public, parts.values())) else None
        if isinstance(label, At) and set(parts) <= {"query", "service"}:
            service = parts.get("service", label.service)
            if service in (CURRENT, PAST) and parts.get("query", QUERY) == QUERY:
                return At(label.what, service, asked=False)
        return None


class AroundAnswer(AtTheService):
    """Let a rule ask the paper's `answer`, once."""

    def inner(self, call: Call) -> Label | None:
        """Answer with what is released."""
        asked = call.target is PAPER.answer and not call.keywords
        return PUBLIC if asked and call.positional == (AT, BATCH, DRAW) else None

    def after_inner(self, label: Label) -> Label:
        """Note that the batch was answered."""
        return ANSWERED if label == BATCH else label


class AroundServe(AtTheService):
    """Let a rule ask the paper's `serve`, each time with the state that the last answer left.

    It may also do what the paper's does by itself: make a batch, settle it, keep the new ledger,
    answer what was accepted, once, for the same query, and reveal that.
    """

    def __init__(self) -> None:
        self.answers = False

    def call(self, call: Call) -> Label | None:
        """Make a batch and reveal an outcome as the rules say; draw what they decide."""
        given = call.positional
        if call.target == DRAW and given in ((OWN_BATCH,), (SETTLED,)) and not call.keywords:
            return given[0]
        if isinstance(call.target, RuleOf) and not call.keywords and _is_asked(given):
            if call.target.name == "batch" and given[1:] == (NAMED,):
                return OWN_BATCH
            if call.target.name == "reveal" and given[1:2] == (OWN_BATCH,) and len(given) == 3:
                return PUBLIC if is_public(given[2]) else None
        return super().call(call)

    def _copied(self, label: Label, call: Call) -> Label | None:
        """Put the new ledger into the service before it; the query stays that of the ad-tech."""
        parts = dict(call.keywords)
        if label == PAST and parts.pop("ledger", None) == LEDGER_NEXT:
            return CURRENT if all(map(is_public, parts.values())) else None
        if isinstance(label, At) and set(parts) == {"service"}:
            service = parts["service"]
            return replace(label, service=service) if service in (CURRENT, PAST) else None
        return super()._copied(label, call)

    def may_be_none(self, label: Label) -> bool:
        """Let a rule look whether a batch was accepted."""
        return label in (ACCEPTED, USED_UP) or super().may_be_none(label)

    def joined(self, first: Label, second: Label) -> Label | None:
        """Let nothing be answered that may have been answered."""
        return USED_UP if {first, second} == {ACCEPTED, USED_UP} else None

    def inner(self, call: Call) -> Label | None:
        """Answer with the next state, and with what is shown."""
        if isinstance(call.target, RuleOf) and not call.keywords and _is_asked(call.positional):
            self.answers = call.target.name == "answer"
            if self.answers and call.positional[1:] == (ACCEPTED, DRAW):
                return PUBLIC
            settles = call.target.name == "settle" and call.positional[1:] == (OWN_BATCH,)
            return SETTLED if settles else None
        if call.target is not PAPER.serve or call.keywords or len(call.positional) != 3:
            return None
        self.answers = False
        at, reports, draw = call.positional
        current = isinstance(at, At) and at.service == CURRENT and draw == DRAW
        if not (current and isinstance(reports, Several) and reports.member == REPORT):
            return None
        return Pack("the service and what it shows", (CURRENT, PUBLIC))

    def after_inner(self, label: Label) -> Label:
        """Note that there is a later state, or that a batch was answered."""
        if label == ACCEPTED:
            return USED_UP
        if self.answers:
            return label
        if isinstance(label, At):
            return replace(label, service=PAST)
        return {CURRENT: PAST, LEDGER_NEXT: PUBLIC}.get(label, label)


def _is_asked(given: tuple[Label, ...]) -> bool:
    """Tell whether a rule is asked about the ad-tech's query, in the present state."""
    return bool(given) and given[0] == AT


class AroundBatch(AtTheService):
    """Let a rule ask the paper's `batch` to make a set of some of the reports."""

    def inner(self, call: Call) -> Label | None:
        """Answer with the batch."""
        if call.target is not PAPER.batch or call.keywords or len(call.positional) != 2:
            return None
        at, reports = call.positional
        some = isinstance(reports, Several) and reports.member == REPORT
        return BATCH if isinstance(at, At) and some else None


FILED = Label("the report")
FILING = Label("what the rule sees of a report")
KIND = Public("which kind of report it is")
PARAMETERS = Public("the limits")
WHOLE = Public("a whole number")
CHANGING = Public("something that is another one at another time")
WHOLE_STAYS_WHOLE = frozenset({"+", "-", "*", "//", "%", ">>", "&", "|", "^"})
"""What makes of two whole numbers a whole number, if it makes anything."""

_LISTED = """
    RESUME CACHE NOP EXTENDED_ARG PRECALL PUSH_NULL POP_TOP LOAD_FAST STORE_FAST LOAD_CONST
    LOAD_GLOBAL LOAD_ATTR BUILD_TUPLE CALL POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE
    JUMP_FORWARD RETURN_VALUE BINARY_OP
"""
PLAIN = frozenset(_LISTED.split())
"""What the code of `budget_entries` may do."""


class AroundFiling(Policy):
    """Let a rule take what is written on a report, and what is the same in every query, as it is.

    Entries must compare as equal from one query to the next. What is computed may not: an iterator
    or a bound method equals itself only, and what is no number does not even that. So nothing is
    computed but whole numbers from the identifier, and no branch depends on anything but the kind
    of report. What is computed from the time, too, is marked: it may be an entry beside others.
    """

    def attribute(self, label: Label, name: str) -> Label | None:
        """Open what is written on the report, and the limits."""
        if label == FILED and is_written_outside(name):
            return WHOLE if name == "report_id" else PUBLIC
        if label == FILING and name == "now":
            return CHANGING
        if label == FILING and name in ("limits", "rules"):
            return PARAMETERS if name == "limits" else RULES
        if label == RULES and name == "limits":
            return PARAMETERS
        if label == PARAMETERS and name in (each.name for each in dataclasses.fields(Limits)):
            return PUBLIC
        if is_public(label):
            raise NotFollowed(f".{name} of {label.what}")
        return None

    def call(self, call: Call) -> Label | None:
        """Let a rule ask which kind of report it is, and nothing else."""
        if call.target is isinstance and call.positional[:1] == (FILED,):
            return KIND
        raise NotFollowed("a call of something else than isinstance")

    def constant(self, value: object) -> Label | None:
        """Know whole numbers."""
        return WHOLE if type(value) is int else None

    def operated(self, operator: str, first: Label, second: Label) -> Label | None:
        """Calculate whole numbers from whole numbers."""
        if operator in WHOLE_STAYS_WHOLE and {first, second} <= {WHOLE, CHANGING}:
            return WHOLE if first == second == WHOLE else CHANGING
        raise NotFollowed(f"{operator} of {first.what} and {second.what}")

    def found_true(self, label: Label, _: bool) -> Change | None:
        """Allow a branch on the kind of report only."""
        if label != KIND:
            raise NotFollowed(f"a branch on {label.what}")
        return None

    def joined(self, first: Label, second: Label) -> Label | None:
        """Keep the mark of the time."""
        return CHANGING if first != second and (changes(first) or changes(second)) else None


def changes(label: Label) -> bool:
    """Tell whether something may be another one at another time."""
    return label == CHANGING or (isinstance(label, Pack) and any(map(changes, label.members)))


def computing(code: Code) -> str:
    """Say what code does beside putting together what it is given; else nothing."""
    for step in code.steps:
        if step.opname not in PLAIN:
            return step.opname.replace("_", " ").lower()
        constant = step.argval if step.opname == "LOAD_CONST" else None
        if type(constant) not in (*ATOMS, tuple):
            return f"a {type(constant).__name__}"
    return ""
