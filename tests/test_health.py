"""/healthz, /readyz and /metrics."""

import pytest
from django.test import Client
from pytest_django import Settings

from ettdash import health
from ingest.rate import Limiter
from tests.trainer import Trainer, event


def test_alive_and_ready(client: Client, db: None) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "degraded": []}


def test_redis_away_only_degrades(
    client: Client, db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(health, "limiter", Limiter())
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "degraded", "degraded": ["redis"]})


def test_unmigrated_database_is_not_ready(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_unmigrated", lambda: True)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (503, "unavailable")
    assert response["Retry-After"]


def test_what_becomes_of_events_is_counted(trainer: Trainer, t0: float) -> None:
    def counted(name: str) -> float:
        lines = trainer.client.get("/metrics").content.decode().splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(name + " ")), 0.0)

    names = {
        'ettdash_events_total{result="accepted"}': 2,
        'ettdash_events_total{result="duplicate"}': 2,
        'ettdash_events_total{result="rejected"}': 1,
        'ettdash_events_rejected_total{code="bad_ts"}': 1,
        "ettdash_event_id_conflicts_total": 1,
    }
    before = {name: counted(name) for name in names}
    one, two = event("heartbeat", t0, step=1), event("heartbeat", t0)
    trainer.post([one, two, one, one | {"step": 2}, event("heartbeat", "noon")])
    assert {name: counted(name) - before[name] for name in names} == names


def test_scripts_come_from_this_host_alone(client: Client, db: None) -> None:
    policy = client.get("/login/")["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]


def test_nothing_there_is_said_in_the_callers_format(client: Client, db: None) -> None:
    response = client.get("/api/v1/nothing")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")
    assert response.json()["status"] == 404
    response = client.get("/nothing")
    assert (response.status_code, response["Content-Type"].split(";")[0]) == (404, "text/html")
