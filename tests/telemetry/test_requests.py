"""Every request has an id, a time and a line."""

import re
from io import StringIO

import pytest
from django.test import Client
from prometheus_client import REGISTRY
from pytest_django import Settings
from structlog.contextvars import get_contextvars

from accounts.models import User
from tests.telemetry.conftest import Lines
from tests.trainer import Trainer, event


@pytest.fixture
def client(db: None, settings: Settings) -> Client:
    """A browser that is shown what breaks, on a product where something does."""
    settings.ROOT_URLCONF = "tests.telemetry.broken"
    return Client(raise_request_exception=False)


def test_a_well_formed_id_is_taken_over(client: Client) -> None:
    for sent in ("a", "abc-1.2_3", "x" * 64):
        assert client.get("/healthz", headers={"X-Request-ID": sent})["X-Request-ID"] == sent


@pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "a\nb", "é", "<b>", 'a"b'])
def test_any_other_is_replaced(client: Client, sent: str) -> None:
    made = {client.get("/healthz", headers={"X-Request-ID": sent})["X-Request-ID"] for _ in range(2)}
    assert len(made) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in made)


def test_a_request_has_one_line(trainer: Trainer, t0: float, lines: Lines) -> None:
    response = trainer.post(
        [event("heartbeat", t0)], path="/api/v1/events?a=secret", **{"X-Request-ID": "r1"}
    )
    (line,) = lines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line.pop("at"))
    assert line.pop("ms") > 0
    assert line == {
        "level": "info",
        "logger": "ettdash.request",
        "event": "request",
        "request_id": "r1",
        "token_id": trainer.token.pk,
        "team_id": trainer.token.team_id,
        "method": "POST",
        "route": "/api/v1/events",
        "path": "/api/v1/events",
        "status": 200,
        "bytes": len(response.content),
        "client": "127.0.0.1",
    }


def test_a_person_is_told_by_number(client: Client, lines: Lines) -> None:
    user = User.objects.create_user("ada", is_superuser=True)
    client.force_login(user)
    client.get("/")
    assert [line["user_id"] for line in lines() if line["logger"] == "ettdash.request"] == [user.pk]


def test_probes_leave_no_line_while_all_is_well(client: Client, lines: Lines) -> None:
    for path in ("/healthz", "/readyz", "/metrics", "/static/none.js"):
        client.get(path)
    assert lines() == []


def test_what_broke_can_be_found_by_the_id_that_is_told(client: Client, lines: Lines) -> None:
    response = client.get("/api/v1/broken", headers={"X-Request-ID": "r1"})
    assert (response.status_code, response.json()["request_id"]) == (500, "r1")
    page = client.get("/broken", headers={"X-Request-ID": "r2"})
    assert (page.status_code, "<code>r2</code>" in page.content.decode()) == (500, True)
    traces = [line for line in lines() if "exception" in line]
    assert [line["request_id"] for line in traces] == ["r1", "r2"]
    assert all("RuntimeError" in line["exception"] for line in traces)


def test_a_thread_forgets_a_request_when_it_ends(client: Client) -> None:
    client.get("/broken", headers={"X-Request-ID": "r1"})
    assert get_contextvars() == {}


def test_a_database_that_is_away_for_the_middleware_is_503(
    client: Client, settings: Settings, lines: Lines, written: StringIO
) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.telemetry.broken.SessionsGone"]
    page, call = client.get("/login/"), client.get("/api/v1/openapi.json")
    assert (page.status_code, call.status_code) == (503, 503)
    assert page["Retry-After"]
    assert call["Retry-After"]
    assert "The database does not answer" in page.content.decode()
    assert call["Content-Type"] == "application/problem+json"
    assert "hunter2" not in written.getvalue()
    assert [line["event"] for line in lines() if "exception" in line] == []


def test_times_and_refusals_are_counted_by_route_and_never_by_address(client: Client) -> None:
    def counted(**labels: str) -> float:
        return REGISTRY.get_sample_value("ettdash_request_seconds_count", labels) or 0.0

    named = {"route": "/named/<str:name>", "method": "GET", "status": "2xx"}
    nowhere = {"route": "none", "method": "GET", "status": "4xx"}
    before = counted(**named), counted(**nowhere)
    for path in ("/named/a", "/named/b", "/nothing/a", "/nothing/b"):
        client.get(path)
    client.generic("BREW", "/named/a")
    assert (counted(**named), counted(**nowhere)) == (before[0] + 2, before[1] + 2)
    assert counted(route="/named/<str:name>", method="other", status="2xx") >= 1
    refused = REGISTRY.get_sample_value("ettdash_refusals_total", {"route": "none", "status": "404"})
    assert (refused or 0) >= 2
