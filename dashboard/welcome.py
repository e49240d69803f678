"""What a product without jobs teaches: the two commands that bring the first one."""

import json
import shlex
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

FIRST_JOB = {"job": "first-job", "attempt": 1}


@dataclass(frozen=True, slots=True)
class Lesson:
    """Commands to paste into a shell, one after the other."""

    token: str
    event: str


def lesson(address: str, team: str, now: datetime) -> Lesson:
    """A token for the team, and a job of ten minutes that ends now, for the page's own host."""
    create = f"manage.py create_token my-trainer --team {shlex.quote(team)} --scope write"
    token = f"TOKEN=$(.venv/bin/python {create})"
    url = shlex.quote(f"{address.rstrip('/')}/api/v1/events")
    body = ",\n  ".join(json.dumps(event) for event in _events(now))
    headers = '-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"'
    return Lesson(token, f"curl {url} \\\n  {headers} \\\n  -d '[\n  {body}]'")


def _events(now: datetime) -> list[dict[str, object]]:
    start = now.replace(microsecond=0) - timedelta(minutes=10)
    told: list[tuple[str, datetime, dict[str, object]]] = [
        ("attempt_start", start, {"model": "my-model", "gpus": 8}),
        ("phase", start, {"phase": "launcher_init", "duration_s": 60}),
        ("phase", start + timedelta(minutes=1), {"phase": "train", "duration_s": 540}),
    ]
    return [
        {"id": str(uuid4()), "type": kind, **FIRST_JOB, "ts": f"{ts:%Y-%m-%dT%H:%M:%SZ}", **fields}
        for kind, ts, fields in told
    ]
