"""How the broker is, and how long its messages wait."""

import json
import time
from dataclasses import dataclass
from functools import cached_property

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from ettdash.telemetry.patient import Patient
from ettdash.telemetry.tasks import PUBLISHED_AT

# Celery's default queue, and where its transport keeps what a worker has taken and not finished.
QUEUE, UNACKED = "celery", "unacked"
TIMEOUT_S = 0.5


@dataclass(frozen=True)
class Queue:
    """How the queue stands; no age where nothing waits."""

    messages: int
    unacked: int
    oldest_s: float | None


class Broker:
    """Redis as the bearer of tasks."""

    @cached_property
    def _redis(self) -> redis.Redis:
        return redis.Redis.from_url(
            str(settings.REDIS_URL),
            socket_timeout=TIMEOUT_S,
            socket_connect_timeout=TIMEOUT_S,
            # Once more at once: a connection may be left over from a Redis that went away since.
            retry=Retry(NoBackoff(), 1),
        )

    def answers(self) -> bool:
        """Whether Redis is there."""
        try:
            return bool(self._redis.ping())
        except redis.RedisError:
            return False

    def queue(self) -> Queue | None:
        """How the queue stands; None if Redis is away."""
        try:
            pipeline = self._redis.pipeline(transaction=False)
            pipeline.llen(QUEUE)
            pipeline.lindex(QUEUE, -1)
            pipeline.hlen(UNACKED)
            messages, oldest, unacked = pipeline.execute()
        except redis.RedisError:
            return None
        return Queue(messages, unacked, _age(oldest, time.time()))


def _age(message: bytes | None, now: float) -> float | None:
    """Seconds since a message was published, if it tells."""
    try:
        published_at = float(json.loads(message or b"")["headers"][PUBLISHED_AT])
    except (ValueError, KeyError, TypeError):
        return None
    return max(now - published_at, 0.0)


broker = Broker()
queues = Patient(broker.queue, patience_s=2.0, fresh_s=5.0)
