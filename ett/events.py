"""What trainers report, as values, and the limits that a ledger is drawn up with."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

SECOND = 1_000_000  # all instants and durations are whole microseconds
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class Kind(StrEnum):
    """The types of events, as on the wire."""

    ATTEMPT_START = "attempt_start"
    PHASE_START = "phase_start"
    PHASE_END = "phase_end"
    PHASE = "phase"
    CHECKPOINT = "checkpoint"
    CHECKPOINT_LOADED = "checkpoint_loaded"
    COMPILE = "compile"
    HEARTBEAT = "heartbeat"
    FAILURE = "failure"
    ATTEMPT_END = "attempt_end"


class Outcome(StrEnum):
    """How an attempt ended, or that it still runs."""

    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    PREEMPTED = "preempted"
    LOST = "lost"
    RUNNING = "running"


INTERRUPTED = frozenset({Outcome.FAILED, Outcome.PREEMPTED, Outcome.LOST})

CATEGORIES = (
    "preemption",
    "hardware",
    "network",
    "storage",
    "scheduler",
    "service",
    "data",
    "oom",
    "hang",
    "user_code",
    "lost",
    "unknown",
)
NOT_INFRA = frozenset({"data", "oom", "user_code"})


class Event(NamedTuple):
    """What one rank of an attempt says happened at an instant."""

    type: str
    attempt: int
    rank: int
    seq: int | None
    ts: int  # µs since 1970 UTC
    id: UUID
    phase: str | None  # of phase_start, phase_end and phase
    duration: int | None  # µs, of phase and compile
    body: Mapping[str, Any]  # the other wire fields; snapshot_ts in µs


@dataclass(frozen=True, slots=True)
class Limits:
    """How long silence, standing still and a gap may last before they mean something, in µs."""

    lost_after: int = 15 * MINUTE
    hang_after: int = 10 * MINUTE
    abandoned_after: int = 7 * DAY


def in_order(event: Event) -> tuple[int, int, bool, int, UUID]:
    """Sort key: by time, and at one instant by rank, seq (a missing one first) and id."""
    return event.ts, event.rank, event.seq is not None, event.seq or 0, event.id
