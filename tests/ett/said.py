"""Short ways to say what a trainer would have sent."""

from collections.abc import Iterable
from itertools import count
from typing import Any
from uuid import UUID

from ett.buckets import Bucket, Ledger, charge
from ett.events import DAY, HOUR, MINUTE, SECOND, Event, Limits
from ett.spans import lay_out

__all__ = ["DAY", "HOUR", "LIMITS", "MINUTE", "SECOND", "T0", "Said", "by_attempt", "ledger_of", "seconds"]

T0 = 1_767_225_600 * SECOND  # 2026-01-01 00:00 UTC
LIMITS = Limits()
_ids = count(1)


class Said:
    """The events of one rank of one attempt; times are seconds after T0."""

    def __init__(self, attempt: int = 1, rank: int = 0) -> None:
        self.attempt = attempt
        self.rank = rank

    def event(self, type: str, at: float, seq: int | None = None, **body: Any) -> Event:
        """Any event; phase and duration (in seconds) go where they belong."""
        phase, duration = body.pop("phase", None), body.pop("duration", None)
        length = None if duration is None else round(duration * SECOND)
        ts = T0 + round(at * SECOND)
        return Event(type, self.attempt, self.rank, seq, ts, UUID(int=next(_ids)), phase, length, body)

    def begin(self, at: float, **facts: Any) -> Event:
        return self.event("attempt_start", at, **facts)

    def start(self, phase: str, at: float, seq: int | None = None) -> Event:
        return self.event("phase_start", at, seq, phase=phase)

    def end(self, phase: str, at: float, seq: int | None = None) -> Event:
        return self.event("phase_end", at, seq, phase=phase)

    def phase(self, phase: str, at: float, until: float) -> Event:
        return self.event("phase", at, phase=phase, duration=until - at)

    def saved(self, name: str | None, at: float, snapshot: float | None = None) -> Event:
        body: dict[str, Any] = {} if name is None else {"name": name}
        if snapshot is not None:
            body["snapshot_ts"] = T0 + round(snapshot * SECOND)
        return self.event("checkpoint", at, **body)

    def loaded(self, name: str, at: float) -> Event:
        return self.event("checkpoint_loaded", at, name=name)

    def beat(self, at: float, step: int | None = None) -> Event:
        return self.event("heartbeat", at, **({} if step is None else {"step": step}))

    def failed(self, at: float, seq: int | None = None, **body: Any) -> Event:
        return self.event("failure", at, seq, **body)

    def ended(self, outcome: str, at: float, seq: int | None = None) -> Event:
        return self.event("attempt_end", at, seq, outcome=outcome)


def by_attempt(events: Iterable[Event]) -> dict[int, list[Event]]:
    """A job's events, attempt by attempt, in the order given."""
    attempts: dict[int, list[Event]] = {}
    for event in events:
        attempts.setdefault(event.attempt, []).append(event)
    return attempts


def ledger_of(*events: Event, now: float | None = None, limits: Limits = LIMITS) -> Ledger:
    """The ledger of a job; now is the latest instant anything was said, if not given."""
    at = max(event.ts for event in events) if now is None else T0 + round(now * SECOND)
    return charge([lay_out(own, limits) for own in by_attempt(events).values()], at, limits)


def seconds(totals: dict[Bucket, int]) -> dict[str, float]:
    """Bucket seconds, without the empty buckets."""
    return {bucket.value: time / SECOND for bucket, time in totals.items() if time}
