"""One simulated fleet for all tests of the demo: it is pure, so nothing can change it."""

from math import inf

import pytest

from ettdash.demo.log import Event
from ettdash.demo.simulate import Fleet, window

ANCHOR = 1_795_000_000.0  # 2026-11-18 11:06:40 UTC, a Wednesday
SEED = 7


@pytest.fixture(scope="session")
def fleet() -> Fleet:
    return Fleet(SEED, ANCHOR)


@pytest.fixture(scope="session")
def told(fleet: Fleet) -> dict[str, list[Event]]:
    """All events of the history, by job."""
    return {history.job: events for history, events in window(fleet, -inf, ANCHOR)}
