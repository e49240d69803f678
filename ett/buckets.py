"""From layouts to the ledger of a job: each instant of its wall time in exactly one bucket."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from ett.attempts import Bounded, bounded, counting
from ett.events import INTERRUPTED, Limits, Outcome
from ett.phases import Phase, parent
from ett.spans import Layout
from ett.stretches import Interval, Stretch, clip
from ett.sweep import Charged
from ett.unsaved import thrown_away


class Bucket(StrEnum):
    """Where an instant is charged, in the order of every page."""

    EFFECTIVE = "effective"
    SCHEDULING = "scheduling"
    HARDWARE_SETUP = "hardware_setup"
    LAUNCHER_INIT = "launcher_init"
    PT2_COMPILE = "pt2_compile"
    CHECKPOINT_BLOCKING = "checkpoint_blocking"
    STALLED = "stalled"
    UNSAVED = "unsaved"
    DOWNTIME = "downtime"
    SHUTDOWN = "shutdown"
    UNACCOUNTED = "unaccounted"


class Span(NamedTuple):
    """A stretch in one bucket; start is inside, end is not."""

    start: int
    end: int
    bucket: Bucket
    phase: str | None  # phase and rank are None where unaccounted
    rank: int | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that counts, as charged."""

    number: int
    start: int
    end: int
    outcome: Outcome
    category: str | None  # category and infra are None unless interrupted
    infra: bool | None
    gpus: int
    model: str | None
    cluster: str | None
    tier: str | None
    workload: str | None
    labels: Mapping[str, Any]
    spans: tuple[Span, ...]  # tile start to end
    first_train: int | None
    scheduled: int | None  # the end of its first scheduling stretch
    raw: Mapping[str, int]  # µs of each phase as sent, summed over ranks, overlaps and all

    @property
    def interrupted(self) -> bool:
        """Whether it neither completed, nor was cancelled, nor still runs."""
        return self.outcome in INTERRUPTED


@dataclass(frozen=True, slots=True)
class Gap:
    """The time between an attempt that counts and the next: downtime, or a pause that is in no bucket."""

    start: int
    end: int
    bucket: Bucket | None
    after: int  # the number of the attempt before it


@dataclass(frozen=True, slots=True)
class Ledger:
    """A job's wall time: its attempts that count, in order, and one gap between each two."""

    attempts: tuple[Attempt, ...]
    gaps: tuple[Gap, ...]
    at_risk: int  # effective µs of a running attempt that an interruption now would throw away
    lost_at: int | None  # the first instant at which a running attempt counts as lost
    notes: Mapping[str, int]

    @property
    def state(self) -> Outcome:
        """Running, or how the last attempt ended."""
        return self.attempts[-1].outcome

    @property
    def first_ts(self) -> int:
        """The job's beginning."""
        return self.attempts[0].start

    @property
    def last_ts(self) -> int:
        """The end of the last attempt."""
        return self.attempts[-1].end

    @property
    def down(self) -> int | None:
        """Since when the job has been interrupted and not gone on."""
        return self.last_ts if self.attempts[-1].interrupted else None


def charge(layouts: Sequence[Layout], now: int, limits: Limits) -> Ledger:
    """The ledger of a job out of the layouts of all its attempts, at least one, in any order."""
    counted = list(bounded(counting(layouts), now, limits))
    checkpoints = [checkpoint for layout in layouts for checkpoint in layout.checkpoints]
    lost = thrown_away(counted, checkpoints)
    attempts = tuple(_attempt(one, lost, limits) for one in counted)
    gaps = tuple(_gap(one, other, limits) for one, other in pairwise(attempts))
    running = attempts[-1].outcome == Outcome.RUNNING
    return Ledger(
        attempts=attempts,
        gaps=gaps,
        at_risk=_at_risk(attempts[-1], counted[-1].layout) if running else 0,
        lost_at=attempts[-1].end + limits.lost_after + 1 if running else None,
        notes=_notes(counted, gaps, left_out=len(layouts) - len(counted)),
    )


def bucket_of(phase: str | None) -> Bucket:
    """The bucket of an instant charged to a phase, before hangs and interruptions."""
    if phase is None:
        return Bucket.UNACCOUNTED
    if phase == Phase.TRAIN:
        return Bucket.EFFECTIVE
    if phase == "train.checkpoint_save":
        return Bucket.CHECKPOINT_BLOCKING
    return Bucket.STALLED if parent(phase) == Phase.TRAIN else Bucket(parent(phase))


