"""Counting the events that were not kept, for those who must find the sender."""

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import DatabaseError, connection

from ingest import queries
from ingest.parse import Fault

log = logging.getLogger(__name__)

MESSAGE_CHARS = 256


def count(team_id: int, faults: Sequence[Fault], now: int) -> None:
    """Add a batch's faults to its team's day; the batch stands, whether or not that succeeds."""
    last = {fault.code: fault for fault in faults}
    numbers = Counter(fault.code for fault in faults)
    parameters: dict[str, Any] = {
        "team": team_id,
        "at": datetime.fromtimestamp(now / 1_000_000, UTC),
        "codes": list(last),
        "numbers": [numbers[code] for code in last],
        "fields": [fault.field for fault in last.values()],
        "messages": [_kept(fault.message) for fault in last.values()],
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute(queries.COUNT_REJECTED, parameters)
    except DatabaseError as error:
        log.warning("Rejected events of team %s were not counted: %s", team_id, error)


def _kept(message: str) -> str:
    """As much as a row holds; a message may quote what was sent, and Postgres cannot hold NUL."""
    return message.replace("\0", "")[:MESSAGE_CHARS]
