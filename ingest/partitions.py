"""The partitions of ingest_event: a range of jobs each."""

from collections.abc import Iterable

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from ingest.queries import PARTITION_JOBS

# Any number that no other lock of the product uses.
LOCK = 0x6574_7401


def ensure_partitions(job_ids: Iterable[int]) -> None:
    """Make the partitions that hold these jobs, where they are missing."""
    for index in sorted({job_id // PARTITION_JOBS for job_id in job_ids}):
        _ensure(index)


def _ensure(index: int) -> None:
    name = f"ingest_event_{index:06d}"
    with connection.cursor() as cursor:
        if _exists(cursor, name):
            return
        # One maker at a time; a second one waits and then finds it there.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        if _exists(cursor, name):
            return
        # LIKE and ATTACH let others write meanwhile; PARTITION OF would lock the whole table.
        bounds = {"name": sql.Identifier(name), "low": sql.Literal(index * PARTITION_JOBS)}
        bounds["high"] = sql.Literal((index + 1) * PARTITION_JOBS)
        cursor.execute(sql.SQL("CREATE TABLE {name} (LIKE ingest_event INCLUDING ALL)").format(**bounds))
        attach = "ALTER TABLE ingest_event ATTACH PARTITION {name} FOR VALUES FROM ({low}) TO ({high})"
        cursor.execute(sql.SQL(attach).format(**bounds))


def _exists(cursor: CursorWrapper, name: str) -> bool:
    # Not by to_regclass(): it may go on missing a table that another session has just made.
    cursor.execute(
        "SELECT FROM pg_class WHERE relname = %s AND relnamespace = current_schema()::regnamespace", [name]
    )
    return cursor.fetchone() is not None
