"""What interruptions throw away: the training since the state that survived each of them."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ett.attempts import Bounded
from ett.spans import Checkpoint
from ett.stretches import Interval

NEVER = 1 << 80  # later than any instant


def thrown_away(attempts: Sequence[Bounded], checkpoints: Sequence[Checkpoint]) -> list[Interval]:
    """When training was done that did not survive; disjoint, in order of time."""
    beginning = attempts[0].bounds.start
    named = _snapshots_by_name(checkpoints)
    lost = []
    for place, best in zip(_interrupted(attempts), _durable(attempts, checkpoints), strict=True):
        end = attempts[place].bounds.end
        loaded = _loaded(attempts[place + 1].layout.loads, named, end) if place + 1 < len(attempts) else None
        survived = best if loaded is None else loaded
        lost.append(Interval(beginning if survived is None else survived, end))
    return list(_joined(lost))


def _interrupted(attempts: Sequence[Bounded]) -> list[int]:
    """The places of the interrupted attempts."""
    return [place for place, attempt in enumerate(attempts) if attempt.interrupted]


def _snapshots_by_name(checkpoints: Iterable[Checkpoint]) -> Mapping[str, Sequence[int]]:
    """When the checkpoints of each name were captured, in order of time."""
    named: defaultdict[str, list[int]] = defaultdict(list)
    for checkpoint in sorted(checkpoints, key=lambda checkpoint: checkpoint.snapshot):
        if checkpoint.name is not None:
            named[checkpoint.name].append(checkpoint.snapshot)
    return named


def _loaded(loads: Sequence[str], named: Mapping[str, Sequence[int]], end: int) -> int | None:
    """When the state was captured that the next attempt resumed from, as far as its loads tell."""
    for name in reversed(loads):
        snapshots = named.get(name, ())
        if known := bisect_right(snapshots, end):
            return snapshots[known - 1]
    return None


def _durable(attempts: Sequence[Bounded], checkpoints: Iterable[Checkpoint]) -> Iterator[int | None]:
    """For each interruption, the latest state captured by then and durable before training went on."""
    places = _interrupted(attempts)
    ends = [attempts[place].bounds.end for place in places]
    resumed = _resumed(attempts)
    deadlines = [resumed[place] for place in places]
    # Ends and deadlines both rise from one interruption to the next: what survives one, survives all later.
    since: list[int | None] = [None] * (len(places) + 1)
    for snapshot, durable, _, _ in checkpoints:
        first = max(bisect_left(ends, snapshot), bisect_left(deadlines, durable))
        since[first] = _later(since[first], snapshot)
    best: int | None = None
    for captured in since[:-1]:
        best = _later(best, captured)
        yield best


def _resumed(attempts: Sequence[Bounded]) -> list[int]:
    """For each attempt, the earliest first train of those after it; never, while there is none."""
    found = [NEVER]
    for attempt in reversed(attempts[1:]):
        first_train = attempt.first_train
        found.append(found[-1] if first_train is None else first_train)
    return found[::-1]


def _later(one: int | None, other: int | None) -> int | None:
    """The later of two instants that may be missing."""
    return other if one is None or (other is not None and other > one) else one


def _joined(intervals: Iterable[Interval]) -> Iterator[Interval]:
    """The same instants in disjoint intervals, in order of time."""
    last: Interval | None = None
    for interval in sorted(intervals):
        if last is not None and interval.start <= last.end:
            last = Interval(last.start, max(last.end, interval.end))
        else:
            if last is not None:
                yield last
            last = interval
    if last is not None:
        yield last