def _attempt(one: Bounded, lost: Sequence[Interval], limits: Limits) -> Attempt:
    """An attempt with its instants charged."""
    spans = _spans(one.layout.charged, one.bounds.end)
    spans = _turned(spans, _hangs(one, limits.hang_after), Bucket.STALLED)
    spans = _turned(spans, lost, Bucket.UNSAVED)
    stretches = list(clip(one.layout.stretches, one.bounds))
    facts = one.facts
    return Attempt(
        number=one.layout.number,
        start=one.bounds.start,
        end=one.bounds.end,
        outcome=one.outcome,
        category=one.cause.category if one.cause else None,
        infra=one.cause.infra if one.cause else None,
        gpus=1 if facts.gpus is None else facts.gpus,
        model=facts.model,
        cluster=facts.cluster,
        tier=facts.tier,
        workload=facts.workload,
        labels=facts.labels or {},
        spans=tuple(_merged(spans)),
        first_train=one.first_train,
        scheduled=_scheduled(stretches),
        raw=_raw(stretches),
    )


def _spans(charged: Iterable[Charged], end: int) -> Iterator[Span]:
    """The charged stretches up to an attempt's end, in their buckets."""
    for start, until, phase, rank in charged:
        if start >= end:
            return
        yield Span(start, min(until, end), bucket_of(phase), phase, rank)


def _hangs(one: Bounded, hang_after: int) -> list[Interval]:
    """When heartbeats came, or should have come, but training got no further."""
    start, end = one.bounds
    advances = [ts for ts in one.layout.advances if start <= ts <= end]
    return [Interval(*pair) for pair in pairwise([*advances, end]) if pair[1] - pair[0] > hang_after]


def _turned(spans: Iterable[Span], intervals: Sequence[Interval], bucket: Bucket) -> Iterator[Span]:
    """The spans, with the effective instants within the (disjoint, sorted) intervals in another bucket."""
    place = 0
    for span in spans:
        place = bisect_right(intervals, span.start, lo=place, key=attrgetter("end"))
        if span.bucket == Bucket.EFFECTIVE:
            yield from _turned_one(span, intervals, place, bucket)
        else:
            yield span


def _turned_one(span: Span, intervals: Sequence[Interval], place: int, bucket: Bucket) -> Iterator[Span]:
    """One effective span, cut where the intervals from `place` on begin and end."""
    start, end = span.start, span.end
    while place < len(intervals) and intervals[place].start < end:
        until, back = max(start, intervals[place].start), min(end, intervals[place].end)
        if start < until:
            yield span._replace(start=start, end=until)
        if until < back:
            yield span._replace(start=until, end=back, bucket=bucket)
        start = max(until, back)
        place += 1
    if start < end:
        yield span._replace(start=start)


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Neighbours of one bucket, phase and rank, joined."""
    last: Span | None = None
    for span in spans:
        if last is not None and last[2:] == span[2:]:
            last = last._replace(end=span.end)
        else:
            if last is not None:
                yield last
            last = span
    if last is not None:
        yield last


def _scheduled(stretches: Iterable[Stretch]) -> int | None:
    """When the first scheduling stretch of any rank ended."""
    first = min((s for s in stretches if parent(s.phase) == Phase.SCHEDULING), default=None)
    return first.end if first else None


def _raw(stretches: Iterable[Stretch]) -> Mapping[str, int]:
    """How long each phase was open, as sent."""
    raw: Counter[str] = Counter()
    for start, end, phase, _, _ in stretches:
        raw[phase] += end - start
    return dict(raw)


def _gap(one: Attempt, other: Attempt, limits: Limits) -> Gap:
    """What lies between two attempts."""
    pause = not one.interrupted or other.start - one.end > limits.abandoned_after
    return Gap(one.end, other.start, None if pause else Bucket.DOWNTIME, one.number)


def _at_risk(attempt: Attempt, layout: Layout) -> int:
    """Effective time since the attempt's own latest checkpoint was captured."""
    saved = max((checkpoint.snapshot for checkpoint in layout.checkpoints), default=attempt.start)
    effective = (span for span in attempt.spans if span.bucket == Bucket.EFFECTIVE)
    return sum(max(0, span.end - max(span.start, saved)) for span in effective)


def _notes(counted: Sequence[Bounded], gaps: Sequence[Gap], left_out: int) -> Mapping[str, int]:
    """How often the events of a job did not make sense, by kind."""
    notes = Counter(attempt_left_out=left_out)
    for one in counted:
        notes.update(one.layout.notes)
        notes["past_end"] += one.strays
        notes["no_model"] += one.facts.model is None
        notes["no_gpus"] += one.facts.gpus is None
    for one, gap in zip(counted, gaps, strict=False):
        notes["abandoned"] += one.interrupted and gap.bucket is None
    return {kind: count for kind, count in sorted(notes.items()) if count}
