r"""Neighbour relations: what it means that a privacy unit $x$ was not there.

Privacy compares the system with the system without $x$. What "without" means is a choice, and the
guarantee depends on it, so every verdict names its relation.

*Attribution fixed* is the paper's relation for ARA and *null store* the one for PAA. Who is
credited with what is decided once, on $D$. In $D^{-x}$ the credits of $x$ are deleted; admission,
reports, ledgers and all that the ad-tech sees run on from there in their own world. *Nulled after
admission* deletes one part later, what was granted to $x$. *Moved to the dummy* and *empty store*
replace the credits of $x$ by others: these are the two readings of the paper under which its
theorems fail. *Never matches* and *never registered* decide anew in their own world.

Deviates: A3 and A4 the dummy contributes nothing; E5 before and after admission are two relations.
Paper: Sec. 3.1; Sec. 4.2; Sec. 4.3; Sec. 5.
"""

from spec.neighbours.credits_deleted import (
    ATTRIBUTION_FIXED as ATTRIBUTION_FIXED,
    NULL_STORE as NULL_STORE,
)
from spec.neighbours.empty_store import EMPTY_STORE as EMPTY_STORE
from spec.neighbours.moved_to_dummy import (
    DUMMY as DUMMY,
    DUMMY_KEY as DUMMY_KEY,
    MOVED_TO_DUMMY as MOVED_TO_DUMMY,
)
from spec.neighbours.never_matches import NEVER_MATCHES as NEVER_MATCHES
from spec.neighbours.never_registered import NEVER_REGISTERED as NEVER_REGISTERED
from spec.neighbours.nulled_after_admission import NULLED_AFTER_ADMISSION as NULLED_AFTER_ADMISSION
from spec.neighbours.relation import (
    OtherWorld as OtherWorld,
    Relation as Relation,
    RelationUndefined as RelationUndefined,
    Worlds as Worlds,
    clients_of as clients_of,
)

RELATIONS = (
    ATTRIBUTION_FIXED,
    NULL_STORE,
    NULLED_AFTER_ADMISSION,
    MOVED_TO_DUMMY,
    EMPTY_STORE,
    NEVER_MATCHES,
    NEVER_REGISTERED,
)
RELATIONS_BY_NAME = {relation.name: relation for relation in RELATIONS}
