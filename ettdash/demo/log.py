"""What one attempt says: its events, each with the instant at which its trainer could know it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ettdash.demo.fleet import Model
from ettdash.demo.stories import stable_uuid

Event = dict[str, Any]


class Said(NamedTuple):
    """An event and when it could be posted: a whole stretch is known only at its end."""

    at: float
    event: Event


@dataclass(frozen=True, slots=True)
class Plan:
    """One job as its team meant it to be, before anything went wrong."""

    key: str  # what its event ids are made from
    name: str
    model: Model
    start: float
    gpus: int
    cluster: str
    tier: str
    labels: Mapping[str, str]
    attrs: Mapping[str, str]
    ranks: tuple[int, ...]
    train_s: float
    cancel_s: float | None  # a person stops it after this much training
    doomed_s: float | None  # a planted failure after this much training, and nobody starts it again
    reports_steps: bool

    def doomed(self, train_s: float) -> "Plan":
        """The same job, with a failure waiting for it after so much training."""
        return replace(self, doomed_s=train_s, cancel_s=None)


@dataclass(slots=True)
class AttemptLog:
    """Collects the events of one attempt of a job."""

    plan: Plan
    number: int
    said: list[Said]
    _counts: defaultdict[tuple[int, str], int]
    _seqs: defaultdict[int, int]

    @classmethod
    def of(cls, plan: Plan, number: int) -> "AttemptLog":
        """An empty log of a job's n-th attempt."""
        return cls(plan, number, [], defaultdict(int), defaultdict(int))

    def add(self, kind: str, ts: float, rank: int = 0, at: float | None = None, **fields: Any) -> Event:
        """One event of a kind that is counted as it comes."""
        self._counts[rank, kind] += 1
        return self.put(kind, self._counts[rank, kind], ts, rank, ts if at is None else at, fields)

    def put(self, kind: str, n: int, ts: float, rank: int, at: float, fields: Event) -> Event:
        """The n-th event of a kind and rank: its id depends on nothing but that."""
        event: Event = {
            "id": stable_uuid(f"{self.plan.key}/{self.number}/{rank}/{kind}/{n}"),
            "type": kind,
            "job": self.plan.name,
            "attempt": self.number,
            "ts": round(ts, 3),
            **fields,
        }
        if rank:
            event["rank"] = rank
        self.said.append(Said(at, event))
        return event

    def opens(self, phase: str, ts: float, rank: int = 0) -> None:
        """A phase begins."""
        self._seqs[rank] += 1
        self.add("phase_start", ts, rank, phase=phase, seq=self._seqs[rank])

    def closes(self, phase: str, ts: float, rank: int = 0) -> None:
        """A phase ends."""
        self._seqs[rank] += 1
        self.add("phase_end", ts, rank, phase=phase, seq=self._seqs[rank])

    def stretch(self, phase: str, ts: float, seconds: float, rank: int = 0) -> float:
        """A whole stretch, told at its end; returns that end."""
        end = ts + seconds
        self.add("phase", ts, rank, at=end, phase=phase, duration_s=round(seconds, 3))
        return end

    def cut(self, end: float) -> None:
        """Forget what the attempt did not live to say; an upload of its own process goes on."""
        survives = self.plan.model.checkpointing.survives
        self.said = [
            said
            for said in self.said
            if said.at <= end
            or (survives and said.event["type"] == "checkpoint" and said.event["snapshot_ts"] <= end)
        ]
