"""Rows in Postgres' binary COPY format.

By hand, because psycopg's write_row takes longer for a row than Postgres does.
"""

from collections.abc import Iterable
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
NULL = b"\xff\xff\xff\xff"

# Each value stands behind its length. The number of columns and job_id:
_JOB = Struct("!h iq").pack
# id, attempt, rank, seq or none, type, ts, received_at:
_WITH_SEQ = Struct("!i16s ii ii ii ih iq iq").pack
_WITHOUT_SEQ = Struct("!i16s ii ii i ih iq iq").pack
_BIGINT = Struct("!iq").pack
_LENGTH = Struct("!i").pack


class Stamp(NamedTuple):
    """When a batch was received and, packed, when its sender says it was sent."""

    received_at: int
    sent: bytes

    @classmethod
    def of(cls, received_at: int, sent_at: int | None) -> "Stamp":
        return cls(received_at, NULL if sent_at is None else _BIGINT(8, sent_at))


def pack(
    id: bytes,
    attempt: int,
    rank: int,
    seq: int | None,
    type: int,
    ts: int,
    stamp: Stamp,
    phase: str | None,
    duration: int | None,
    body: bytes | None,
) -> bytes:
    """An event's columns after job_id, in the order of EVENT_COLUMNS."""
    received_at, sent = stamp
    if seq is None:
        head = _WITHOUT_SEQ(16, id, 4, attempt, 4, rank, -1, 2, type, 8, ts, 8, received_at)
    else:
        head = _WITH_SEQ(16, id, 4, attempt, 4, rank, 4, seq, 2, type, 8, ts, 8, received_at)
    if duration is None and body is None:
        return head + _phase_alone(sent, phase)
    return b"".join(
        (
            head,
            sent,
            _text(phase),
            NULL if duration is None else _BIGINT(8, duration),
            NULL if body is None else _jsonb(body),
        )
    )


@lru_cache(maxsize=8192)
def _phase_alone(sent: bytes, phase: str | None) -> bytes:
    """The columns from sent_at on, of the many events that have neither duration nor body."""
    return sent + _text(phase) + NULL + NULL


def job_head(job_id: int) -> bytes:
    """How the rows of a job begin; heads sort as the ids do."""
    return _JOB(12, 8, job_id)


def copy_data(rows: Iterable[bytes]) -> bytes:
    """All that goes through one COPY."""
    return b"".join((HEADER, *rows, TRAILER))


@lru_cache(maxsize=8192)
def _text(text: str | None) -> bytes:
    if text is None:
        return NULL
    encoded = text.encode()
    return _LENGTH(len(encoded)) + encoded


def _jsonb(encoded: bytes) -> bytes:
    """Version 1 of the format is the text itself."""
    return _LENGTH(len(encoded) + 1) + b"\x01" + encoded
