"""How a verdict comes about: load, plan, run, combine.

    load      proposal.py    a child runs the proposal's file and says what it changes
    plan      plan.py        which checks of proofs/ and properties/ there are, in which order
    run       schedule.py    which job is next; children.py runs one check in a child process
    combine   weigh.py       from the findings on a claim to its verdict; combine.py to the result

Each proposal is a `Case` (case.py), and all cases share one pool of child processes (processes.py).
What a child found before may be kept (store.py).
A verdict depends on what the children answer, and never on when: which job ends first, how long it
takes and how many run side by side make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandproof.about import Request
from sandproof.case import Assigned, Case
from sandproof.integrity import watching
from sandproof.jobs import Options
from sandproof.processes import Pool
from sandproof.progress import Progress, terminable
from sandproof.result import Result


def run(
    requests: Sequence[Request], options: Options, refuted: Callable[[str], None] | None = None
) -> Iterator[Result]:
    """Check proposals and yield their results in order, each as soon as it is there.

    An interrupt ends the children and yields what has been found until then. `refuted` is told the
    name of a proposal as soon as it is certain that it is refuted, if more is still to be found.
    """
    cases = [Case(request, options) for request in requests]
    waiting, progress = list(cases), Progress()
    open_cases = list(cases) if refuted is not None else []

    def show() -> None:
        done, total = (sum(counts) for counts in zip(*(case.counts for case in cases), strict=True))
        progress(done, total, [child.task.name for child in pool.running])

    with terminable(), watching(everything=False), Pool(options.jobs, options.memory) as pool:
        try:
            while waiting:
                for case in cases:
                    while pool.has_room and (task := case.next_task()) is not None:
                        case.begin(task, pool)
                if waiting[0].done:
                    progress.clear()
                    yield waiting.pop(0).result()
                    continue
                outcome = pool.wait(show)
                if outcome is not None:
                    assert isinstance(outcome.task, Assigned)
                    case = outcome.task.case
                    case.take(outcome, pool)
                    if case in open_cases and not case.done and case.is_refuted:
                        assert refuted is not None
                        open_cases.remove(case)
                        progress.clear()
                        refuted(case.request.name)
        except KeyboardInterrupt:
            progress.clear()
            for case in waiting:
                yield case.result(interrupted=not case.done)
