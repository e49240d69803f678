"""Posts to the product over HTTP: kept connections, gzip, and patience with what time can heal."""

import contextlib
import gzip
import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

HEALS = frozenset({408, 425, 429, 502, 503, 504})
LONGEST_WAIT_S = 15.0
TIMEOUT_S = 60.0


class PostError(Exception):
    """The product refused, or was away for longer than the caller would wait."""


class StoppedError(Exception):
    """Somebody asked us to stop while we were waiting."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the product answered."""

    status: int
    body: bytes
    retry_after_s: float | None = None

    def json(self) -> dict[str, Any]:
        """The answer's JSON object; empty where it has none."""
        try:
            parsed = json.loads(self.body)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}


@dataclass(slots=True)
class Counts:
    """What became of all events so far."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    first_error: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, answer: dict[str, Any]) -> None:
        """Count one answer of the events endpoint."""
        with self.lock:
            self.accepted += answer.get("accepted", 0)
            self.duplicates += answer.get("duplicates", 0)
            self.rejected += answer.get("rejected", 0)
            if not self.first_error and answer.get("errors"):
                self.first_error = json.dumps(answer["errors"][0])


# (team, the token that was refused or None) -> the token to use
TokenFor = Callable[[str, str | None], str]


class Client:
    """Posts for all teams; each thread keeps a connection of its own."""

    def __init__(
        self, url: str, token_for: TokenFor, stop: threading.Event, patience_s: float = 300.0
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise PostError(f"{url} is no address of a product; give one such as http://127.0.0.1:8000.")
        self._parts = parts
        self._token_for = token_for
        self._stop = stop
        self.patience_s = patience_s
        self._local = threading.local()
        self.counts = Counts()

    def post_events(self, team: str, events: Sequence[dict[str, Any]]) -> None:
        """Post events of one team; returns once they are committed."""
        body = gzip.compress(json.dumps(events, separators=(",", ":")).encode(), compresslevel=1)
        answer = self._post("/api/v1/events", team, body, {"Content-Encoding": "gzip"})
        if answer.status not in (200, 422):  # 422: every event was refused, each with its reason
            raise PostError(f"The events endpoint answered {answer.status}: {answer.body[:300]!r}")
        self.counts.add(answer.json())

    def post_annotation(self, team: str, annotation: dict[str, Any]) -> None:
        """Post one annotation; posting it again changes nothing."""
        answer = self._post("/api/v1/annotations", team, json.dumps(annotation).encode(), {})
        if answer.status not in (200, 201):
            raise PostError(f"The annotations endpoint answered {answer.status}: {answer.body[:300]!r}")

    def _post(self, path: str, team: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Post until the product gives an answer that waiting would not change."""
        token, renewed = self._token_for(team, None), False
        deadline = time.monotonic() + self.patience_s
        tries = 0
        while not self._stop.is_set():
            answer = self._try(path, token, body, headers)
            if answer is not None and answer.status == 401 and not renewed:
                token, renewed = self._token_for(team, token), True
                continue
            if answer is not None and answer.status not in HEALS:
                return answer
            if time.monotonic() > deadline:
                told = f"answered {answer.status}" if answer else "could not be reached"
                raise PostError(f"{self._parts.geturl()} {told} for {self.patience_s:.0f} s.")
            self._wait(tries, answer)
            tries += 1
        raise StoppedError

    def _try(self, path: str, token: str, body: bytes, headers: dict[str, str]) -> Answer | None:
        """One request on this thread's connection; None where the product could not be reached."""
        connection = self._connection()
        whole = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Ettdash-Sent-At": f"{time.time():.3f}",
            **headers,
        }
        try:
            connection.request("POST", self._parts.path.rstrip("/") + path, body, whole)
            response = connection.getresponse()
            return Answer(response.status, response.read(), seconds(response.getheader("Retry-After")))
        except (OSError, http.client.HTTPException):
            connection.close()  # the next request opens it again
            return None

    def _connection(self) -> http.client.HTTPConnection:
        """The connection of this thread."""
        kept: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if kept is None:
            secure = self._parts.scheme == "https"
            kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            kept = kind(self._parts.hostname or "", self._parts.port, timeout=TIMEOUT_S)
            self._local.connection = kept
        return kept

    def _wait(self, tries: int, answer: Answer | None) -> None:
        """Wait as long as the product asks or, unasked, longer each time."""
        asked = answer.retry_after_s if answer else None
        pause = min(LONGEST_WAIT_S, 0.25 * 2 ** min(tries, 8)) * random.uniform(0.5, 1.0)
        if self._stop.wait(pause if asked is None else min(asked, 60.0)):
            raise StoppedError


def seconds(header: str | None) -> float | None:
    """The seconds that a Retry-After header asks for, where it gives seconds."""
    with contextlib.suppress(ValueError):
        return max(0.0, float(header)) if header else None
    return None
