"""How the database is, and how far the counting is."""

import logging
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError, OperationalError, connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor

from ettdash.telemetry import queries
from ettdash.telemetry.patient import Patient

log = logging.getLogger(__name__)

QUESTIONS = {
    "counting": queries.COUNTING,
    "waiting": queries.WAITING,
    "pulses": queries.PULSES,
    "storage": queries.STORAGE,
    "connections": queries.CONNECTIONS,
}


@dataclass(frozen=True)
class Counting:
    """How far the counting is, in seconds; None where nothing waits, or no pass has ended yet."""

    oldest_mark_s: float | None
    last_pass_s: float | None


@dataclass(frozen=True)
class Reading:
    """What the database said, question by question; one that it could not answer in time is missing."""

    migrated: bool
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)


class Migrations:
    """Whether all of them are there; once they are, nobody takes them away under a running process."""

    def __init__(self) -> None:
        self._all_there = False

    def all_there(self) -> bool:
        """Asks the database until the answer is yes."""
        if not self._all_there:
            executor = MigrationExecutor(connection)
            self._all_there = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        return self._all_there


migrations = Migrations()


def counting() -> Counting:
    """How far the counting is now."""
    ((oldest, last),) = ask(queries.COUNTING)
    return Counting(oldest, last)


def ask(question: str) -> list[tuple[Any, ...]]:
    """The rows of an answer that comes within seconds."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(queries.HURRY)
        cursor.execute(question)
        return list(cursor.fetchall())


def read() -> Reading | None:
    """All that /metrics tells of the database, on a connection of its own; None if it is away."""
    try:
        reading = Reading(migrations.all_there())
        if reading.migrated:
            for name, question in QUESTIONS.items():
                _note(reading, name, question)
        return reading
    except DatabaseError as error:
        log.warning("The database does not answer: %s", error)
        return None
    finally:
        connections.close_all()


def _note(reading: Reading, name: str, question: str) -> None:
    """A question that takes too long, or meets a lock, is left out; the others are not."""
    try:
        reading.rows[name] = ask(question)
    except OperationalError as error:
        connection.ensure_connection()
        if not connection.is_usable():
            raise
        log.warning("No answer on %s: %s", name, error)


readings = Patient(read, patience_s=4.0, fresh_s=5.0)
