"""Fills the product with the fleet's history and then keeps it alive."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple

from ettdash.demo import state as states
from ettdash.demo.log import Event
from ettdash.demo.post import Client
from ettdash.demo.progress import ProgressBar
from ettdash.demo.simulate import DENSE_BEFORE_S, Fleet, History, Stream
from ettdash.demo.state import State
from ettdash.demo.stories import DAY_S, HISTORY_DAYS, annotations

REQUEST_EVENTS = 2000
THREADS = 2
TICK_S = 2.0
# A little less than the ledger's retention of 90 days: what is older would be refused.
REACH_DAYS = 89


class Parcel(NamedTuple):
    """The events of one request, all of one team, and the share of the way they stand for."""

    team: str
    events: list[Event]
    share: float


@dataclass(slots=True)
class Demo:
    """One demo fleet on its way into one product."""

    data_dir: Path
    state: State
    client: Client
    stop: threading.Event
    days: int = HISTORY_DAYS
    clock: Callable[[], float] = time.time

    def fill(self) -> Stream:
        """Post all that was said since the last answered post; returns the stream, to go on from here."""
        now = self.clock()
        fleet = Fleet(self.state.seed, self.state.anchor, max(self.state.anchor, now) - DENSE_BEFORE_S)
        after = self.since(now)
        stream = Stream(fleet, after, first_day=HISTORY_DAYS - self.days)
        self.announce(fleet, now)
        first = max(after, fleet.calendar.instant(HISTORY_DAYS - self.days))
        bar = ProgressBar(sys.stderr, "Demo fleet")
        self.send(parcels(stream.advance(now), first, now), bar)
        bar.reach(1.0, self.posted)
        self.answered(now)
        return stream

    def since(self, now: float) -> float:
        """The instant after which everything is still to be posted, as far back as the product takes it."""
        posted = -inf if self.state.posted_until is None else self.state.posted_until
        return max(posted, now - REACH_DAYS * DAY_S)

    def announce(self, fleet: Fleet, now: float) -> None:
        """Post the annotations of all that has happened."""
        began = fleet.calendar.instant(HISTORY_DAYS - self.days)
        for team, annotation in annotations(self.state.seed, fleet.calendar):
            if began <= annotation["ts"] <= now:
                self.client.post_annotation(team, annotation)

    def send(self, outgoing: Iterator[Parcel], bar: ProgressBar) -> None:
        """Post parcels from a few threads, never more than a few at a time in memory."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="demo-post") as threads:
            under_way: set[Future[None]] = set()
            for parcel in outgoing:
                under_way.add(threads.submit(self.deliver, parcel, bar))
                if len(under_way) >= 2 * THREADS:
                    done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                    raise_first(done)
            raise_first(wait(under_way).done)

    def deliver(self, parcel: Parcel, bar: ProgressBar) -> None:
        """Post one parcel and show it."""
        self.client.post_events(parcel.team, parcel.events)
        bar.reach(min(parcel.share, 0.99), self.posted)

    @property
    def posted(self) -> int:
        """How many events the product has taken in."""
        return self.client.counts.accepted + self.client.counts.duplicates

    def answered(self, until: float) -> None:
        """Remember that everything up to an instant is committed."""
        self.state.posted_until = until
        states.save(self.data_dir, self.state)

    def keep_alive(self, stream: Stream) -> None:
        """Post what the fleet says, as it says it, until asked to stop."""
        self.client.patience_s = inf
        while not self.stop.wait(TICK_S):
            now = self.clock()
            news = list(parcels(stream.advance(now), stream.after, now)) if now > stream.after else []
            for parcel in news:
                self.client.post_events(parcel.team, parcel.events)
            if news:
                self.answered(now)


def raise_first(done: set[Future[None]]) -> None:
    """Raise what went wrong in a thread, if anything did."""
    for future in done:
        future.result()


def parcels(said: Iterator[tuple[History, list[Event]]], first: float, until: float) -> Iterator[Parcel]:
    """Pack jobs into requests by team; a job stays whole where it fits, to be rolled up about once."""
    waiting: dict[str, list[Event]] = {}
    share = 0.0
    for history, events in said:
        share = (history.start - first) / max(1.0, until - first)
        packed = waiting.setdefault(history.team, [])
        if packed and len(packed) + len(events) > REQUEST_EVENTS:
            yield Parcel(history.team, packed, share)
            packed = waiting[history.team] = []
        packed += events
        while len(packed) > REQUEST_EVENTS:
            yield Parcel(history.team, packed[:REQUEST_EVENTS], share)
            packed = waiting[history.team] = packed[REQUEST_EVENTS:]
    for team, packed in waiting.items():
        if packed:
            yield Parcel(team, packed, share)
