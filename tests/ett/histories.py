"""Seeded random histories of a job: small, and full of what goes wrong."""

from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

from ett.events import DAY, MINUTE, SECOND, Event, Limits
from tests.ett.said import T0

PHASES = (
    *("scheduling", "scheduling.queue", "hardware_setup", "hardware_setup.image_pull"),
    *("launcher_init", "launcher_init.device_init", "launcher_init.get_first_batch_data"),
    *("launcher_init.zeta", "launcher_init.alpha"),
    *("pt2_compile", "pt2_compile.inductor", "pt2_compile.dynamo"),
    *("train", "train", "train", "train"),
    *("train.checkpoint_save", "train.data_stall", "train.eval", "train.tea"),
    *("shutdown", "shutdown.cleanup", "shutdown.model_publish", "warp", "warp.core"),
)
CATEGORIES = (None, "network", "oom", "hardware", "preemption", "user_code")
LIMITS = Limits(lost_after=6 * MINUTE, hang_after=9 * MINUTE, abandoned_after=30 * MINUTE)


@dataclass(frozen=True)
class History:
    """A job's events, in the order they came, and when they are looked at."""

    events: tuple[Event, ...]
    now: int
    limits: Limits


def history(seed: int) -> History:
    """The history of a seed."""
    return _Maker(Random(seed)).history()


