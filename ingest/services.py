"""Taking a batch in: parse, store with its marks in one transaction, count."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from psycopg.errors import UniqueViolation

from accounts.sql import fetch_prepared
from ingest import metrics, queries, rejected
from ingest.copying import Stamp, copy_data, job_head
from ingest.parse import SECOND, Fault, Incoming, Window, parse
from ingest.partitions import ensure_partitions

DAY = 86_400 * SECOND
HOUR = 3_600 * SECOND
YEAR_2000 = 946_684_800 * SECOND
ERRORS_LISTED = 100


@dataclass(frozen=True, slots=True)
class Rejection:
    """A bad event of a batch, by its place there."""

    index: int
    id: str | None
    fault: Fault


@dataclass(slots=True)
class Receipt:
    """What became of a batch."""

    accepted: int = 0
    duplicates: int = 0
    conflicts: int = 0
    rejections: list[Rejection] = field(default_factory=list)


def take_in(team_id: int, batch: Sequence[bytes], now: int, sent_at: int | None) -> Receipt:
    """Keep the good events of a batch, each once; when this returns, they are committed."""
    events, rejections = _parse(batch, _window(now), Stamp.of(now, sent_at))
    # Of two with one identity the first counts, so it is put in last.
    unique = {(event.job, event.id): event for event in reversed(events)}
    repeated = events if len(events) > len(unique) else []
    conflicts = Counter(event.job for event in repeated if event != unique[event.job, event.id])
    receipt = Receipt(rejections=rejections)
    if unique:
        _store(team_id, list(unique.values()), conflicts, receipt)
    receipt.duplicates += len(events) - len(unique)
    _count(receipt)
    if rejections:
        rejected.count(team_id, [rejection.fault for rejection in rejections], now)
    return receipt


def _window(now: int) -> Window:
    days = settings.ETTDASH_RETENTION_DAYS
    if days:
        return Window(now - days * DAY, now + HOUR, f"is older than the retention of {days} days")
    return Window(YEAR_2000, now + HOUR, "is before the year 2000")


def _parse(batch: Iterable[bytes], window: Window, stamp: Stamp) -> tuple[list[Incoming], list[Rejection]]:
    events: list[Incoming] = []
    rejections: list[Rejection] = []
    for index, raw in enumerate(batch):
        try:
            events.append(parse(raw, window, stamp))
        except Fault as fault:
            rejections.append(Rejection(index, _id_of(raw), fault))
    return events, rejections


def _id_of(raw: bytes) -> str | None:
    """The id as the sender wrote it, if it can be read at all."""
    try:
        event = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    found = event.get("id") if isinstance(event, dict) else None
    return found[:64].replace("\0", "") if isinstance(found, str) else None


def _store(team_id: int, events: list[Incoming], conflicts: Counter[str], receipt: Receipt) -> None:
    """Optimistically by COPY; a batch that holds a known event rolls back and goes the slower way."""
    try:
        with transaction.atomic():
            rows = _rows(team_id, events)
            _copy(queries.COPY_EVENTS, rows)
            _note_conflicts(team_id, conflicts)
        receipt.accepted, receipt.conflicts = len(rows), conflicts.total()
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        with transaction.atomic():
            rows = _rows(team_id, events)
            receipt.accepted, known_conflicts = _take_unknown(rows)
            _note_conflicts(team_id, conflicts)
        receipt.duplicates = len(rows) - receipt.accepted
        receipt.conflicts = known_conflicts + conflicts.total()


def _rows(team_id: int, events: list[Incoming]) -> list[bytes]:
    """The events' rows, in key order: two writers of the same events then wait, and never deadlock."""
    jobs = _marked_jobs(team_id, {(event.job, event.attempt) for event in events})
    # A row begins with its job and id.
    heads = {name: job_head(job_id) for name, job_id in jobs.items()}
    return sorted(heads[event.job] + event.row for event in events)


def _marked_jobs(team_id: int, touched: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The ids of the jobs that a batch touches, which are marked; new jobs are made."""
    jobs = _find_and_mark(team_id, touched)
    if missing := [(name, attempt) for name, attempt in touched if name not in jobs]:
        names = sorted({name for name, _ in missing})
        with connection.cursor() as cursor:
            cursor.execute(queries.ADD_JOBS, {"team": team_id, "names": names})
        made = _find_and_mark(team_id, missing)
        ensure_partitions(made.values())
        jobs |= made
    return jobs


def _find_and_mark(team_id: int, touched: Iterable[tuple[str, int]]) -> dict[str, int]:
    names, attempts = zip(*touched, strict=True)
    parameters = {"team": team_id, "names": list(names), "attempts": list(attempts)}
    return dict(fetch_prepared(queries.FIND_AND_MARK, parameters))


def _note_conflicts(team_id: int, conflicts: Counter[str]) -> None:
    """Count, by job, the events of a batch that contradict an earlier one of the same batch."""
    if conflicts:
        names, numbers = zip(*sorted(conflicts.items()), strict=True)
        with connection.cursor() as cursor:
            cursor.execute(
                queries.ADD_CONFLICTS, {"team": team_id, "names": list(names), "numbers": list(numbers)}
            )


def _copy(statement: str, rows: list[bytes]) -> None:
    # Django wraps the errors of execute() alone, not those of COPY.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(copy_data(rows))


def _take_unknown(rows: list[bytes]) -> tuple[int, int]:
    """How many of the rows were new, and how many of the others said something else."""
    with connection.cursor() as cursor:
        cursor.execute(queries.MAKE_INBOX)
        _copy(queries.COPY_INBOX, rows)
        cursor.execute(queries.TAKE_INBOX)
        accepted = cursor.rowcount
        cursor.execute(queries.COUNT_CONFLICTS)
        return accepted, sum(n for (n,) in cursor.fetchall())


def _count(receipt: Receipt) -> None:
    metrics.EVENTS.labels("accepted").inc(receipt.accepted)
    metrics.EVENTS.labels("duplicate").inc(receipt.duplicates)
    metrics.EVENTS.labels("rejected").inc(len(receipt.rejections))
    metrics.ID_CONFLICTS.inc(receipt.conflicts)
    for rejection in receipt.rejections:
        metrics.REJECTED.labels(rejection.fault.code).inc()


def now_us() -> int:
    """The server's clock in µs since 1970."""
    return time.time_ns() // 1_000
