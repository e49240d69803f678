"""Gauges of what all processes share, read when they are asked for; not summed over processes."""

from collections.abc import Iterable, Iterator
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from ettdash.telemetry import broker, database
from ettdash.telemetry.broker import Queue
from ettdash.version import version

Rows = list[tuple[Any, ...]]
Labelled = Iterable[tuple[list[str], float]]


class Shared(Collector):
    """The database, the broker, and the counting between them."""

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("ettdash_build", "Which version this is", {"version": version()})
        yield from _database(database.readings.latest())
        queue = broker.queues.latest()
        yield _gauge("redis_up", "Whether Redis answers", [([], queue is not None)])
        if queue:
            yield from _queue(queue)


def _database(reading: database.Reading | None) -> Iterator[Metric]:
    yield _gauge("database_up", "Whether the database answers", [([], reading is not None)])
    if reading is None:
        return
    yield _gauge("database_migrated", "Whether every migration is applied", [([], reading.migrated)])
    for name, tell in TELLERS.items():
        if rows := reading.rows.get(name):
            yield from tell(rows)


def _counting(rows: Rows) -> Iterator[Metric]:
    help = "For how long the oldest mark has waited to be counted; 0 with none"
    yield _gauge("oldest_mark_age_seconds", help, [([], rows[0][0] or 0)])


def _waiting(rows: Rows) -> Iterator[Metric]:
    marks, jobs = rows[0]
    yield _gauge("marks_waiting", "Marks that wait to be counted, up to 100,000", [([], marks)])
    yield _gauge("jobs_waiting", "Jobs that these marks are of", [([], jobs)])


def _pulses(rows: Rows) -> Iterator[Metric]:
    ages = [([kind], max(age, 0.0)) for kind, age, *_ in rows]
    yield _gauge("pass_age_seconds", "Since when no pass has ended, by kind", ages, ["kind"])
    for kind, _, done, failed, busy_s, lag_s in rows:
        if kind == "refresh":
            help = "The longest that a job counted in the latest pass had waited"
            yield _gauge("rollup_lag_seconds", help, [([], lag_s)])
            refreshes = CounterMetricFamily("ettdash_refreshes", "Jobs worked out", labels=["result"])
            refreshes.add_metric(["done"], done)
            refreshes.add_metric(["failed"], failed)
            yield refreshes
            yield CounterMetricFamily("ettdash_refresh_seconds", "Time spent on that", value=busy_s)


def _storage(rows: Rows) -> Iterator[Metric]:
    partitions, *sizes = rows[0]
    yield _gauge("event_partitions", "Partitions of the table of events", [([], partitions)])
    parts = zip((["database"], ["events"], ["marks"], ["totals"]), sizes, strict=True)
    yield _gauge("storage_bytes", "Room on the disk, indexes included", parts, ["of"])


def _connections(rows: Rows) -> Iterator[Metric]:
    used, limit = rows[0]
    yield _gauge("database_connections", "Connections to our database, whoever's", [([], used)])
    yield _gauge("database_connections_limit", "How many the server allows in all", [([], limit)])


TELLERS = {
    "counting": _counting,
    "waiting": _waiting,
    "pulses": _pulses,
    "storage": _storage,
    "connections": _connections,
}


def _queue(queue: Queue) -> Iterator[Metric]:
    yield _gauge("queue_messages", "Tasks that wait for a worker", [([], queue.messages)])
    yield _gauge("queue_unacked", "Tasks that a worker has taken and not finished", [([], queue.unacked)])
    help = "For how long the oldest waiting task has waited; 0 with none"
    yield _gauge("queue_oldest_age_seconds", help, [([], queue.oldest_s or 0)])


def _gauge(name: str, help: str, values: Labelled, labels: list[str] | None = None) -> Metric:
    family = GaugeMetricFamily(f"ettdash_{name}", help, labels=labels or [])
    for of, value in values:
        family.add_metric(of, float(value))
    return family