class _Maker:
    """Makes one history; coarse times, so that many things happen at one instant."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.grain = random.choice((1, 10 * SECOND, MINUTE, MINUTE, 2 * MINUTE))
        self.with_seq = random.choice((0.0, 0.5, 1.0, 1.0))
        self.ranks = random.choice(((0,), (0,), (0, 1), (0, 1, 2), (3, 7), (1, 2, 3)))
        self.calm = random.random() < 0.5  # mostly well-formed phases, rather than noise
        self.seq = 0

    def history(self) -> History:
        # Half of them begin shortly before a midnight.
        at = T0 + self.random.choice((-20 * MINUTE, -5 * MINUTE, 3 * MINUTE, 6 * 60 * MINUTE))
        events: list[Event] = []
        numbers = sorted(self.random.sample(range(1, 9), self.random.choice((1, 1, 2, 2, 3, 4))))
        for number in numbers:
            length = self.random.choice((0, 3, 10, 25, 40)) * MINUTE
            events += self.attempt(number, at, length)
            at += self.random.choice((length, length, length // 2)) + self.gap()
        last = max(event.ts for event in events)
        now = last + self.random.choice((0, MINUTE, 6 * MINUTE, 6 * MINUTE + 1, 20 * MINUTE, DAY))
        self.random.shuffle(events)
        return History(tuple(events), now, LIMITS)

    def gap(self) -> int:
        """From one attempt to the next: mostly forward, at times none, backward, or for good."""
        return self.random.choice((-12, -3, 0, 0, 1, 2, 5, 8, 30, 31, 45, 24 * 60)) * MINUTE

    def attempt(self, number: int, start: int, length: int) -> list[Event]:
        found: list[Event] = []
        for rank in self.ranks if self.random.random() < 0.8 else self.ranks[:1]:
            skew = self.random.choice((0, 0, 0, MINUTE, -MINUTE, 3 * MINUTE))
            found += self.rank(number, rank, start + skew, length)
        if self.random.random() < 0.75:
            found += self.endings(number, start, length)
        return found

    def rank(self, number: int, rank: int, start: int, length: int) -> list[Event]:
        found = [self.say("attempt_start", number, rank, start, **self.facts())]
        makers = [self.noise, self.noise, self.checkpoint, self.load, self.beats]
        if self.calm:
            found += self.orderly(number, rank, start, length)
            makers = [self.checkpoint, self.checkpoint, self.load, self.load, self.beats, self.noise]
        for _ in range(self.random.randrange(8)):
            found += self.random.choice(makers)(number, rank, start, length)
        return [event for event in found if self.random.random() > 0.05] or found[:1]

    def orderly(self, number: int, rank: int, start: int, length: int) -> list[Event]:
        """A walk through the phases, with saves inside the training."""
        found: list[Event] = []
        at = start
        for phase in ("scheduling", "launcher_init", "pt2_compile", "train", "shutdown"):
            until = at + self.random.choice((0, 1, 2, 10 if phase == "train" else 3)) * MINUTE
            found.append(self.say("phase_start", number, rank, at, phase))
            if phase == "train":
                until = max(until, start + length)
                middle = (at + until) // 2
                found.append(self.say("phase", number, rank, middle, "train.checkpoint_save", 30 * SECOND))
            found.append(self.say("phase_end", number, rank, until, phase))
            at = until
        return found

    def noise(self, number: int, rank: int, start: int, length: int) -> list[Event]:
        """Starts and ends of a phase or a whole one, anywhere."""
        phase = self.random.choice(PHASES)
        at = self.instant(start, length)
        until = at + self.random.choice((-MINUTE, 0, MINUTE, 5 * MINUTE, 20 * MINUTE))
        if self.random.random() < 0.3:
            return [self.say("phase", number, rank, at, phase, until - at)]
        ends = [self.say("phase_end", number, rank, until, phase)]
        starts = [self.say("phase_start", number, rank, at, phase)]
        return self.random.choice((starts, starts + ends, starts + ends, ends + starts, ends))

    def checkpoint(self, number: int, rank: int, start: int, length: int) -> list[Event]:
        """A checkpoint, at times captured long before, durable late, or without a name."""
        at = self.random.choice((self.instant(start, length), start + length))
        at += self.random.choice((0, 0, 5, 40)) * MINUTE
        body: dict[str, Any] = {}
        if self.random.random() < 0.8:
            body["name"] = f"c{self.random.randrange(4)}"
        if self.random.random() < 0.6:
            body["snapshot_ts"] = at - self.random.choice((0, 1, 3, 15, 60, -2)) * MINUTE
        return [self.say("checkpoint", number, rank, at, **body)]

    def load(self, number: int, rank: int, start: int, length: int) -> list[Event]:
        name = self.random.choice(("c0", "c1", "c2", "c3", "gone", None))
        body: dict[str, Any] = {} if name is None else {"name": name}
        return [self.say("checkpoint_loaded", number, rank, self.instant(start, length), **body)]

    def beats(self, number: int, rank: int, start: int, length: int) -> list[Event]:
        """Heartbeats that climb, stand still or carry no step."""
        found = []
        step = self.random.randrange(3)
        at = self.instant(start, length)
        for _ in range(self.random.randrange(1, 6)):
            body: dict[str, Any] = {"step": step} if self.random.random() < 0.9 else {}
            found.append(self.say("heartbeat", number, rank, at, **body))
            step += self.random.choice((0, 0, 1, 5))
            at += self.random.choice((0, 1, 4, 9, 10)) * MINUTE
        return found

    def endings(self, number: int, start: int, length: int) -> list[Event]:
        """One ending or several that contradict each other, on any rank."""
        found = []
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            at = start + length + self.random.choice((0, 0, 0, 0, 0, MINUTE, -MINUTE, -length - MINUTE))
            rank = self.random.choice((*self.ranks, 5))
            if self.random.random() < 0.35:
                found.append(self.say("failure", number, rank, at, **self.cause()))
            else:
                outcome = self.random.choice(("completed", "completed", "cancelled", "preempted", "failed"))
                found.append(self.say("attempt_end", number, rank, at, outcome=outcome))
        return found

    def cause(self) -> dict[str, Any]:
        category = self.random.choice(CATEGORIES)
        infra = self.random.choice((None, None, True, False))
        return {name: v for name, v in (("category", category), ("infra", infra)) if v is not None}

    def facts(self) -> dict[str, Any]:
        said = {
            "model": "m",
            "gpus": self.random.choice((0, 8, 64)),
            "tier": "production",
            "labels": {"a": "b"},
        }
        said["cluster"] = f"k{self.random.randrange(3)}"
        return {name: value for name, value in said.items() if self.random.random() < 0.6}

    def instant(self, start: int, length: int) -> int:
        """Somewhere in an attempt, or a little outside."""
        at = start + self.random.randrange(-2 * MINUTE, length + 4 * MINUTE)
        return at // self.grain * self.grain

    def say(
        self,
        type: str,
        attempt: int,
        rank: int,
        ts: int,
        phase: str | None = None,
        duration: int | None = None,
        **body: Any,
    ) -> Event:
        self.seq += self.random.choice((1, 1, 1, 0))
        seq = self.seq if self.random.random() < self.with_seq else None
        unique = UUID(int=self.random.getrandbits(128))
        return Event(type, attempt, rank, seq, ts, unique, phase, duration, body)
