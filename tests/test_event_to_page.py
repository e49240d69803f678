"""The whole way once: a trainer posts to the running product, and a person sees it on the page."""

import gzip
import json
import time
import urllib.request
import uuid
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.launcher.running import Launcher, create_token, database_url, discard, launched, wait_until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """A whole product: Postgres, Redis, web, worker and beat."""
    data_dir = tmp_path_factory.mktemp("whole") / "data"
    try:
        with launched(data_dir) as launcher:
            yield launcher.up()
    finally:
        discard(data_dir)


@pytest.fixture(scope="module")
def token(product: Launcher) -> str:
    return create_token(product.data_dir, "vision")


def post(product: Launcher, token: str, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
    """Post a body; a generator goes in chunks that tell no length."""
    connection = HTTPConnection("127.0.0.1", product.port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"} | headers
    try:
        connection.request("POST", "/api/v1/events", body, headers)
        response = connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        return response.status, answer
    finally:
        connection.close()


def event(type: str, ts: float, job: str = "ranker/2026-11-18", **fields: Any) -> dict[str, Any]:
    return {"id": str(uuid.uuid4()), "type": type, "job": job, "attempt": 1, "ts": ts, **fields}


def test_posted_events_reach_the_fleet_page(product: Launcher, token: str, page: Page) -> None:
    start = time.time() - 1000
    events = [
        event("attempt_start", start, model="ranker", gpus=64, cluster="eu"),
        event("phase", start, phase="launcher_init", duration_s=250),
        event("phase_start", start + 250, phase="train"),
        event("attempt_end", start + 1000, outcome="completed"),
    ]
    status, answer = post(product, token, json.dumps(events))
    assert (status, answer["accepted"]) == (200, 4)
    with psycopg.connect(database_url(product.data_dir), autocommit=True) as connection:
        wait_until(
            lambda: connection.execute("SELECT FROM rollup_jobtotal").fetchone() is not None,
            "the worker counts",
        )
    password = json.loads((product.data_dir / "secrets.json").read_text())["admin_password"]
    page.goto(f"http://127.0.0.1:{product.port}/")
    page.get_by_label("User").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("body")).to_contain_text("75.0")
    expect(page.locator("body")).to_contain_text("ranker")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def test_body_in_chunks_is_read_whole(product: Launcher, token: str) -> None:
    whole = gzip.compress(
        json.dumps([event("heartbeat", time.time(), job="chunked") for _ in range(900)]).encode()
    )
    chunks = (whole[start : start + 1000] for start in range(0, len(whole), 1000))
    status, answer = post(product, token, chunks, **{"Content-Encoding": "gzip"})
    assert (status, answer["accepted"]) == (200, 900)


@pytest.mark.parametrize("size", [6, 40])
@pytest.mark.parametrize("kept", ["keep-alive", "close"])
def test_sender_of_too_much_sees_the_answer_and_not_a_reset(
    product: Launcher, token: str, size: int, kept: str
) -> None:
    body = b"[" + b" " * (size * 1024 * 1024) + b"]"
    status, answer = post(product, token, body, Connection=kept)
    assert (status, answer["limit"]) == (413, 5 * 1024 * 1024)
    status, answer = post(product, "ett_wrong", body, Connection=kept)
    assert (status, answer["status"]) == (401, 401)
    status, answer = post(product, token, body, Connection=kept, **{"Content-Type": "text/plain"})
    assert (status, answer["status"]) == (415, 415)


def test_connection_goes_on_after_a_refusal(product: Launcher, token: str) -> None:
    connection = HTTPConnection("127.0.0.1", product.port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for body, status in (
        (b"nonsense", 400),
        (b"[]", 200),
        (b"[" + b" " * 6_000_000 + b"]", 413),
        (b"[]", 200),
    ):
        connection.request("POST", "/api/v1/events", body, headers)
        response = connection.getresponse()
        response.read()
        assert response.status == status
    connection.close()


def test_pages_need_a_login(product: Launcher) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{product.port}/", timeout=30) as answer:
        assert answer.url.endswith("/login/?next=/")


def test_metrics_are_summed_over_the_web_processes(product: Launcher, token: str) -> None:
    for _ in range(20):
        post(product, token, json.dumps([event("heartbeat", time.time(), job="metric")]))
    with urllib.request.urlopen(f"http://127.0.0.1:{product.port}/metrics", timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    accepted = next(line for line in lines if line.startswith('ettdash_events_total{result="accepted"}'))
    with psycopg.connect(database_url(product.data_dir)) as connection:
        stored = connection.execute("SELECT count(*) FROM ingest_event").fetchone()
    assert stored is not None
    assert float(accepted.split()[-1]) == stored[0]
