"""/healthz, /readyz and /metrics."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from ettdash import health
from ettdash.telemetry import database
from ettdash.telemetry.broker import Broker
from ettdash.telemetry.database import Migrations
from ingest.models import Job, Mark
from rollup.models import Pulse
from rollup.services import refresh_marked
from tests.trainer import Trainer, event


def test_alive_and_ready(client: Client, db: None) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    # No pass has ended yet, and nothing waits: a product that just begins is not behind.
    assert client.get("/readyz").json() == {
        "status": "ok",
        "degraded": [],
        "rollup_lag_s": 0.0,
        "last_pass_s": None,
    }


def test_redis_away_only_degrades(
    client: Client, db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(health, "broker", Broker())
    response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    assert response.json()["degraded"] == ["redis"]


def test_events_that_wait_for_long_only_degrade(client: Client, trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0))
    assert client.get("/readyz").json()["degraded"] == []
    Mark.objects.update(made_at=timezone.now() - timedelta(seconds=90))
    response = client.get("/readyz")
    assert (response.status_code, response.json()["degraded"]) == (200, ["rollup"])
    assert 90 <= response.json()["rollup_lag_s"] < 300
    refresh_marked(60.0)
    assert client.get("/readyz").json()["degraded"] == []


def test_passes_that_stopped_only_degrade(client: Client, db: None) -> None:
    refresh_marked(1.0)
    assert client.get("/readyz").json()["degraded"] == []
    Pulse.objects.update(ran_at=timezone.now() - timedelta(seconds=90))
    response = client.get("/readyz")
    assert (response.status_code, response.json()["degraded"]) == (200, ["rollup"])
    assert 90 <= response.json()["last_pass_s"] < 300


def test_unmigrated_database_is_not_ready(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "migrations", Migrations())
    applied = MigrationRecorder(connection).migration_qs
    applied.filter(app="rollup", name="0002_pulse").delete()
    response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (503, "unavailable")
    assert response["Retry-After"]
    MigrationRecorder(connection).record_applied("rollup", "0002_pulse")
    assert client.get("/readyz").status_code == 200


def test_ready_costs_few_questions(client: Client, db: None) -> None:
    client.get("/readyz")
    with CaptureQueriesContext(connection) as asked:
        client.get("/readyz")
    assert len(asked) <= 4  # one question, its limits, and a savepoint


def test_the_oldest_mark_is_the_first_one(client: Client, trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0, job="old"))
    Mark.objects.filter(job=Job.objects.get(name="old")).update(
        made_at=timezone.now() - timedelta(seconds=10)
    )
    trainer.send(event("heartbeat", t0, job="new"))
    assert 10 <= client.get("/readyz").json()["rollup_lag_s"] < 100


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
