"""The database stops and comes back: what is answered meanwhile, and that all heals by itself."""

import json
import time
import urllib.error
import urllib.request
import uuid
from email.message import Message
from pathlib import Path

import pytest

from ettdash.launcher.embedded import Services
from tests.launcher.running import Launcher, create_token, discard, launched, wait_until


def ask(launcher: Launcher, path: str, token: str = "", body: object = None) -> tuple[int, Message, bytes]:
    """Status, headers and body of the answer to a GET, or a POST where there is a body."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{launcher.port}{path}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def heartbeat() -> dict[str, object]:
    return {"id": str(uuid.uuid4()), "type": "heartbeat", "job": "a", "attempt": 1, "ts": time.time()}


@pytest.mark.timeout(300)
def test_database_away_is_503_and_heals_by_itself(tmp_path: Path) -> None:
    services = Services(tmp_path / "services")
    services.start()
    try:
        with launched(
            tmp_path / "product", DATABASE_URL=services.database_url, REDIS_URL=services.redis_url
        ) as launcher:
            launcher.up()
            token = create_token(tmp_path / "product", "vision")
            assert ask(launcher, "/api/v1/events", token, [heartbeat()])[0] == 200
            services.stop()
            _check_away(launcher, token)
            services = Services(tmp_path / "services")
            services.start()
            wait_until(lambda: launcher.answers("/readyz"), "the product is ready again")
            status, _, body = ask(launcher, "/api/v1/events", token, [heartbeat()])
            assert (status, json.loads(body)["accepted"]) == (200, 1)
    finally:
        services.stop()
        discard(tmp_path / "services")
        discard(tmp_path / "product")


def _check_away(launcher: Launcher, token: str) -> None:
    status, headers, body = ask(launcher, "/api/v1/events", token, [heartbeat()])
    assert (status, headers["Content-Type"]) == (503, "application/problem+json")
    assert int(headers["Retry-After"]) > 0
    assert json.loads(body)["status"] == 503
    status, headers, body = ask(launcher, "/readyz")
    assert (status, json.loads(body)["status"]) == (503, "unavailable")
    assert ask(launcher, "/healthz")[0] == 200
    status, headers, body = ask(launcher, "/login/")
    assert status in (200, 503)  # the form itself needs no database
    status, headers, body = ask(launcher, "/metrics")
    assert status == 200
