"""The rate of a token, and that Redis never holds up a trainer."""

import json
import socket
from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from ingest import metrics, views
from ingest.models import Event
from ingest.rate import BREAKER_S, Limiter
from tests.trainer import Trainer, event


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def unchecked() -> float:
    return metrics.RATE_UNCHECKED._value.get()  # type: ignore[no-any-return]


def test_token_over_its_rate_is_429_and_loses_nothing(
    trainer: Trainer, t0: float, settings: Settings
) -> None:
    settings.ETTDASH_RATE = 10
    # The bucket holds a second's worth; a larger batch goes and leaves it in debt.
    trainer.send(*(event("heartbeat", t0 + n) for n in range(30)))
    refused = [event("heartbeat", t0)]
    response = trainer.post(refused)
    assert response.status_code == 429
    assert response["Content-Type"] == "application/problem+json"
    assert json.loads(response.content)["status"] == 429
    assert 1 <= int(response["Retry-After"]) <= 2
    assert Event.objects.count() == 30


def test_rate_is_a_tokens_own(trainer: Trainer, client: Client, t0: float, settings: Settings) -> None:
    settings.ETTDASH_RATE = 5
    trainer.send(*(event("heartbeat", t0 + n) for n in range(20)))
    assert trainer.post([event("heartbeat", t0)]).status_code == 429
    Trainer.of_team("vision", client).send(event("heartbeat", t0))


def test_bucket_fills_again(db: None, trainer: Trainer, settings: Settings) -> None:
    settings.ETTDASH_RATE = 1_000_000
    limiter = Limiter()
    assert limiter.wait_s(trainer.token.pk, 1_000_001) is None
    waits = [limiter.wait_s(trainer.token.pk, 1) for _ in range(10_000)]
    assert waits[-1] is None


def test_no_rate_asks_nobody(settings: Settings) -> None:
    settings.ETTDASH_RATE = 0
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    before = unchecked()
    assert Limiter().wait_s(1, 5_000) is None
    assert unchecked() == before


@pytest.mark.parametrize("away", ["refused", "silent"])
def test_events_go_through_while_redis_is_away(
    trainer: Trainer,
    t0: float,
    settings: Settings,
    silent_port: int,
    away: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{1 if away == 'refused' else silent_port}/0"
    monkeypatch.setattr(views, "limiter", Limiter())
    before = unchecked()
    trainer.send(event("heartbeat", t0))
    trainer.send(event("heartbeat", t0 + 1))
    assert unchecked() == before + 2


def test_breaker_spares_redis_until_it_may_be_back(settings: Settings, silent_port: int) -> None:
    working = settings.REDIS_URL
    settings.REDIS_URL = f"redis://127.0.0.1:{silent_port}/0"
    settings.ETTDASH_RATE = 1
    clock = Clock()
    limiter = Limiter(clock)
    assert limiter.wait_s(987_654, 100) is None
    # Redis is back, but nobody looks before the breaker closes.
    settings.REDIS_URL = working
    vars(limiter).pop("_redis")
    vars(limiter).pop("_take")
    assert limiter.wait_s(987_654, 100) is None
    assert limiter.wait_s(987_654, 100) is None
    clock.now += BREAKER_S
    assert limiter.wait_s(987_654, 100) is None
    assert limiter.wait_s(987_654, 100) is not None
