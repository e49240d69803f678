"""What tests read out of simulated events without any help of the product."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ettdash.demo.log import Event


class Stretch(NamedTuple):
    """A phase of one rank, as sent, with the day of the demo on which it began."""

    job: str
    phase: str
    start: float
    seconds: float


def stretches(events: Iterable[Event], phase: str) -> Iterator[Stretch]:
    """Rank 0's stretches of a phase, in whichever form they were sent; without those that never ended."""
    opened: dict[int, float] = {}
    for event in sorted(events, key=lambda one: one["ts"]):
        if event.get("phase") != phase or event.get("rank", 0):
            continue
        if event["type"] == "phase":
            yield Stretch(event["job"], phase, event["ts"], event["duration_s"])
        elif event["type"] == "phase_start":
            opened[event["attempt"]] = event["ts"]
        else:
            began = opened.pop(event["attempt"])
            yield Stretch(event["job"], phase, began, event["ts"] - began)


def first(events: Iterable[Event], kind: str) -> Event:
    """The first event of a kind."""
    return next(event for event in events if event["type"] == kind)


def of_model(told: Mapping[str, list[Event]], model: str) -> Iterator[list[Event]]:
    """The training jobs of a model."""
    for events in told.values():
        start = first(events, "attempt_start")
        if start["model"] == model and start["workload"] != "publish":
            yield events


def outcomes(events: Iterable[Event]) -> list[Any]:
    """How the attempts of a job said they ended."""
    return [event["outcome"] for event in events if event["type"] == "attempt_end"]


def mean(values: Iterable[float]) -> float:
    """The mean of at least one value."""
    listed = list(values)
    return sum(listed) / len(listed)
