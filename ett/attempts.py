"""The attempts of a job side by side: which of them count, from when to when, and how they ended."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ett.events import INTERRUPTED, Limits, Outcome
from ett.phases import is_training
from ett.spans import Facts, Failure, Layout, is_infra
from ett.stretches import Interval


@dataclass(frozen=True, slots=True)
class Bounded:
    """An attempt that counts, in the light of the other attempts and of now."""

    layout: Layout
    bounds: Interval
    outcome: Outcome
    cause: Failure | None  # None unless interrupted
    facts: Facts

    @property
    def interrupted(self) -> bool:
        """Whether it neither completed, nor was cancelled, nor still runs."""
        return self.outcome in INTERRUPTED

    @property
    def first_train(self) -> int | None:
        """Its first instant charged to training."""
        for start, _, phase, _ in self.layout.charged:
            if start >= self.bounds.end:
                return None
            if is_training(phase):
                return start
        return None

    @property
    def strays(self) -> int:
        """How many of its events lie outside its bounds."""
        heard, (start, end) = self.layout.heard, self.bounds
        return bisect_left(heard, start) + len(heard) - bisect_right(heard, end)


def counting(layouts: Sequence[Layout]) -> list[Layout]:
    """The attempts that begin before all later ones, in order."""
    kept: list[Layout] = []
    for layout in sorted(layouts, key=lambda layout: layout.number, reverse=True):
        if not kept or layout.start < kept[-1].start:
            kept.append(layout)
    return kept[::-1]


def bounded(layouts: Sequence[Layout], now: int, limits: Limits) -> Iterator[Bounded]:
    """The attempts that count, cut where the next one begins."""
    facts = Facts()
    followers = [*layouts[1:], None]
    for layout, follower in zip(layouts, followers, strict=True):
        facts = _inherit(layout.facts, facts)
        outcome = _outcome(layout, follower is not None, now, limits)
        end = min(layout.end, follower.start) if follower else layout.end
        yield Bounded(layout, Interval(layout.start, end), outcome, _cause(layout, outcome), facts)


def _inherit(own: Facts, before: Facts) -> Facts:
    """What an attempt says, and where it says nothing, what held for the attempt before."""
    said = {field.name: getattr(own, field.name) for field in fields(Facts)}
    return Facts(**{name: getattr(before, name) if value is None else value for name, value in said.items()})


def _outcome(layout: Layout, followed: bool, now: int, limits: Limits) -> Outcome:
    """The outcome it told or, where it told none, what its silence means."""
    if layout.ending:
        return layout.ending.outcome
    return Outcome.LOST if followed or now - layout.end > limits.lost_after else Outcome.RUNNING


def _cause(layout: Layout, outcome: Outcome) -> Failure | None:
    """What an interruption is put down to."""
    if outcome not in INTERRUPTED:
        return None
    silent = {Outcome.PREEMPTED: "preemption", Outcome.LOST: "lost"}.get(outcome, "unknown")
    return layout.failure or Failure(silent, is_infra(silent))
