"""A beat that may have twins: the one that holds a lock in Postgres asks for work, the others stand by."""

import logging
from enum import Enum
from typing import Any

import psycopg
from celery.beat import Scheduler
from django.conf import settings
from psycopg.conninfo import make_conninfo

from ettdash import alive
from ettdash.telemetry.broker import broker

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 1
# Messages that wait; a worker that is there leaves one or two.
ENOUGH = 100
# Neither side waits long for a machine that is gone.
PATIENCE = {"connect_timeout": 5, "tcp_user_timeout": 5000, "keepalives_idle": 5, "keepalives_interval": 2}
# We ask every second: one that was frozen has lost the lock before it wakes.
SETTINGS = """
    SELECT set_config('idle_session_timeout', '15s', false),
           set_config('tcp_keepalives_idle', '5', false),
           set_config('tcp_keepalives_interval', '2', false),
           set_config('tcp_keepalives_count', '3', false)"""
# Advisory locks of two numbers; those of jobs have one, and never meet these.
TAKE = "SELECT pg_try_advisory_lock(25972, 1)"
STILL_THERE = "SELECT true"


class State(Enum):
    """What a beat does, in the words of its log."""

    LEADS = "This beat asks for work."
    STANDS_BY = "Another beat asks for work; this one stands by."
    CUT_OFF = "The database does not answer; this beat asks for nothing."


class Lead:
    """The right to ask for work: a lock that Postgres takes back when its holder, or the way there, dies."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None
        self._state: State | None = None

    def held(self) -> bool:
        """Whether we have it now."""
        before, self._state = self._state, self._ask()
        if self._state is not before:
            log.log(logging.WARNING if self._state is State.CUT_OFF else logging.INFO, self._state.value)
        return self._state is State.LEADS

    def _ask(self) -> State:
        try:
            self._connection = self._connection or self._connect()
            query = STILL_THERE if self._state is State.LEADS else TAKE
            row = self._connection.execute(query).fetchone()
        except psycopg.Error:
            self.release()
            return State.CUT_OFF
        return State.LEADS if row and row[0] else State.STANDS_BY

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(make_conninfo(self._address, **PATIENCE), autocommit=True)
        connection.execute(SETTINGS)
        return connection

    def release(self) -> None:
        """Let it go; a twin has it within a second."""
        if self._connection:
            self._connection.close()
            self._connection = None


class OneOfTwins(Scheduler):
    """Keeps its schedule in memory, and follows it only while it leads."""

    max_interval = LOOK_AGAIN_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lead = Lead(settings.DATABASE_URL or "")

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Ask for what is due; seconds until the next look."""
        alive.touch()
        return super().tick(*args, **kwargs) if self._lead.held() else LOOK_AGAIN_S

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Ask for one thing, unless much still waits: with no worker the queue would grow for ever."""
        queue = broker.queue()
        if queue is None or queue.messages < ENOUGH:
            super().apply_entry(entry, producer=producer)

    def close(self) -> None:
        """Stop, and leave the lead to a twin at once."""
        super().close()
        self._lead.release()
