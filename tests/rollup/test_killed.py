"""Whoever of the counting dies, events are counted soon after: Redis holds no truth."""

import json
import os
import signal
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.launcher.running import (
    Launcher,
    create_token,
    database_url,
    discard,
    launched,
    processes,
    wait_until,
)


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Launcher]:
    data_dir = tmp_path / "data"
    try:
        with launched(data_dir) as launcher:
            yield launcher.up()
    finally:
        discard(data_dir)


def post(product: Launcher, token: str) -> None:
    beat = {"id": str(uuid.uuid4()), "type": "heartbeat", "job": "a", "attempt": 1, "ts": time.time()}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    address = f"http://127.0.0.1:{product.port}/api/v1/events"
    with urllib.request.urlopen(
        urllib.request.Request(address, json.dumps([beat]).encode(), headers)
    ) as answer:
        assert answer.status == 200


def test_events_are_counted_after_redis_worker_and_beat_were_killed(product: Launcher) -> None:
    token = create_token(product.data_dir, "vision")
    uncounted = "SELECT count(*) FROM ingest_mark"
    with psycopg.connect(database_url(product.data_dir), autocommit=True) as connection:
        for victim in ("valkey", "worker", "beat", "valkey"):
            os.kill(processes(product.data_dir)[victim].pid, signal.SIGKILL)
            post(product, token)
            wait_until(lambda: connection.execute(uncounted).fetchone() == (0,), f"counted without {victim}")
