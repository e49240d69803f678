"""One attempt on its own: its bounds, its phases, and which phase each of its instants is charged to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from ett.events import NOT_INFRA, Event, Kind, Limits, Outcome, in_order
from ett.phases import is_known
from ett.stretches import Interval, Stretch, stretches
from ett.sweep import Charged, charged


@dataclass(frozen=True, slots=True)
class Facts:
    """What an attempt says about itself; None where it says nothing."""

    model: str | None = None
    gpus: int | None = None
    cluster: str | None = None
    tier: str | None = None
    workload: str | None = None
    labels: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How and when an attempt said that it ended."""

    at: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Failure:
    """What an attempt's earliest failure was put down to."""

    category: str
    infra: bool


class Checkpoint(NamedTuple):
    """A state captured at `snapshot` that was durable at `durable`."""

    snapshot: int
    durable: int
    rank: int
    name: str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """All that a job's ledger needs to know of one attempt, whatever the other attempts and now."""

    number: int
    start: int
    end: int  # its ending or, without one, its last sign of life
    ending: Ending | None
    failure: Failure | None
    facts: Facts
    stretches: tuple[Stretch, ...]
    charged: tuple[Charged, ...]  # tiles start to end
    advances: tuple[int, ...]  # when a heartbeat's step exceeded all before
    checkpoints: tuple[Checkpoint, ...]
    loads: tuple[str, ...]  # names of loaded checkpoints, each at its last load, in order
    heard: tuple[int, ...]  # sorted ts of all events but checkpoints and loads
    notes: Mapping[str, int]


def lay_out(events: Iterable[Event], limits: Limits) -> Layout:
    """The layout of one attempt, of which there is at least one event; each id once, in any order."""
    heard = list(events)
    ending = _ending(heard)
    bounds = _bounds(heard, ending)
    phases = stretches(heard, bounds, limits.lost_after)
    return Layout(
        number=heard[0].attempt,
        start=bounds.start,
        end=bounds.end,
        ending=ending,
        failure=_failure(heard),
        facts=_facts(heard),
        stretches=phases.all,
        charged=charged(phases.all, bounds),
        advances=tuple(_advances(heard, bounds)),
        checkpoints=_checkpoints(heard),
        loads=_loads(heard),
        heard=_heard(heard),
        notes=_notes(heard, phases.stray_ends),
    )


def _bounds(events: Sequence[Event], ending: Ending | None) -> Interval:
    """From the first event of the lowest rank to the ending or the last sign of life."""
    lowest = min(event.rank for event in events)
    start = min(event.ts for event in events if event.rank == lowest)
    return Interval(start, max(start, ending.at) if ending else _last_sign(events))


def _last_sign(events: Iterable[Event]) -> int:
    """The latest instant that an attempt spoke of: an event, or the end of a whole phase."""
    return max(
        event.ts + max(0, event.duration or 0) if event.type == Kind.PHASE else event.ts for event in events
    )


def _ending(events: Iterable[Event]) -> Ending | None:
    """The earliest interruption or, without one, the latest orderly end."""
    interruptions: list[tuple[int, int, Outcome]] = []
    orderly: list[Event] = []
    for event in events:
        outcome = event.body.get("outcome") if event.type == Kind.ATTEMPT_END else None
        if event.type == Kind.FAILURE:
            interruptions.append((event.ts, 0, Outcome.FAILED))
        elif outcome == Outcome.PREEMPTED:
            interruptions.append((event.ts, 1, Outcome.PREEMPTED))
        elif outcome == Outcome.FAILED:
            interruptions.append((event.ts, 2, Outcome.FAILED))
        elif outcome is not None:
            orderly.append(event)
    if interruptions:
        at, _, how = min(interruptions)
        return Ending(at, how)
    if orderly:
        last = max(orderly, key=in_order)
        return Ending(last.ts, Outcome(last.body["outcome"]))
    return None


def _failure(events: Iterable[Event]) -> Failure | None:
    """The cause that the earliest failure names."""
    failures = [event for event in events if event.type == Kind.FAILURE]
    if not failures:
        return None
    body = min(failures, key=in_order).body
    category = body.get("category") or "unknown"
    infra = body.get("infra")
    return Failure(category, is_infra(category) if infra is None else infra)


def is_infra(category: str) -> bool:
    """Whether failures of a category are put down to the infrastructure, where the sender does not say."""
    return category not in NOT_INFRA


def _facts(events: Iterable[Event]) -> Facts:
    """Field by field, what the latest start that carries it says."""
    said: dict[str, Any] = {}
    for event in sorted((e for e in events if e.type == Kind.ATTEMPT_START), key=in_order):
        said |= {name: value for name, value in event.body.items() if value is not None}
    return Facts(**{field.name: said.get(field.name) for field in fields(Facts)})


def _advances(events: Iterable[Event], bounds: Interval) -> Iterator[int]:
    """When training got further than ever before, by its heartbeats within the bounds."""
    furthest: int | None = None
    for ts, step in sorted(_steps(events, bounds)):
        if furthest is None or step > furthest:
            furthest = step
            yield ts


def _steps(events: Iterable[Event], bounds: Interval) -> Iterator[tuple[int, int]]:
    """Instant and step of each heartbeat within the bounds that carries one."""
    for event in events:
        if event.type == Kind.HEARTBEAT and bounds.start <= event.ts <= bounds.end:
            step = event.body.get("step")
            if step is not None:
                yield event.ts, step


def _checkpoints(events: Iterable[Event]) -> tuple[Checkpoint, ...]:
    """The checkpoints of all ranks, by when their state was captured."""
    found = []
    for event in events:
        if event.type == Kind.CHECKPOINT:
            snapshot = event.body.get("snapshot_ts")
            captured = event.ts if snapshot is None else snapshot
            found.append(Checkpoint(captured, event.ts, event.rank, event.body.get("name")))
    return tuple(
        sorted(found, key=lambda c: (c.snapshot, c.durable, c.rank, c.name is not None, c.name or ""))
    )


def _loads(events: Iterable[Event]) -> tuple[str, ...]:
    """The names of the checkpoints loaded, each once, in the order of their last loads."""
    loads = sorted((e for e in events if e.type == Kind.CHECKPOINT_LOADED), key=in_order, reverse=True)
    names = dict.fromkeys(name for e in loads if (name := e.body.get("name")) is not None)
    return tuple(reversed(names))


def _heard(events: Iterable[Event]) -> tuple[int, ...]:
    """When the events happened that an attempt's bounds should hold."""
    free = (Kind.CHECKPOINT, Kind.CHECKPOINT_LOADED)  # an upload may outlive its trainer
    return tuple(sorted(event.ts for event in events if event.type not in free))


def _notes(events: Iterable[Event], stray_ends: int) -> Mapping[str, int]:
    """How often an attempt's events did not make sense, by kind."""
    unknown = negative = 0
    for event in events:
        unknown += event.phase is not None and not is_known(event.phase)
        negative += event.duration is not None and event.duration < 0
    counts = {"end_without_start": stray_ends, "negative_duration": negative, "unknown_phase": unknown}
    return {kind: count for kind, count in counts.items() if count}
