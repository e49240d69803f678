"""Whatever comes, each event is taken or named, and the good one beside it is kept."""

import json
import random
from typing import Any

import pytest

from ingest.models import Event, EventType
from tests.trainer import Trainer, event

FIELDS = (
    "id", "type", "job", "attempt", "ts", "rank", "seq", "attrs", "phase", "duration_s", "model", "gpus",
    "cluster", "labels", "name", "snapshot_ts", "step", "async", "cache", "recompile", "reason", "frame",
    "stages_s", "caches", "kernels", "samples", "category", "component", "message", "infra", "outcome",
)  # fmt: skip
TEXTS = (
    "", "x", "a/b", "../..", "train", "train.eval", "2026-11-18T00:00:00Z",
    "9999-12-31T23:59:59.999999+14:00", "0001-01-01T00:00:00-14:00", "\0", "\ud800", "\u202e", "💥" * 90,
    "x" * 5000, "NaN", "-0", "1e999", "completed", "hit",
)  # fmt: skip
NUMBERS = (
    0, -1, 1, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**40, 0.5, -0.0, 1e-320, 1.7e308, -1.7e308,
    1_795_000_000.123456789,
)  # fmt: skip


def value(rng: random.Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = rng.randrange(7 if depth else 4)
    if kind < 2:
        return rng.choice(TEXTS)
    if kind == 2:
        return rng.choice(NUMBERS)
    if kind == 3:
        return rng.choice((None, True, False))
    if kind == 4:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(TEXTS): value(rng, depth - 1) for _ in range(rng.randrange(4))}


def garbage(rng: random.Random, t0: float) -> Any:
    """An event with some fields replaced by anything, or no event at all."""
    if rng.random() < 0.05:
        return value(rng)
    changed = rng.sample(FIELDS, rng.randrange(1, 4))
    whole = event(rng.choice(EventType.labels), t0, phase="train", duration_s=1, outcome="failed")
    return whole | {name: value(rng) for name in changed}


@pytest.mark.parametrize("seed", range(40))
def test_no_garbage_is_a_500_or_costs_a_good_event(trainer: Trainer, t0: float, seed: int) -> None:
    rng = random.Random(seed)
    good = event("heartbeat", t0, job="good")
    batch = [garbage(rng, t0) for _ in range(60)] + [good]
    response = trainer.post(json.dumps(batch).encode())
    answer = json.loads(response.content)
    assert response.status_code == 200, answer
    assert answer["accepted"] + answer["duplicates"] + answer["rejected"] == len(batch)
    assert Event.objects.filter(job__name="good").count() == 1
    assert Event.objects.count() == answer["accepted"]
    for error in answer["errors"]:
        assert error["code"]
        assert error["message"]
