"""What /metrics tells of that which all processes share."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
import redis
import yaml
from django.conf import settings as configured
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from ettdash.telemetry import broker, database
from ettdash.telemetry.broker import Broker
from ettdash.telemetry.patient import Patient
from ettdash.version import version
from ingest.models import Mark
from rollup.services import mark_silent, refresh_marked
from rollup.tasks import refresh_marked as refresh_task
from tests.trainer import Trainer, event

PAGE = Path(__file__).parents[2] / "docs" / "telemetry.md"


@pytest.fixture(autouse=True)
def _read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that an earlier test read is shown."""
    monkeypatch.setattr(database, "readings", Patient(database.read, 10.0, 0.0))
    monkeypatch.setattr(broker, "queues", Patient(Broker().queue, 10.0, 0.0))


@pytest.fixture
def queue() -> Iterator[redis.Redis]:
    """Redis with an empty queue."""
    client = redis.Redis.from_url(str(configured.REDIS_URL), decode_responses=True)
    client.delete(broker.QUEUE)
    yield client
    client.delete(broker.QUEUE)


def shown(client: Client) -> dict[str, float]:
    """Every sample of ours, by its name and labels."""
    text = client.get("/metrics").content.decode()
    return {
        ",".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.django_db(transaction=True)
def test_how_far_the_counting_is(client: Client, t0: float) -> None:
    trainer = Trainer.of_team("vision", client)
    trainer.send(event("heartbeat", t0, job="a"), event("heartbeat", t0, job="b", attempt=2))
    trainer.send(event("heartbeat", t0 + 1, job="a"))
    Mark.objects.update(made_at=timezone.now() - timedelta(seconds=20))
    before = shown(client)
    assert (before["ettdash_marks_waiting"], before["ettdash_jobs_waiting"]) == (3, 2)
    assert 20 <= before["ettdash_oldest_mark_age_seconds"] < 200
    refresh_marked(60.0)
    mark_silent(0)
    after = shown(client)
    assert (after["ettdash_marks_waiting"], after["ettdash_oldest_mark_age_seconds"]) == (0, 0)
    assert 20 <= after["ettdash_rollup_lag_seconds"] < 200
    assert after["ettdash_refreshes_total,done"] == 2
    assert after["ettdash_refreshes_total,failed"] == 0
    assert after["ettdash_refresh_seconds_total"] > 0
    assert 0 <= after["ettdash_pass_age_seconds,refresh"] < 100
    assert 0 <= after["ettdash_pass_age_seconds,silence"] < 100


@pytest.mark.django_db(transaction=True)
def test_how_much_room_is_taken(client: Client, t0: float) -> None:
    Trainer.of_team("vision", client).send(event("heartbeat", t0))
    found = shown(client)
    assert found["ettdash_event_partitions"] >= 1
    sizes = {name: found[f"ettdash_storage_bytes,{name}"] for name in ("events", "marks", "totals")}
    assert all(sizes.values())
    assert found["ettdash_storage_bytes,database"] > sum(sizes.values())
    assert 1 <= found["ettdash_database_connections"] <= found["ettdash_database_connections_limit"]


def test_how_long_tasks_wait(client: Client, db: None, queue: redis.Redis) -> None:
    assert shown(client)["ettdash_queue_messages"] == 0
    refresh_task.apply_async()
    # As though the first had been asked for a minute earlier.
    message = json.loads(str(queue.lindex(broker.QUEUE, 0)))
    message["headers"]["published_at"] -= 60
    queue.lset(broker.QUEUE, 0, json.dumps(message))
    refresh_task.apply_async()
    found = shown(client)
    assert found["ettdash_queue_messages"] == 2
    assert 60 <= found["ettdash_queue_oldest_age_seconds"] < 300


def test_a_message_that_tells_no_age_has_none(client: Client, db: None, queue: redis.Redis) -> None:
    queue.lpush(broker.QUEUE, "not ours")
    found = shown(client)
    assert (found["ettdash_queue_messages"], found["ettdash_queue_oldest_age_seconds"]) == (1, 0)


def test_redis_away_is_told(
    client: Client, db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    found = shown(client)
    assert (found["ettdash_redis_up"], found["ettdash_database_up"]) == (0, 1)
    assert "ettdash_queue_messages" not in found


def test_a_database_that_never_answers_is_told(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Event()
    monkeypatch.setattr(database, "readings", Patient(answer.wait, patience_s=0.1, fresh_s=0.0))
    found = shown(client)
    answer.set()
    assert (found["ettdash_database_up"], found["ettdash_redis_up"]) == (0, 1)
    assert found[f"ettdash_build_info,{version()}"] == 1


@pytest.mark.django_db(transaction=True)
def test_the_page_lists_exactly_what_is_shown(client: Client, t0: float) -> None:
    trainer = Trainer.of_team("vision", client)
    trainer.post([event("heartbeat", t0), event("heartbeat", "noon")])
    refresh_marked(60.0)
    text = client.get("/metrics").content.decode()
    there = set(re.findall(r"^# TYPE (ettdash_\w+) ", text, re.MULTILINE))
    assert len(listed()) == len(set(listed()))
    assert set(listed()) == {name for name in there if not name.endswith("_created")}


def listed() -> list[str]:
    """The metrics in the tables of the page."""
    return re.findall(r"^\| `(ettdash_\w+)`", PAGE.read_text(), re.MULTILINE)


def test_the_rules_of_the_page_ask_for_metrics_that_are_there() -> None:
    (block,) = re.findall(r"^```yaml\n(.+?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (group,) = yaml.safe_load(block)["groups"]
    asked = {name for rule in group["rules"] for name in re.findall(r"ettdash_\w+", rule["expr"])}
    assert asked
    assert {name.removesuffix("_bucket") for name in asked} <= set(listed())
