"""Filling the real product over HTTP: everything arrives once, whatever is posted again."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from pytest_django.live_server_helper import LiveServer

from accounts.models import Token
from ettdash.demo import state as states
from ettdash.demo.post import Client
from ettdash.demo.progress import ProgressBar
from ettdash.demo.run import REQUEST_EVENTS, Demo, parcels
from ettdash.demo.simulate import Fleet, Stream, window
from ettdash.demo.state import State
from ettdash.demo.stories import DAY_S
from ettdash.demo.tokens import PROJECT, TokenBook
from ingest.models import Event, Job
from rollup.models import Annotation

DAYS = 2
HISTORY_START = 60 - DAYS


@pytest.fixture
def database(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The product's address, with its commands on the tests' own database."""
    own: dict[str, Any] = connection.settings_dict
    place = f"{quote(own['USER'])}:{quote(own['PASSWORD'])}@{own['HOST']}:{own['PORT']}/{own['NAME']}"
    monkeypatch.setenv("DATABASE_URL", f"postgresql://{place}")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "ettdash.settings")
    return live_server.url


def demo_at(url: str, data_dir: Path, state: State, clock: Callable[[], float]) -> Demo:
    stop = threading.Event()
    client = Client(url, TokenBook(data_dir, state).token_for, stop, patience_s=20)
    return Demo(data_dir, state, client, stop, DAYS, clock)


def ids_until(state: State, until: float) -> set[str]:
    stream = Stream(Fleet(state.seed, state.anchor), -inf, HISTORY_START)
    return {event["id"] for _, events in stream.advance(until) for event in events}


def stored_ids() -> list[str]:
    return sorted(str(one) for one in Event.objects.values_list("id", flat=True))


def test_a_filled_product_has_every_event_once_and_a_restart_adds_the_gap(
    database: str, tmp_path: Path
) -> None:
    now = round(time.time(), 3)
    state = State(seed=7, anchor=now - 600)
    demo = demo_at(database, tmp_path, state, lambda: now - 600)
    demo.fill()
    assert demo.client.counts.rejected == 0
    assert stored_ids() == sorted(ids_until(state, now - 600))
    assert Job.objects.values("team").distinct().count() == 4
    assert [row.title for row in Annotation.objects.all()] == ["Feed features read through pipeline v3"]

    kept = states.load(tmp_path)
    assert kept == state
    assert kept is not None
    again = demo_at(database, tmp_path, kept, lambda: now)
    again.fill()
    assert again.client.counts.duplicates == 0
    assert again.client.counts.accepted == len(ids_until(state, now)) - len(ids_until(state, now - 600))
    assert stored_ids() == sorted(ids_until(state, now))
    assert Token.objects.count() == 4

    kept.posted_until = None  # as if the first filling had been killed before it was done
    third = demo_at(database, tmp_path, kept, lambda: now)
    third.fill()
    assert third.client.counts.accepted == 0
    assert stored_ids() == sorted(ids_until(state, now))
    assert Annotation.objects.count() == 1


def test_a_revoked_token_is_replaced_and_nothing_is_lost(database: str, tmp_path: Path) -> None:
    now = round(time.time(), 3)
    state = State(seed=7, anchor=now, tokens={"ads": "ett_of-an-older-database"})
    demo = demo_at(database, tmp_path, state, lambda: now)
    demo.client.post_events(
        "ads", next(e for h, e in window(Fleet(7, now), now - DAY_S, now) if h.team == "ads")
    )
    assert demo.client.counts.accepted > 0
    assert state.tokens["ads"].startswith("ett_")
    assert state.tokens["ads"] != "ett_of-an-older-database"


def test_the_command_fills_stays_and_leaves_cleanly_when_told_to(database: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "ettdash.demo",
        "--data-dir",
        str(tmp_path),
        "--url",
        database,
        "--days",
        "1",
    ]
    running = subprocess.Popen(
        command, cwd=PROJECT, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("Demo fleet: ")
        filled = states.load(tmp_path)
        assert filled is not None
        deadline = time.monotonic() + 100
        while (kept := states.load(tmp_path)) == filled and time.monotonic() < deadline:
            time.sleep(0.2)
        assert kept != filled  # a live job has beaten, and the product has answered
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=20)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0, errors
    assert "100 %" in errors


def test_jobs_stay_whole_in_requests_where_they_fit(fleet: Fleet) -> None:
    until = fleet.calendar.anchor
    first = until - 10 * DAY_S
    sent = list(parcels(window(fleet, first, until), first, until))
    whole = {event["id"] for _, events in window(fleet, first, until) for event in events}
    assert sorted(event["id"] for parcel in sent for event in parcel.events) == sorted(whole)
    assert max(len(parcel.events) for parcel in sent) <= REQUEST_EVENTS
    jobs = [event_job for parcel in sent for event_job in {event["job"] for event in parcel.events}]
    assert len(jobs) < 1.2 * len(set(jobs))


def test_a_gap_longer_than_the_retention_is_cut_to_it(tmp_path: Path) -> None:
    state = State(seed=7, anchor=0.0, posted_until=10 * DAY_S)
    demo = demo_at("http://127.0.0.1:1", tmp_path, state, time.time)
    assert demo.since(11 * DAY_S) == 10 * DAY_S
    assert demo.since(500 * DAY_S) == 411 * DAY_S
    state.posted_until = None
    assert demo.since(0.0) < Fleet(7, 0.0).calendar.origin


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal_and_a_line_each_tenth_elsewhere() -> None:
    for out, lines in ((Terminal(), 1), (io.StringIO(), 11)):
        bar = ProgressBar(out, "Demo fleet")
        for percent in range(101):
            bar.reach(percent / 100, percent * 10)
        assert out.getvalue().count("\n") == lines
        assert "100 %  1\u202f000 events" in out.getvalue()
