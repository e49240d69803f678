"""The ledger against its slow twin, and what holds for every history whatsoever."""

import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from ett.buckets import Attempt, Bucket, Ledger, charge
from ett.metrics import (
    attempt_days,
    ett_ratio,
    failure_time,
    gpu_totals,
    idle_time,
    time_to_start,
    times_to_recover,
    totals,
)
from ett.spans import lay_out
from tests.ett import slow
from tests.ett.histories import History, history
from tests.ett.said import by_attempt

SEEDS = int(os.environ.get("ETTDASH_SEEDS", "600"))
BATCH = 100


def ledger_of(past: History) -> Ledger:
    layouts = [lay_out(own, past.limits) for own in by_attempt(past.events).values()]
    return charge(layouts, past.now, past.limits)


def batches() -> list[range]:
    return [range(first, min(first + BATCH, SEEDS)) for first in range(0, SEEDS, BATCH)]


def as_slow(attempt: Attempt) -> dict[str, Any]:
    """An attempt in the words of the slow twin."""
    return {
        "number": attempt.number,
        "bounds": (attempt.start, attempt.end),
        "outcome": (attempt.outcome, attempt.category, attempt.infra),
        "first_train": attempt.first_train,
        "facts": tuple(getattr(attempt, name) for name in slow.FACTS),
        "spans": [tuple(span) for span in attempt.spans],
        "raw": attempt.raw,
    }


def from_slow(attempt: slow.Attempt) -> dict[str, Any]:
    """The same out of the slow twin's attempt."""
    defaults = {"gpus": 1, "labels": {}}
    facts = [defaults.get(name) if fact is None else fact for name, fact in attempt.facts.items()]
    return {
        "number": attempt.number,
        "bounds": (attempt.start, attempt.end),
        "outcome": (attempt.outcome, attempt.category, attempt.infra),
        "first_train": attempt.first_train,
        "facts": tuple(facts),
        "spans": list(joined(attempt.pieces)),
        "raw": raw(attempt),
    }


def joined(pieces: list[slow.Piece]) -> Iterator[tuple[int, int, str, str | None, int | None]]:
    last: list[Any] | None = None
    for piece in pieces:
        if last and last[2:] == [piece.bucket, piece.phase, piece.rank]:
            last[1] = piece.end
            continue
        if last:
            yield tuple(last)
        last = [piece.start, piece.end, piece.bucket, piece.phase, piece.rank]
    if last:
        yield tuple(last)


def raw(attempt: slow.Attempt) -> dict[str, int]:
    sums: dict[str, int] = {}
    for stretch in attempt.stretches:
        length = min(stretch.end, attempt.end) - max(stretch.start, attempt.start)
        if length > 0:
            sums[stretch.phase] = sums.get(stretch.phase, 0) + length
    return sums


def figures(ledger: Ledger) -> dict[str, Any]:
    return {
        "gaps": [(gap.start, gap.end, gap.bucket, gap.after) for gap in ledger.gaps],
        "at_risk": ledger.at_risk,
        "lost_at": ledger.lost_at,
        "down": ledger.down,
        "notes": dict(ledger.notes),
        "totals": {bucket: time for bucket, time in totals(ledger).items() if time},
        "failure": failure_time(ledger),
        "tts": time_to_start(ledger),
        "ttr": list(times_to_recover(ledger)),
        "days": {
            (row.attempt, row.day): ({b: time for b, time in row.totals.items() if time}, row.failure)
            for row in attempt_days(ledger)
        },
    }


@pytest.mark.parametrize("seeds", batches(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_ledger_agrees_with_its_slow_twin(seeds: range) -> None:
    for seed in seeds:
        past = history(seed)
        ledger, verdict = ledger_of(past), slow.judge(past.events, past.now, past.limits)
        assert len(ledger.attempts) == len(verdict.attempts), seed
        for fast, plain in zip(ledger.attempts, verdict.attempts, strict=True):
            assert as_slow(fast) == from_slow(plain), seed
        found = figures(ledger)
        assert found == {name: getattr(verdict, name) for name in found}, seed


@pytest.mark.parametrize("seeds", batches(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_any_order_of_events_gives_the_same_ledger(seeds: range) -> None:
    for seed in seeds:
        past = history(seed)
        shuffled = list(past.events)
        Random(seed + 1).shuffle(shuffled)
        assert ledger_of(past) == ledger_of(History(tuple(shuffled), past.now, past.limits)), seed


@pytest.mark.parametrize("seeds", batches(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_every_instant_is_in_exactly_one_bucket(seeds: range) -> None:
    for seed in seeds:
        ledger = ledger_of(history(seed))
        wall = sum(attempt.end - attempt.start for attempt in ledger.attempts)
        wall += sum(gap.end - gap.start for gap in ledger.gaps if gap.bucket)
        sums = totals(ledger)
        assert sum(sums.values()) == wall, seed
        assert sums[Bucket.EFFECTIVE] + failure_time(ledger) + idle_time(ledger) == wall, seed
        assert ett_ratio(sums) == (sums[Bucket.EFFECTIVE] / wall if wall else None), seed
        assert min(failure_time(ledger), idle_time(ledger)) >= 0, seed


@pytest.mark.parametrize("seeds", batches(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_days_add_up_to_the_job(seeds: range) -> None:
    for seed in seeds:
        ledger = ledger_of(history(seed))
        rows = list(attempt_days(ledger))
        for bucket, total in totals(ledger).items():
            assert sum(row.totals[bucket] for row in rows) == total, seed
        for bucket, total in gpu_totals(ledger).items():
            assert sum(row.totals[bucket] * row.gpus for row in rows) == total, seed
        assert sum(row.failure for row in rows) == failure_time(ledger), seed
