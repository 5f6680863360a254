"""A report shows how many entries the shared storage of the device holds.

Truth: refuted: what the programs of x have stored is shown without noise. The relation fixes the
    storage.
Status: unknown
"""

from spec import PAPER, AggregationClient, replace
from spec.contributions import send


def show(at, granted):
    sent = send(at, granted)
    if not isinstance(at.client, AggregationClient):
        return sent
    return tuple(replace(each, shown=(each.shown, len(at.client.storage))) for each in sent)


RULES = replace(PAPER, send=show)
