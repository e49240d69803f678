"""Answered 200 means stored: Postgres and web are killed at random under posting clients."""

import http.client
import json
import os
import random
import signal
import threading
import time
import uuid
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

CLIENTS = 4
BATCH = 40


class Client(threading.Thread):
    """Posts batch after batch, each until it is answered 200, as a trainer would."""

    def __init__(self, port: int, token: str, job: str) -> None:
        super().__init__(daemon=True)
        self.port, self.token, self.job = port, token, job
        self.acknowledged: list[str] = []
        self.answers: dict[str, int] = {}
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.is_set():
            ids = [str(uuid.uuid4()) for _ in range(BATCH)]
            while not self._post(ids):
                time.sleep(0.02)
            self.acknowledged += ids

    def _post(self, ids: list[str]) -> bool:
        now = time.time()
        batch = [{"id": id, "type": "heartbeat", "job": self.job, "attempt": 1, "ts": now} for id in ids]
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", "/api/v1/events", json.dumps(batch), headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            return self._note("no answer")
        finally:
            connection.close()
        if response.status == 200:
            assert answer["accepted"] + answer["duplicates"] == BATCH
            self._note("200")
            return True
        # Whatever else comes is a refusal that says when to try again.
        assert response.status == 503, (response.status, answer)
        assert response.headers["Retry-After"]
        assert response.headers["Content-Type"] == "application/problem+json"
        return self._note("503")

    def _note(self, answer: str) -> bool:
        self.answers[answer] = self.answers.get(answer, 0) + 1
        return False


@pytest.mark.parametrize(
    "kills", [pytest.param(20, id="20"), pytest.param(200, id="200", marks=pytest.mark.chaos)]
)
@pytest.mark.timeout(1800)
def test_every_acknowledged_event_is_there_exactly_once(tmp_path: Path, kills: int) -> None:
    data_dir = tmp_path / "data"
    try:
        with launched(data_dir) as launcher:
            launcher.up()
            _post_while_killing(launcher, kills)
    finally:
        discard(data_dir)


def _post_while_killing(launcher: Launcher, kills: int) -> None:
    token = create_token(launcher.data_dir, "vision")
    clients = [Client(launcher.port, token, f"job-{number}") for number in range(CLIENTS)]
    for client in clients:
        client.start()
    rng = random.Random(kills)
    for _ in range(kills):
        _kill_something(launcher, rng, clients)
    for client in clients:
        client.stopping.set()
    for client in clients:
        client.join(120)
        assert not client.is_alive()
    _check(launcher, clients)


def _kill_something(launcher: Launcher, rng: random.Random, clients: list[Client]) -> None:
    """Kill Postgres or web -9, then wait until it is back and events are taken again."""
    victim = rng.choice(["postgres", "web"])
    time.sleep(rng.uniform(0.05, 0.5))
    before = processes(launcher.data_dir)[victim]
    os.kill(before.pid, signal.SIGKILL)
    wait_until(lambda: _pid(launcher, victim) not in (None, before.pid), f"{victim} is started again")
    wait_until(lambda: launcher.answers("/readyz"), "the product is ready again")
    stored = [len(client.acknowledged) for client in clients]
    wait_until(
        lambda: all(len(client.acknowledged) > n for client, n in zip(clients, stored, strict=True)),
        "every client is served again",
    )


def _pid(launcher: Launcher, name: str) -> int | None:
    found = processes(launcher.data_dir).get(name)
    return found.pid if found else None


def _check(launcher: Launcher, clients: list[Client]) -> None:
    with psycopg.connect(database_url(launcher.data_dir), autocommit=True) as connection:
        rows = connection.execute(
            """SELECT name, array_agg(event.id::text)
                 FROM ingest_event event JOIN ingest_job job ON job.id = job_id GROUP BY 1"""
        ).fetchall()
        stored: dict[str, list[str]] = dict(rows)
        for client in clients:
            # Nothing else is there either: a batch whose answer got lost was sent until it was answered.
            assert sorted(stored[client.job]) == sorted(client.acknowledged)
        # What was stored was marked: nothing is left uncounted.
        marks = "SELECT count(*) FROM ingest_mark"
        wait_until(lambda: connection.execute(marks).fetchone() == (0,), "all marks are taken")
    answered = {answer for client in clients for answer in client.answers}
    assert "200" in answered
    assert len(answered) > 1, "nothing was ever interrupted"
