"""Redis stops and comes back: events are taken in meanwhile, and counted afterwards."""

from pathlib import Path

import psycopg
import pytest

from tests.away import Visitor, product
from tests.launcher.running import wait_until


@pytest.mark.timeout(300)
def test_redis_away_stops_neither_events_nor_pages(tmp_path: Path) -> None:
    with product(tmp_path) as away, psycopg.connect(away.postgres.url, autocommit=True) as database:

        def waiting() -> int:
            row = database.execute("SELECT count(*) FROM ingest_mark").fetchone()
            return int(row[0]) if row else 0

        member, probe = away.member(), Visitor(away.launcher)
        wait_until(lambda: probe.ask("/readyz").json()["last_pass_s"] is not None, "a first pass")
        away.valkey.stop()
        # A tick that was handed out before may still run.
        wait_until(lambda: away.send().status == 200 and waiting() > 0, "an event waits")
        ready = probe.ask("/readyz")
        assert ready.status == 200
        assert (ready.json()["status"], "redis" in ready.json()["degraded"]) == ("degraded", True)
        metrics = probe.ask("/metrics")
        assert {"ettdash_redis_up 0.0", "ettdash_database_up 1.0"} <= set(metrics.text.splitlines())
        assert member.ask("/").status == 200
        away.valkey.start()
        wait_until(lambda: waiting() == 0, "the events are counted")
        wait_until(lambda: probe.ask("/readyz").json()["status"] == "ok", "nothing is degraded")
