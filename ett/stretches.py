"""Phases as sent: from the starts and ends of each rank to stretches of time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ett.events import Event, Kind
from ett.phases import is_known


class Interval(NamedTuple):
    """From `start` to `end`; the end is outside."""

    start: int
    end: int


class Stretch(NamedTuple):
    """A phase that was open on a rank from `start` to `end`, cut at the attempt's bounds."""

    start: int
    end: int
    phase: str
    rank: int
    began: int  # as sent, before any cut: it decides which of several open phases is charged


class Mark(NamedTuple):
    """The start or the end of a known phase on one rank."""

    ts: int
    phase: str
    opens: bool
    seq: int | None


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of an attempt, in order of time, and how many ends had no start."""

    all: tuple[Stretch, ...]
    stray_ends: int


def stretches(events: Sequence[Event], bounds: Interval, lost_after: int) -> Stretches:
    """Every stretch of known phases within the attempt's bounds."""
    open_until = _patience(events, bounds.end, lost_after)
    found = list(_whole(events))
    stray_ends = 0
    for rank, marks in _marks_by_rank(events).items():
        paired = _pair(rank, marks, open_until[rank])
        found += paired.all
        stray_ends += paired.stray_ends
    return Stretches(tuple(sorted(clip(found, bounds))), stray_ends)


def clip(found: Iterable[Stretch], bounds: Interval) -> Iterable[Stretch]:
    """The stretches cut at the bounds, without those that have no length left."""
    for start, end, phase, rank, began in found:
        start, end = max(start, bounds.start), min(end, bounds.end)
        if start < end:
            yield Stretch(start, end, phase, rank, began)


def _patience(events: Sequence[Event], end: int, lost_after: int) -> Mapping[int, int]:
    """Until when each rank's unended stretches last."""
    latest: dict[int, int] = {}
    for event in events:
        if event.ts >= latest.get(event.rank, event.ts):
            latest[event.rank] = event.ts
    lowest = min(latest)
    # One lost message of one of many ranks must not void the whole job.
    return {rank: end if rank == lowest else min(end, ts + lost_after) for rank, ts in latest.items()}


def _whole(events: Iterable[Event]) -> Iterable[Stretch]:
    """The stretches that were sent as one event."""
    for event in events:
        if event.type == Kind.PHASE and event.phase and event.duration and is_known(event.phase):
            yield Stretch(event.ts, event.ts + event.duration, event.phase, event.rank, event.ts)


def _marks_by_rank(events: Iterable[Event]) -> Mapping[int, list[Mark]]:
    """The starts and ends of known phases, rank by rank."""
    marks: defaultdict[int, list[Mark]] = defaultdict(list)
    for event in events:
        opens = event.type == Kind.PHASE_START
        if (opens or event.type == Kind.PHASE_END) and event.phase and is_known(event.phase):
            marks[event.rank].append(Mark(event.ts, event.phase, opens, event.seq))
    return marks


def _pair(rank: int, marks: Iterable[Mark], open_until: int) -> Stretches:
    """The stretches between one rank's starts and ends."""
    found: list[Stretch] = []
    stray_ends = 0
    open_since: dict[str, int] = {}
    by_ts = attrgetter("ts")
    for _, together in groupby(sorted(marks, key=by_ts), by_ts):
        for mark in _sequence(list(together), open_since):
            began = open_since.pop(mark.phase, None)
            if began is not None:
                found.append(Stretch(began, mark.ts, mark.phase, rank, began))
            elif not mark.opens:
                stray_ends += 1
            if mark.opens:
                open_since[mark.phase] = mark.ts
    found += [Stretch(began, open_until, phase, rank, began) for phase, began in open_since.items()]
    return Stretches(tuple(found), stray_ends)


def _sequence(together: list[Mark], open_before: Mapping[str, int]) -> list[Mark]:
    """One rank's marks of one instant, in the order they are taken."""
    if len(together) == 1:
        return together
    counters = {mark.seq for mark in together}
    if None not in counters and len(counters) == len(together):
        return sorted(together, key=lambda mark: mark.seq or 0)
    # No counter to trust: an open phase ends before it starts anew, a closed one starts before it ends.
    return sorted(together, key=lambda mark: mark.opens == (mark.phase in open_before))
