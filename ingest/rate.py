"""How many events a token may send: a bucket in Redis that never holds up a trainer."""

import time
from collections.abc import Callable
from functools import cached_property

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from ingest import metrics

# Two waits, to connect and to read, stay within 50 ms together.
TIMEOUT_S = 0.025
BREAKER_S = 5.0
# How much of a token's rate is taken ahead: little enough that many processes do not use it up by holding it.
AHEAD_S = 0.02

# A bucket fills at `rate` up to one second's worth. A batch goes while anything is in it and may leave it
# in debt: one that is larger than the bucket still passes, and the rate holds on average. Answers the
# seconds to wait, or -1 for none.
TAKE = """
    local now = redis.call('TIME')
    local at = now[1] + now[2] / 1000000
    local rate, cost = tonumber(ARGV[1]), tonumber(ARGV[2])
    local kept = redis.call('HMGET', KEYS[1], 'level', 'at')
    local level = math.min(rate, (tonumber(kept[1]) or rate) + (at - (tonumber(kept[2]) or at)) * rate)
    if level <= 0 then
        return tostring(-level / rate)
    end
    redis.call('HSET', KEYS[1], 'level', level - cost, 'at', at)
    redis.call('PEXPIRE', KEYS[1], math.ceil((cost / rate + 1) * 2000))
    return '-1'
"""


class Limiter:
    """Lets everything through, and counts it, while Redis is away.

    It takes from a busy token's bucket for some requests ahead, so that not each of them needs Redis.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._away_until = 0.0
        self._ahead: dict[int, float] = {}

    @cached_property
    def _redis(self) -> redis.Redis:
        return redis.Redis.from_url(
            str(settings.REDIS_URL),
            socket_timeout=TIMEOUT_S,
            socket_connect_timeout=TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )

    @cached_property
    def _take(self) -> Callable[..., bytes]:
        return self._redis.register_script(TAKE)

    def wait_s(self, token_id: int, events: int) -> float | None:
        """None if a token may send this many events now, else the seconds after which it may."""
        rate = settings.ETTDASH_RATE
        if not rate or not events:
            return None
        left = self._ahead.get(token_id, 0.0) - events
        if left >= 0:
            self._ahead[token_id] = left
            return None
        if self._clock() < self._away_until:
            metrics.RATE_UNCHECKED.inc()
            return None
        taken = max(events, rate * AHEAD_S)
        try:
            wait = float(self._take(keys=[f"ettdash:rate:{token_id}"], args=[rate, taken]))
        except redis.RedisError:
            self._away_until = self._clock() + BREAKER_S
            metrics.RATE_UNCHECKED.inc()
            return None
        if wait >= 0:
            return wait
        self._ahead[token_id] = taken - events
        return None


limiter = Limiter()
