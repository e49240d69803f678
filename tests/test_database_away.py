"""The database stops and comes back: what is answered meanwhile, and that all heals by itself."""

from pathlib import Path

import pytest

from tests.away import Answer, Away, Visitor, product
from tests.launcher.running import wait_until

PAGES = ("/", "/login/", "/settings/", "/nothing")


@pytest.mark.timeout(300)
def test_database_away_is_503_and_heals_by_itself(tmp_path: Path) -> None:
    with product(tmp_path) as away:
        member, stranger = away.member(), Visitor(away.launcher)
        stranger.ask("/login/")
        assert away.send().status == 200
        assert member.ask("/").status == 200
        away.postgres.stop()
        _check_calls(away)
        for visitor in (member, stranger):
            for path in PAGES:
                _check_page(visitor.ask(path))
        _check_page(stranger.log_in(username="admin", password="a guess"))
        _check_probes(stranger)
        away.postgres.start()
        wait_until(lambda: away.launcher.answers("/readyz"), "the product is ready again")
        answer = away.send()
        assert (answer.status, answer.json()["accepted"]) == (200, 1)
        assert member.ask("/").status == 200
        _check_log(away)


def _check_calls(away: Away) -> None:
    answer = away.send()
    assert (answer.status, answer.headers["Content-Type"]) == (503, "application/problem+json")
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["status"] == 503


def _check_page(answer: Answer) -> None:
    assert (answer.status, answer.headers.get_content_type()) == (503, "text/html")
    assert int(answer.headers["Retry-After"]) > 0
    assert "The database does not answer" in answer.text


def _check_probes(visitor: Visitor) -> None:
    ready = visitor.ask("/readyz")
    assert (ready.status, ready.json()["status"]) == (503, "unavailable")
    assert int(ready.headers["Retry-After"]) > 0
    assert visitor.ask("/healthz").status == 200
    metrics = visitor.ask("/metrics")
    assert metrics.status == 200
    assert "ettdash_database_up 0.0" in metrics.text.splitlines()
    assert "ettdash_redis_up 1.0" in metrics.text.splitlines()
    assert "ettdash_events_total" in metrics.text


def _check_log(away: Away) -> None:
    """A database that is away is a sentence in the log, not a traceback."""
    text = (away.launcher.data_dir / "logs" / "web.log").read_text()
    assert "The database does not answer" in text
    assert "Traceback" not in text
