"""Ask the questions of a campaign on a Dask cluster, and lose only time when parts of it die.

A worker answers in a process of its own and in limited children, as this machine would. What a
worker was at when it died is given to another one. What a scheduler knew when it ended is asked
again once it is back.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandproof.campaign import Replies
from sandproof.problems import BadInput, told
from sandproof.questions import Answer, Question, Unanswered, answer_apart

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS = 10
PATIENCE_SECONDS = 600
"""For how long a scheduler that was there may be away."""

TICK = 0.1
LOST = (OSError, asyncio.CancelledError, concurrent.futures.CancelledError)
"""What is raised where an answer went with its scheduler. A worker's own errors are returned."""


def on_cluster(questions: Sequence[Question], address: str) -> Replies:
    """Answer questions on the workers of a scheduler, in whichever order they end."""
    waiting = list(questions)
    client = connected(address)
    if client is None:
        raise BadInput(f"--cluster {address}: there is no Dask scheduler that answers")
    while waiting:
        if client is None:
            client = reconnected(address)
        with client:
            futures = {client.submit(answer_apart, each, pure=False): each for each in waiting}
            while futures:
                time.sleep(TICK)
                ended = [future for future in futures if future.done()]
                for future in ended:
                    question = futures.pop(future)
                    # What went with the scheduler, the future or its answer, is asked again.
                    if future.cancelled():
                        continue
                    try:
                        reply = reply_of(question, future)
                    except LOST:
                        continue
                    waiting.remove(question)
                    yield question, reply
        client = None


def reply_of(question: Question, future: Future[Answer]) -> Answer | Unanswered:
    """Return the answer that a worker gave, or why there is none."""
    problem = future.exception()
    if problem is None:
        return future.result()
    if isinstance(problem, Unanswered):
        return problem
    return Unanswered(f"{question.told}: {told(problem)}")


def connected(address: str) -> Client | None:
    """Return a client of the scheduler at an address, if one answers."""
    try:
        from distributed import Client
    except ImportError:
        raise BadInput("--cluster needs Dask: pip install 'sandproof[cluster]'") from None
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError):
        return None


def reconnected(address: str) -> Client:
    """Wait until a scheduler that was there is back."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        client = connected(address)
        if client is not None:
            return client
        time.sleep(1)
    raise BadInput(
        f"--cluster {address}: the scheduler is gone; every answer so far is kept, and the same "
        "command goes on from there"
    )
