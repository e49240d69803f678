"""make demo as a whole: filled, alive, and found again at the next start."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.launcher.running import Launcher, database_url, discard, launched, wait_until

pytestmark = pytest.mark.timeout(600)

EVENTS = "SELECT count(*) FROM ingest_event"
LIVE = "SELECT count(*) FROM rollup_jobtotal WHERE state = 'running'"
UNCOUNTED = "SELECT count(*) FROM ingest_mark"
DAYS = "SELECT count(DISTINCT day) FROM rollup_attemptday"


@contextmanager
def demo(data_dir: Path) -> Iterator[tuple[Launcher, psycopg.Connection[tuple[Any, ...]]]]:
    with launched(data_dir, mode="demo") as launcher:
        launcher.up()
        with psycopg.connect(database_url(data_dir), autocommit=True) as connection:
            yield launcher, connection


def ask(connection: psycopg.Connection[tuple[Any, ...]], question: str) -> int:
    row = connection.execute(question).fetchone()
    assert row
    return int(row[0])


def test_demo_fleet_is_filled_lives_and_is_found_again(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    try:
        with demo(data_dir) as (_, connection):
            wait_until(lambda: ask(connection, UNCOUNTED) == 0, "the fleet is counted")
            filled = ask(connection, EVENTS)
            assert filled > 100_000
            assert ask(connection, DAYS) >= 60
            assert ask(connection, LIVE) >= 4
            assert ask(connection, "SELECT count(*) FROM rollup_annotation") >= 4
            assert ask(connection, "SELECT count(*) FROM accounts_team") == 4
            wait_until(lambda: ask(connection, EVENTS) > filled, "live jobs go on")
        with demo(data_dir) as (launcher, connection):
            again = ask(connection, EVENTS)
            assert filled < again < filled + 5_000
            assert launcher.answers("/login/")
            wait_until(lambda: ask(connection, EVENTS) > again, "live jobs go on")
    finally:
        discard(data_dir)
