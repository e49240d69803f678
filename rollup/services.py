"""Load, ask `ett`, store: a job's totals out of its events."""

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from ett.buckets import Ledger, charge
from ett.events import SECOND, Event, Limits
from ett.spans import lay_out
from ingest.models import EventType, Job
from ingest.services import now_us
from rollup import pulse, queries, rows
from rollup.models import Annotation, AttemptDay, JobTotal, Pulse
from rollup.pulse import Pass, Waiting

log = logging.getLogger(__name__)

# The advisory locks of jobs are these numbers and up.
JOB_LOCKS = 0x6574 << 44
CLAIM_AT_ONCE = 200
TYPE_NAMES = dict(EventType.choices)


def refresh_marked(seconds: float) -> int:
    """Refresh jobs that wait until none is left or the time is over; how many were refreshed."""
    refreshed, until = 0, time.monotonic() + seconds
    passed_over: set[int] = set()
    while (waiting := _marked_jobs(passed_over)) and time.monotonic() < until:
        done = _refresh_each(waiting)
        refreshed += len(done)
        # Somebody else has the others, or they cannot be worked out: they wait for the next time.
        passed_over.update({job.id for job in waiting} - done)
    pulse.note(Pulse.Kind.REFRESH, Pass())
    return refreshed


def _marked_jobs(passed_over: Iterable[int]) -> list[Waiting]:
    with connection.cursor() as cursor:
        cursor.execute(queries.MARKED_JOBS, {"passed_over": list(passed_over), "limit": CLAIM_AT_ONCE})
        now = time.monotonic()
        return [Waiting(job_id, now - waited_s) for job_id, waited_s in cursor.fetchall()]


def _refresh_each(waiting: Iterable[Waiting]) -> set[int]:
    """The jobs that were refreshed; how it went is noted for all to see."""
    going, done = Pass(), set()
    for job in waiting:
        if _refresh_or_tell(job.id, going):
            done.add(job.id)
            going.counted(job)
    pulse.note(Pulse.Kind.REFRESH, going)
    return done


def _refresh_or_tell(job_id: int, going: Pass) -> bool:
    """One job that cannot be worked out must not hold up the fleet; its marks stay."""
    try:
        return refresh_job(job_id, now_us())
    except DatabaseError:
        raise
    except Exception:
        log.exception("The totals of job %s were not worked out", job_id)
        going.failed += 1
        return False


def refresh_job(job_id: int, now: int) -> bool:
    """Replace a job's totals with totals worked out from its events; False if somebody else has it."""
    with claimed(job_id) as touched:
        if not touched:
            return False
        job = Job.objects.get(pk=job_id)
        limits = _limits()
        layouts = [lay_out(events, limits) for events in _events_by_attempt(job_id)]
        if layouts:
            _put(job, charge(layouts, now, limits))
    return True


@contextmanager
def claimed(job_id: int) -> Iterator[list[int]]:
    """The touched attempts of a job that nobody else has now; none if there is nothing to do.

    The marks go first: an event that commits later brings a mark of its own.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(queries.TRY_LOCK, {"key": JOB_LOCKS + job_id})
        touched: list[int] = []
        if cursor.fetchone()[0]:
            cursor.execute(queries.COMMIT_LAZILY)
            cursor.execute(queries.TAKE_MARKS, {"job": job_id})
            touched = [attempt for (attempt,) in cursor.fetchall()]
        yield touched


def _limits() -> Limits:
    return Limits(
        lost_after=settings.ETTDASH_LOST_AFTER_S * SECOND,
        hang_after=settings.ETTDASH_HANG_AFTER_S * SECOND,
        abandoned_after=settings.ETTDASH_ABANDONED_AFTER_S * SECOND,
    )


def _events_by_attempt(job_id: int) -> Iterator[list[Event]]:
    with connection.cursor() as cursor:
        cursor.execute(queries.JOB_EVENTS, {"job": job_id})
        events = [_event(row) for row in cursor.fetchall()]
    events.sort(key=attrgetter("attempt"))
    for _, attempt in groupby(events, attrgetter("attempt")):
        yield list(attempt)


def _event(row: tuple[Any, ...]) -> Event:
    kind, attempt, rank, seq, ts, id, phase, duration, body = row
    fields = msgspec.json.decode(body) if body else {}
    return Event(TYPE_NAMES[kind], attempt, rank, seq, ts, id, phase, duration, fields)


def _put(job: Job, ledger: Ledger) -> None:
    """Write the rows that changed and remove those that are no more."""
    wanted = {(row.attempt, row.day): row for row in rows.of_days(job, ledger)}
    known = {(row.attempt, row.day): row for row in AttemptDay.objects.filter(job=job)}
    AttemptDay.objects.filter(pk__in=[row.pk for key, row in known.items() if key not in wanted]).delete()
    AttemptDay.objects.bulk_create(
        [row for key, row in wanted.items() if not rows.same(row, known.get(key))],
        update_conflicts=True,
        unique_fields=rows.DAY_KEY,
        update_fields=rows.DAY_VALUES,
    )
    total = rows.of_job(job, ledger)
    if not rows.same(total, JobTotal.objects.filter(pk=job.pk).first()):
        total.save()


def mark_silent(now: int) -> int:
    """Mark running jobs that have been silent for `lost_after`; how many there were."""
    going = Pass()
    with connection.cursor() as cursor:
        cursor.execute(queries.MARK_SILENT, {"now": now})
        going.done = int(cursor.rowcount)
    pulse.note(Pulse.Kind.SILENCE, going)
    return going.done


def annotate(team_id: int, key: UUID, values: dict[str, Any]) -> bool:
    """Keep an annotation of a team; False if its key is known, and then nothing changes."""
    _, made = Annotation.objects.get_or_create(team_id=team_id, key=key, defaults=values)
    return made
