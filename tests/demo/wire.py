"""Spec section 3 as a small checker of its own: what an event may look like, and its limits."""

import json
import re
from typing import Any

FIELDS: dict[str, set[str]] = {
    "attempt_start": {"model", "gpus", "cluster", "tier", "workload", "labels"},
    "phase_start": {"phase"},
    "phase_end": {"phase"},
    "phase": {"phase", "duration_s"},
    "checkpoint": {"name", "snapshot_ts", "step", "async"},
    "checkpoint_loaded": {"name", "step"},
    "compile": {"duration_s", "cache", "recompile", "reason", "frame", "stages_s", "caches", "kernels"},
    "heartbeat": {"step", "samples"},
    "failure": {"category", "component", "message", "infra"},
    "attempt_end": {"outcome"},
}
COMMON = {"id", "type", "job", "attempt", "ts", "rank", "seq", "attrs"}
REQUIRED = {"id", "type", "job", "attempt", "ts"}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
JOB = re.compile(r"[^/\x00-\x1f]+(/[^/\x00-\x1f]+)*")
PHASE = re.compile(r"[a-z0-9_]{1,64}(\.[a-z0-9_]{1,64})?")


def faults(event: dict[str, Any], now: float) -> list[str]:
    """What is wrong with an event that is posted at `now`; nothing for a good one."""
    checks = {
        "unknown or missing fields": not event.keys() - COMMON - FIELDS[event["type"]]
        and event.keys() >= REQUIRED,
        "id": UUID.fullmatch(event["id"]),
        "job": len(event["job"]) <= 255 and JOB.fullmatch(event["job"]),
        "phase": "phase" not in FIELDS[event["type"]] or PHASE.fullmatch(event["phase"]),
        "numbers": all(0 <= event.get(field, 0) < 2**31 for field in ("attempt", "rank", "seq")),
        "totals": all(0 <= event.get(field, 0) < 2**63 for field in ("step", "samples")),
        "gpus": 0 <= event.get("gpus", 0) <= 10**6,
        "duration": event.get("duration_s", 0) >= 0,
        "times": all(now - 90 * 86_400 < ts < now + 3600 for ts in times(event)),
        "labels": len(event.get("labels", {})) <= 32 and len(event.get("attrs", {})) <= 64,
        "lengths": all(len(text) <= limit for limit, text in texts(event)),
        "size": len(json.dumps(event)) < 64 * 1024,
    }
    return [name for name, good in checks.items() if not good]


def times(event: dict[str, Any]) -> list[float]:
    """The instants that have limits."""
    return [event["ts"], event["ts"] + event.get("duration_s", 0), event.get("snapshot_ts", event["ts"])]


def texts(event: dict[str, Any]) -> list[tuple[int, str]]:
    """Each text with the characters that it may have."""
    inner = {**event.get("labels", {}), **event.get("attrs", {})}
    found = [(256, text) for pair in inner.items() for text in pair]
    for field, value in event.items():
        if isinstance(value, str):
            found.append((4096 if field in ("message", "reason") else 256, value))
    return found
