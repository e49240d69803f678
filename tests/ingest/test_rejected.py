"""Events that were not kept are counted by team, day and code; the batch does not depend on it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client

from ingest import queries, rejected
from ingest.models import Event, Rejected
from ingest.parse import Fault
from ingest.services import now_us, take_in
from tests.trainer import Trainer, event


def rows() -> list[tuple[str, str, int]]:
    """Team, code and number of each row."""
    return list(Rejected.objects.order_by("team__name", "code").values_list("team__name", "code", "n"))


def test_bad_events_are_counted_by_team_and_code(trainer: Trainer, client: Client, t0: float) -> None:
    bad = event("heartbeat", "noon")
    assert trainer.post([event("heartbeat", t0), bad, bad, event("nap", t0)]).status_code == 200
    assert trainer.post([bad]).status_code == 422
    Trainer.of_team("speech", client).post([bad])
    assert rows() == [("speech", "bad_ts", 1), ("vision", "bad_ts", 3), ("vision", "bad_type", 1)]


def test_the_last_fault_of_each_code_is_kept(trainer: Trainer, t0: float) -> None:
    before = datetime.now(UTC)
    trainer.post([event("heartbeat", "noon"), event("checkpoint", t0, snapshot_ts="2026-01-01T00:00:00")])
    trainer.post([event("heartbeat", "2026-01-01T00:00:00")])
    row = Rejected.objects.get(code="bad_ts")
    assert (row.n, row.last_field, row.last_message) == (2, "ts", "ts has no time zone")
    assert before <= row.last_at <= datetime.now(UTC)


def test_a_good_batch_asks_nothing_more(trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0))
    assert rows() == []


def test_a_day_is_the_utc_day_of_receipt(trainer: Trainer) -> None:
    team = trainer.token.team_id
    midnight = datetime(2026, 3, 1, tzinfo=UTC)
    for at in (midnight - timedelta(microseconds=1), midnight):
        take_in(team, [b"{}"], int(at.timestamp() * 1_000_000), None)
    days = [row.day.isoformat() for row in Rejected.objects.of_teams([team]).order_by("day")]
    assert days == ["2026-02-28", "2026-03-01"]


def test_the_page_can_ask_by_team_and_range_of_days(trainer: Trainer, client: Client) -> None:
    team = trainer.token.team_id
    other = Trainer.of_team("speech", client).token.team_id
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for day, of in ((0, team), (1, team), (2, team), (1, other)):
        take_in(of, [b"{}"], int((noon + timedelta(days=day)).timestamp() * 1_000_000), None)
    first, last = noon.date(), noon.date() + timedelta(days=1)
    found = Rejected.objects.of_teams([team]).between(first, last)
    assert [(row.team_id, row.day) for row in found] == [(team, last), (team, first)]


def test_a_message_that_postgres_cannot_hold_is_counted_all_the_same(trainer: Trainer) -> None:
    rejected.count(trainer.token.team_id, [Fault("bad_x", "x", "a\0b" + "ü" * 500)], now_us())
    row = Rejected.objects.get()
    assert (len(row.last_message), row.last_message[:3]) == (256, "abü")


@pytest.mark.django_db(transaction=True)
def test_a_batch_stands_when_it_cannot_be_counted(
    client: Client, t0: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = Trainer.of_team("vision", client)
    monkeypatch.setattr(queries, "COUNT_REJECTED", "SELECT no_such_function()")
    response = trainer.post([event("heartbeat", t0), event("heartbeat", "noon")])
    assert (response.status_code, Event.objects.count(), rows()) == (200, 1, [])


@pytest.mark.django_db(transaction=True)
def test_senders_side_by_side_lose_no_count_and_never_deadlock(client: Client) -> None:
    team = Trainer.of_team("vision", client).token.team_id
    codes = [f"bad_{n}" for n in range(8)]

    def send(worker: int) -> None:
        turned = codes[worker:] + codes[:worker]
        for _ in range(10):
            rejected.count(team, [Fault(code, "", "no") for code in turned], now_us())
        connection.close()

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(send, range(8)))
    assert [n for _, _, n in rows()] == [80] * 8
