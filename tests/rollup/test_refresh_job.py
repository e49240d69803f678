"""Events become totals: whole tables, everything twice."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from ett.buckets import Bucket
from ingest.models import Event, Job, Mark
from rollup import services, tasks
from rollup.models import AttemptDay, JobTotal
from tests.trainer import Trainer, event

SECOND = 1_000_000
MINUTE = 60


def refresh() -> int:
    """Refresh all that waits, twice: the second time finds nothing."""
    refreshed = services.refresh_marked(60)
    assert services.refresh_marked(60) == 0
    assert not Mark.objects.exists()
    return refreshed


def worked_example(t0: float, **more: Any) -> list[dict[str, Any]]:
    """The worked example of docs/metrics.md, from t0 on."""

    def at(seconds: float, type: str, attempt: int = 1, **fields: Any) -> dict[str, Any]:
        return event(type, t0 + seconds, attempt=attempt, **more, **fields)

    return [
        at(0, "attempt_start", model="ranker", gpus=8, cluster="a", tier="production", workload="offline"),
        at(0, "phase", phase="scheduling", duration_s=10),
        at(10, "phase", phase="hardware_setup", duration_s=30),
        at(40, "phase", phase="launcher_init", duration_s=60),
        at(50, "phase", phase="launcher_init.get_first_batch_data", duration_s=50),
        at(60, "phase", phase="pt2_compile", duration_s=30),
        at(100, "phase_start", phase="train"),
        at(200, "phase", phase="train.checkpoint_save", duration_s=5),
        at(220, "checkpoint", name="c1", snapshot_ts=t0 + 200),
        at(300, "failure", rank=3, category="network"),
        at(330, "attempt_start", attempt=2),
        at(330, "phase", attempt=2, phase="launcher_init", duration_s=20),
        at(350, "phase_start", attempt=2, phase="train"),
        at(500, "attempt_end", attempt=2, outcome="completed"),
    ]


def spent(row: AttemptDay) -> dict[str, int]:
    return {name: seconds for name in AttemptDay.BUCKETS if (seconds := getattr(row, name) // SECOND)}


def test_columns_are_the_buckets() -> None:
    columns = {field.name for field in AttemptDay._meta.concrete_fields}
    assert [bucket.value for bucket in Bucket] == AttemptDay.BUCKETS
    assert set(AttemptDay.BUCKETS) <= columns


def test_worked_example_fills_both_tables(trainer: Trainer, t0: float) -> None:
    midnight = t0 - t0 % 86_400
    trainer.send(*worked_example(midnight))
    assert refresh() == 1
    first, second = AttemptDay.objects.order_by("attempt")
    assert spent(first) == {
        "scheduling": 10, "hardware_setup": 30, "launcher_init": 30, "pt2_compile": 30,
        "effective": 100, "unsaved": 95, "checkpoint_blocking": 5, "downtime": 30,
    }  # fmt: skip
    assert spent(second) == {"launcher_init": 20, "effective": 150}
    assert (first.failure, second.failure) == (125 * SECOND, 20 * SECOND)
    assert (first.outcome, first.category) == ("failed", "network")
    assert (second.outcome, second.category, second.gpus, second.model) == ("completed", "", 8, "ranker")
    total = JobTotal.objects.get()
    assert (total.state, total.attempts, total.model, total.gpus) == ("completed", 2, "ranker", 8)
    assert (total.wall, total.effective, total.failure) == (500 * SECOND, 250 * SECOND, 145 * SECOND)
    assert (total.down_since, total.lost_at) == (None, None)


def test_any_order_and_split_gives_the_same_rows(trainer: Trainer, client: Client, t0: float) -> None:
    events = worked_example(t0)
    trainer.send(*events)
    other = Trainer.of_team("speech", client)
    for one in reversed(events):
        other.send(one)
        other.send(one)
        services.refresh_marked(60)
    refresh()
    ignored = ("id", "job_id", "team_id")
    rows = [
        [
            {k: v for k, v in row.items() if k not in ignored}
            for row in AttemptDay.objects.filter(team__name=team).order_by("attempt", "day").values()
        ]
        for team in ("vision", "speech")
    ]
    assert rows[0] == rows[1]


def test_failure_today_corrects_yesterday(trainer: Trainer, t0: float, settings: Settings) -> None:
    settings.ETTDASH_LOST_AFTER_S = 7 * 86_400
    midnight = t0 - t0 % 86_400
    hour = 3600
    trainer.send(
        event("attempt_start", midnight - hour, model="m", gpus=4),
        event("phase_start", midnight - hour, phase="train"),
        event("heartbeat", midnight + 60),
    )
    refresh()
    yesterday, today = AttemptDay.objects.order_by("day")
    assert (yesterday.effective, today.effective) == (3600 * SECOND, 60 * SECOND)
    assert yesterday.day == datetime.fromtimestamp(midnight - 1, UTC).date()
    trainer.send(event("failure", midnight + 60))
    refresh()
    yesterday, today = AttemptDay.objects.order_by("day")
    assert (yesterday.effective, yesterday.unsaved) == (0, 3600 * SECOND)
    assert (today.effective, today.unsaved) == (0, 60 * SECOND)


def test_rows_that_are_no_more_are_removed(trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0, attempt=1), event("heartbeat", t0 + 60, attempt=1))
    refresh()
    assert AttemptDay.objects.filter(attempt=1).exists()
    # An attempt that does not begin before a later one is left out of everything.
    trainer.send(event("heartbeat", t0 - 60, attempt=2), event("heartbeat", t0 + 90, attempt=2))
    refresh()
    assert set(AttemptDay.objects.values_list("attempt", flat=True)) == {2}


def test_unchanged_rows_are_not_written(trainer: Trainer, t0: float) -> None:
    trainer.send(*worked_example(t0))
    refresh()
    versions = "SELECT array_agg(xmin::text ORDER BY id) FROM rollup_attemptday"
    with connection.cursor() as cursor:
        cursor.execute(versions)
        before = cursor.fetchone()
        trainer.send(event("heartbeat", t0 + 400, attempt=2))
        refresh()
        cursor.execute(versions)
        assert cursor.fetchone() == before


def test_model_is_unknown_until_one_has_come(trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0), event("heartbeat", t0 + 1))
    refresh()
    assert JobTotal.objects.get().model == "unknown"
    trainer.send(event("attempt_start", t0 + 2, model="late"))
    refresh()
    assert (JobTotal.objects.get().model, AttemptDay.objects.get().model) == ("late", "late")


def test_silent_job_becomes_lost_without_an_event_and_comes_back(
    trainer: Trainer, t0: float, settings: Settings
) -> None:
    start = datetime.now(UTC).timestamp() - 60
    trainer.send(
        event("attempt_start", start, model="m", gpus=64), event("phase_start", start, phase="train")
    )
    trainer.send(event("heartbeat", start + 30))
    refresh()
    total = JobTotal.objects.get()
    assert (total.state, total.down_since is None) == ("running", True)
    tasks.mark_silent()
    assert not Mark.objects.exists()
    assert total.lost_at is not None
    assert services.mark_silent(total.lost_at) == 1
    assert services.mark_silent(total.lost_at) == 0  # once is enough
    settings.ETTDASH_LOST_AFTER_S = 5
    refresh()
    total.refresh_from_db()
    assert (total.state, total.lost_at is None) == ("lost", True)
    assert total.down_since == int((start + 30) * SECOND)
    assert sum(AttemptDay.objects.values_list("unsaved", flat=True)) == 30 * SECOND
    trainer.send(event("heartbeat", datetime.now(UTC).timestamp()))
    refresh()
    total.refresh_from_db()
    assert (total.state, total.down_since is None) == ("running", True)


def test_job_that_cannot_be_worked_out_does_not_hold_up_the_others(
    trainer: Trainer, t0: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer.send(event("heartbeat", t0, job="sick"), event("heartbeat", t0, job="well"))
    sick = Job.objects.get(name="sick").pk
    refresh_job = services.refresh_job

    def fails_for_one(job_id: int, now: int) -> bool:
        if job_id == sick:
            raise ValueError("no such thing")
        return refresh_job(job_id, now)

    monkeypatch.setattr(services, "refresh_job", fails_for_one)
    monkeypatch.setattr(services, "CLAIM_AT_ONCE", 1)
    services.refresh_marked(60)
    assert list(JobTotal.objects.values_list("job__name", flat=True)) == ["well"]
    assert list(Mark.objects.values_list("job__name", flat=True)) == ["sick"]
    monkeypatch.undo()
    refresh()
    assert JobTotal.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_workers_race_while_events_keep_coming(client: Client, t0: float) -> None:
    jobs = [f"job-{n}" for n in range(4)]
    trainer = Trainer.of_team("vision", client)
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            services.refresh_marked(60)
        connection.close()

    with ThreadPoolExecutor(3) as pool:
        workers = [pool.submit(work) for _ in range(3)]
        histories = [worked_example(t0, job=job) for job in jobs]
        for batch in zip(*histories, strict=True):
            for one in batch:
                trainer.send(one)
        done.set()
        for worker in workers:
            worker.result()
    services.refresh_marked(60)
    assert not Mark.objects.exists()
    assert Event.objects.count() == 4 * len(histories[0])
    assert set(JobTotal.objects.values_list("wall", "effective", "failure")) == {
        (500 * SECOND, 250 * SECOND, 145 * SECOND)
    }
    assert JobTotal.objects.count() == 4
