"""Draws up ledgers straight from simulated events, so that tests measure what the product will measure."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from ett.buckets import Ledger, charge
from ett.events import Event, Limits
from ett.spans import lay_out

COMMON = {"id", "type", "job", "attempt", "rank", "seq", "ts", "phase", "duration_s", "snapshot_ts"}


def micros(seconds: float) -> int:
    """Whole microseconds of an instant or a duration in seconds."""
    return round(seconds * 1_000_000)


def heard(sent: dict[str, Any]) -> Event:
    """An event of the wire as the core reads it."""
    body = {key: value for key, value in sent.items() if key not in COMMON}
    if "snapshot_ts" in sent:
        body["snapshot_ts"] = micros(sent["snapshot_ts"])
    duration = micros(sent["duration_s"]) if "duration_s" in sent else None
    return Event(
        sent["type"], sent["attempt"], sent.get("rank", 0), sent.get("seq"), micros(sent["ts"]),
        UUID(sent["id"]), sent.get("phase"), duration, body,
    )  # fmt: skip


def ledger_of(events: Iterable[dict[str, Any]], now: float) -> Ledger:
    """The ledger of one job at an instant."""
    by_attempt: defaultdict[int, list[Event]] = defaultdict(list)
    for event in map(heard, events):
        by_attempt[event.attempt].append(event)
    limits = Limits()
    return charge([lay_out(own, limits) for own in by_attempt.values()], micros(now), limits)
