"""How the counting goes, told in a row a kind: all workers write it, every web process can read it."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import connection, transaction

from rollup import queries
from rollup.models import Pulse


class Waiting(NamedTuple):
    """A job whose events wait to be counted, since an instant of this process' own clock."""

    id: int
    since: float


@dataclass
class Pass:
    """What one pass, or a part of a long one, has done."""

    done: int = 0
    failed: int = 0
    lag_s: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def counted(self, job: Waiting) -> None:
        """Note that a job's events wait no more."""
        self.done += 1
        self.lag_s = max(self.lag_s, time.monotonic() - job.since)


def note(kind: Pulse.Kind, going: Pass) -> None:
    """Add a pass to those before it; one without work is left out if another was noted just now."""
    parameters: dict[str, str | float] = {
        "kind": kind.value,
        "done": going.done,
        "failed": going.failed,
        "busy_s": time.monotonic() - going.began,
        "lag_s": going.lag_s,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(queries.COMMIT_LAZILY)
        cursor.execute(queries.PUT_PULSE, parameters)
