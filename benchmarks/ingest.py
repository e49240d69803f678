"""Durable ingest over HTTP, beside plain binary COPY of the same rows into a table of the same shape and key.

500 events a request or transaction, fsync on, the sides in turn on one database. The HTTP side includes
authentication, the rate limit, validation, removal of duplicates and the marks; it posts over several
connections, as a fleet of trainers does, and then over a single one, whose every wait counts. COPY is one
stream, which hands rows to Postgres while Postgres stores the ones before.
"""

import http.client
import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import chain, repeat
from statistics import median
from typing import Any
from uuid import UUID

import msgspec
import psycopg
from psycopg.types.json import Jsonb

from benchmarks.product import Web, web
from benchmarks.result import Result
from ingest.queries import EVENT_COLUMNS, PARTITION_JOBS

EVENTS = 500
BATCHES = 40
POSTERS = 8
ROUNDS = 15
ROUNDS_ALONE = 5
WARM_UP = 2
JOBS_A_BATCH = 2
WANTED = 0.5

TYPES = [
    "int8", "uuid", "int4", "int4", "int4", "int2", "int8", "int8", "int8", "text", "int8", "jsonb",
]  # fmt: skip
PHASES = ("launcher_init.device_init", "pt2_compile", "train", "train.checkpoint_save", "train.eval")

Event = dict[str, Any]
Answer = tuple[int, bytes]


def run() -> Result:
    """The median ratio of the two rates, round by round."""
    with web() as server, psycopg.connect(server.database_url) as peer:
        _make_peer_table(peer)
        rounds = [_round(server, peer, number, POSTERS) for number in range(WARM_UP + ROUNDS)][WARM_UP:]
        alone = [_round(server, peer, WARM_UP + ROUNDS + number, 1) for number in range(ROUNDS_ALONE)]
        _check_counts(peer, (WARM_UP + ROUNDS + ROUNDS_ALONE) * BATCHES * EVENTS)
    ours, theirs = zip(*rounds, strict=True)
    return Result(
        name="ingest",
        limit=f"plain psycopg binary COPY, {EVENTS} rows a transaction",
        ratios=tuple(copy / post for post, copy in rounds),
        wanted=WANTED,
        details={
            "events_per_request": EVENTS,
            "http_connections": POSTERS,
            "http_events_per_s": _rates(ours),
            "copy_rows_per_s": _rates(theirs),
            "ratio_over_one_connection": round(median(copy / post for post, copy in alone), 3),
        },
    )


def _rates(seconds: tuple[float, ...]) -> list[int]:
    return [round(BATCHES * EVENTS / value) for value in seconds]


def _round(server: Web, peer: psycopg.Connection, number: int, posters: int) -> tuple[float, float]:
    """Seconds to take the same batches in over HTTP and by COPY; what goes first alternates."""
    batches = [list(_events(number * BATCHES + index)) for index in range(BATCHES)]
    sides = [lambda: _post_all(server, batches, posters), lambda: _copy_all(peer, batches)]
    if number % 2:
        copy, post = sides[1](), sides[0]()
    else:
        post, copy = sides[0](), sides[1]()
    return post, copy


def _events(seed: int) -> Iterator[Event]:
    """A batch as trainers send it: phases and heartbeats of a few jobs."""
    rng = random.Random(seed)
    start = time.time() - 3600
    for index in range(EVENTS):
        event: Event = {
            "id": str(UUID(int=rng.getrandbits(128), version=4)),
            "type": rng.choice(("phase_start", "phase_end", "heartbeat")),
            "job": f"ranker/{seed // 10}-{rng.randrange(JOBS_A_BATCH)}",
            "attempt": 1,
            "rank": rng.randrange(8),
            "seq": index,
            "ts": datetime.fromtimestamp(round(start + index, 6), UTC).isoformat(),
        }
        if event["type"] == "heartbeat":
            event |= {"step": index * 100, "samples": index * 51_200}
        else:
            event["phase"] = rng.choice(PHASES)
        yield event


def _post_all(server: Web, batches: list[list[Event]], posters: int) -> float:
    """Seconds until all batches are acknowledged; the connections are open before the clock starts."""
    bodies = [json.dumps(batch).encode() for batch in batches]
    connections = [http.client.HTTPConnection(server.host, server.port, timeout=60) for _ in range(posters)]
    for connection in connections:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    with ThreadPoolExecutor(posters) as pool:
        start = time.perf_counter()
        shares = [bodies[number::posters] for number in range(posters)]
        done = list(pool.map(_post_share, repeat(server.token), connections, shares))
        took = time.perf_counter() - start
    for status, answer in chain.from_iterable(done):
        assert (status, json.loads(answer)["accepted"]) == (200, EVENTS), (status, answer)
    return took


def _post_share(token: str, connection: http.client.HTTPConnection, bodies: list[bytes]) -> list[Answer]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    answers = []
    for body in bodies:
        connection.request("POST", "/api/v1/events", body, headers)
        response = connection.getresponse()
        answers.append((response.status, response.read()))
    connection.close()
    return answers


def _copy_all(peer: psycopg.Connection, batches: list[list[Event]]) -> float:
    rows = [[_row(event) for event in batch] for batch in batches]
    start = time.perf_counter()
    for batch in rows:
        with peer.cursor().copy(f"COPY bench_event ({EVENT_COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(TYPES)
            for row in batch:
                copy.write_row(row)
        peer.commit()
    return time.perf_counter() - start


def _row(event: Event) -> tuple[Any, ...]:
    """What ingest makes of the event; its job's number stands for its id, and its body is encoded already."""
    job = abs(hash(event["job"])) % PARTITION_JOBS
    ts = round(datetime.fromisoformat(event["ts"]).timestamp() * 1e6)
    body = {name: event[name] for name in ("samples", "step") if name in event}
    encoded = msgspec.json.encode(body)
    return (
        job, UUID(event["id"]), event["attempt"], event["rank"], event["seq"], 2, ts, ts, None,
        event.get("phase"), None, Jsonb(body, dumps=lambda _: encoded) if body else None,
    )  # fmt: skip


def _make_peer_table(peer: psycopg.Connection) -> None:
    peer.execute("CREATE TABLE bench_event (LIKE ingest_event INCLUDING ALL) PARTITION BY RANGE (job_id)")
    peer.execute(
        f"CREATE TABLE bench_event_0 PARTITION OF bench_event FOR VALUES FROM (0) TO ({PARTITION_JOBS})"
    )
    peer.commit()


def _check_counts(peer: psycopg.Connection, events: int) -> None:
    """Neither side may have cut a corner: every row is there, and what was touched is marked."""
    for table in ("ingest_event", "bench_event"):
        counted = peer.execute(f"SELECT count(*), count(DISTINCT id) FROM {table}").fetchone()  # noqa: S608
        assert counted == (events, events), (table, counted, events)
    unmarked = """SELECT count(*) FROM ingest_job job
                   WHERE NOT EXISTS (SELECT FROM ingest_mark WHERE job_id = job.id)"""
    assert peer.execute(unmarked).fetchone() == (0,)
    assert peer.execute("SHOW fsync").fetchone() == ("on",)
    assert peer.execute("SHOW synchronous_commit").fetchone() == ("on",)
