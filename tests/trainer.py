"""A trainer as the tests see it: makes events and posts them."""

import json
import sys
import uuid
from dataclasses import dataclass
from typing import Any, Self

from django.http import HttpResponse
from django.test import Client

from accounts.models import Token
from accounts.services import create_token

if sys.version_info >= (3, 14):
    from compression.zstd import compress as zstd_compress
else:
    from backports.zstd import compress as zstd_compress

__all__ = ["EVENTS", "Event", "Trainer", "event", "zstd_compress"]

EVENTS = "/api/v1/events"
Event = dict[str, Any]


def event(type: str, ts: Any, job: str = "ranker/eu", attempt: int = 1, **fields: Any) -> Event:
    """An event with an id of its own."""
    return {"id": str(uuid.uuid4()), "type": type, "job": job, "attempt": attempt, "ts": ts, **fields}


@dataclass(frozen=True)
class Trainer:
    """Holds a token of a team."""

    client: Client
    token: Token
    secret: str

    @classmethod
    def of_team(cls, team: str, client: Client, *scopes: str) -> Self:
        token, secret = create_token("trainer", team, scopes or ["write"])
        return cls(client, token, secret)

    def post(
        self, body: Any, content_type: str = "application/json", path: str = EVENTS, **headers: str
    ) -> HttpResponse:
        """Post a body: bytes as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.secret}"} | headers
        return self.client.post(path, data, content_type=content_type, headers=headers)  # type: ignore[return-value]

    def send(self, *events: Event) -> dict[str, Any]:
        """Post events that are all taken."""
        response = self.post(list(events))
        assert response.status_code == 200, response.content
        answer: dict[str, Any] = json.loads(response.content)
        assert answer["rejected"] == 0, answer
        return answer
