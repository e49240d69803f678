"""What schemathesis cannot know: valid events are recent, and an attr's JSON is short."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import schemathesis

EVENTS = "/api/v1/events"
ATTR_CHARS = 256


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]
) -> None:
    """Make a valid body one that the clock allows too; an invalid one stays as it is."""
    if case.path == EVENTS and case.meta and case.meta.generation.mode.is_positive:
        for event in events_of(case.body):
            bring_up(event, datetime.now(UTC) - timedelta(days=3))


def events_of(body: Any) -> Iterator[dict[str, Any]]:
    """The events of a batch in either shape."""
    events = body.get("events") if isinstance(body, dict) else body
    yield from (event for event in events if isinstance(event, dict)) if isinstance(events, list) else ()


def bring_up(event: dict[str, Any], day: datetime) -> None:
    """Move an event to a day, its hour and form kept, and leave out attrs that are too long."""
    for field in {"ts", "snapshot_ts"} & event.keys():
        event[field] = moved(event[field], day)
    if event.get("duration_s") is not None:
        event["duration_s"] = math.fmod(event["duration_s"], 3_600)
    if event.get("attrs"):
        event["attrs"] = {key: value for key, value in event["attrs"].items() if is_short(value)}


def moved(instant: Any, day: datetime) -> Any:
    """The same time of day on another day."""
    if isinstance(instant, str):
        return f"{day:%Y-%m-%d}{instant[10:]}"
    return None if instant is None else day.timestamp() + math.fmod(instant, 3_600)


def is_short(value: Any) -> bool:
    """Whether an attr is within its limit."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) <= ATTR_CHARS
