"""The figures of a job: sums over its ledger, and the times from one of its instants to another."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from ett.buckets import Attempt, Bucket, Gap, Ledger
from ett.events import DAY

EPOCH = date(1970, 1, 1)


class Timed(NamedTuple):
    """How long something took, in µs, and the instant it is dated at."""

    value: int
    at: int


@dataclass(frozen=True, slots=True)
class AttemptDay:
    """An attempt's time on one UTC day, with the downtime that follows the attempt."""

    attempt: int
    day: date
    gpus: int
    totals: Mapping[Bucket, int]  # all buckets, wall µs; times gpus they are GPU-µs
    failure: int


class Piece(NamedTuple):
    """A stretch in one bucket, and whether it is what interruptions cost."""

    start: int
    end: int
    bucket: Bucket
    failed: bool


@dataclass(frozen=True, slots=True)
class Row:
    """An attempt between the gaps before and after it."""

    before: Gap | None
    attempt: Attempt
    after: Gap | None

    @property
    def recovers(self) -> bool:
        """Whether it follows an interrupted attempt without a pause."""
        return self.before is not None and self.before.bucket is Bucket.DOWNTIME

    @property
    def failed_until(self) -> int:
        """The instant before which all of the attempt's time is what interruptions cost."""
        attempt = self.attempt
        if attempt.first_train is None:
            return attempt.end if attempt.interrupted or self.recovers else attempt.start
        return attempt.first_train if self.recovers else attempt.start

    def pieces(self) -> Iterator[Piece]:
        """The attempt's time and the downtime after it, in order."""
        failed_until = self.failed_until
        for start, end, bucket, _, _ in self.attempt.spans:
            yield Piece(start, end, bucket, bucket is Bucket.UNSAVED or start < failed_until)
        if self.after is not None and self.after.bucket is Bucket.DOWNTIME:
            yield Piece(self.after.start, self.after.end, Bucket.DOWNTIME, failed=True)


def totals(ledger: Ledger) -> dict[Bucket, int]:
    """Wall time by bucket, all of them; the sum is E2E exactly."""
    return _by_bucket(piece for row in rows(ledger) for piece in row.pieces())


def gpu_totals(ledger: Ledger) -> dict[Bucket, int]:
    """GPU time by bucket, all of them; downtime takes the gpus of the attempt before it."""
    weighted = dict.fromkeys(Bucket, 0)
    for row in rows(ledger):
        for bucket, wall in _by_bucket(row.pieces()).items():
            weighted[bucket] += wall * row.attempt.gpus
    return weighted


def ett_ratio(totals: Mapping[Bucket, int]) -> float | None:
    """Share of wall time spent on training that was kept; None if there was no wall time."""
    wall = sum(totals.values())
    return totals.get(Bucket.EFFECTIVE, 0) / wall if wall else None


def failure_time(ledger: Ledger) -> int:
    """What interruptions cost, each instant once: the numerator of Failure%."""
    return _failed(piece for row in rows(ledger) for piece in row.pieces())


def idle_time(ledger: Ledger) -> int:
    """What was neither effective nor a cost of interruptions: the numerator of Idleness%."""
    wall = totals(ledger)
    return sum(wall.values()) - wall[Bucket.EFFECTIVE] - failure_time(ledger)


def time_to_start(ledger: Ledger) -> Timed | None:
    """From the end of the first attempt's scheduling to its first train; None if it never trained."""
    first = ledger.attempts[0]
    if first.first_train is None:
        return None
    granted = first.start if first.scheduled is None else first.scheduled
    return Timed(max(0, first.first_train - granted), first.first_train)


def times_to_recover(ledger: Ledger) -> tuple[Timed, ...]:
    """From each interruption to the next first train, but for those that a pause cut short."""
    found = []
    down_since: int | None = None
    for row in rows(ledger):
        attempt = row.attempt
        if not row.recovers:
            down_since = None
        if down_since is not None and attempt.first_train is not None:
            found.append(Timed(attempt.first_train - down_since, attempt.first_train))
            down_since = None
        if down_since is None and attempt.interrupted:
            down_since = attempt.end
    return tuple(found)


def attempt_days(ledger: Ledger) -> Iterator[AttemptDay]:
    """Each attempt's time day by day, in order, days without time left out."""
    for row in rows(ledger):
        by_day: dict[int, list[Piece]] = {}
        for whole in row.pieces():
            for piece in split_by_day(whole):
                by_day.setdefault(piece.start // DAY, []).append(piece)
        for day, pieces in by_day.items():
            yield AttemptDay(
                attempt=row.attempt.number,
                day=EPOCH + timedelta(days=day),
                gpus=row.attempt.gpus,
                totals=_by_bucket(pieces),
                failure=_failed(pieces),
            )


def split_by_day(piece: Piece) -> Iterator[Piece]:
    """Cut a piece at each UTC midnight it crosses; one of no length is none."""
    while (midnight := (piece.start // DAY + 1) * DAY) < piece.end:
        yield piece._replace(end=midnight)
        piece = piece._replace(start=midnight)
    if piece.start < piece.end:
        yield piece


def rows(ledger: Ledger) -> Iterator[Row]:
    """The job's attempts in order, each between its gaps."""
    for before, attempt, after in zip(
        (None, *ledger.gaps), ledger.attempts, (*ledger.gaps, None), strict=True
    ):
        yield Row(before, attempt, after)


def _by_bucket(pieces: Iterable[Piece]) -> dict[Bucket, int]:
    """The pieces' lengths by bucket."""
    sums = dict.fromkeys(Bucket, 0)
    for start, end, bucket, _ in pieces:
        sums[bucket] += end - start
    return sums


def _failed(pieces: Iterable[Piece]) -> int:
    """The summed length of the pieces that interruptions cost."""
    return sum(end - start for start, end, _, failed in pieces if failed)
