"""The slow twin of the ledger: the time line cut wherever anything happens, each rule applied to each piece.

Written from the definitions, sharing nothing with the fast form but the event itself. Cost is no concern.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from ett.events import Event, Limits

DAY = 86_400_000_000

L3 = {
    "scheduling": [],
    "hardware_setup": ["image_pull", "binary_fetch"],
    "launcher_init": [
        *("device_init", "process_group_init", "preproc_creation", "train_module_creation"),
        *("init_plugins", "pre_train", "get_first_batch_data", "checkpoint_load"),
    ],
    "pt2_compile": ["dynamo", "aot_autograd", "inductor", "autotune", "cache_load", "recompile"],
    "train": ["checkpoint_save", "data_stall", "eval"],
    "shutdown": ["final_checkpoint", "model_publish", "cleanup"],
}
SLOWEST_FIRST = [
    "scheduling",
    "hardware_setup",
    "launcher_init",
    "pt2_compile",
    "train.*",
    "train",
    "shutdown",
]
FACTS = ("model", "gpus", "cluster", "tier", "workload", "labels")


@dataclass
class Piece:
    """A piece of the time line inside which nothing changes."""

    start: int
    end: int
    attempt: int
    bucket: str
    phase: str | None
    rank: int | None
    failed: bool = False


@dataclass
class Stretch:
    """A phase open on a rank."""

    start: int
    end: int
    phase: str
    rank: int


@dataclass
class Attempt:
    """One attempt, filled in rule by rule."""

    number: int
    events: list[Event]
    start: int = 0
    end: int = 0
    outcome: str = ""
    category: str | None = None
    infra: bool | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    stretches: list[Stretch] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    stray_ends: int = 0

    @property
    def interrupted(self) -> bool:
        return self.outcome in ("failed", "preempted", "lost")

    @property
    def first_train(self) -> int | None:
        return min(
            (p.start for p in self.pieces if p.phase and p.phase.split(".")[0] == "train"), default=None
        )


@dataclass
class Verdict:
    """Everything the ledger and its metrics should say of a job."""

    attempts: list[Attempt]
    gaps: list[tuple[int, int, str | None, int]]
    at_risk: int
    lost_at: int | None
    down: int | None
    notes: dict[str, int]
    totals: dict[str, int]
    failure: int
    tts: tuple[int, int] | None
    ttr: list[tuple[int, int]]
    days: dict[tuple[int, date], tuple[dict[str, int], int]]


def judge(events: Sequence[Event], now: int, limits: Limits) -> Verdict:
    """The verdict on a job's events."""
    everything = [
        Attempt(n, [e for e in events if e.attempt == n]) for n in sorted({e.attempt for e in events})
    ]
    for attempt in everything:
        bound(attempt)
    attempts = [a for a in everything if all(a.start < b.start for b in everything if b.number > a.number)]
    for place, attempt in enumerate(attempts):
        later = attempts[place + 1] if place + 1 < len(attempts) else None
        conclude(attempt, later, now, limits)
        carry_facts(attempt, attempts[place - 1] if place else None)
    cuts = all_cuts(events, attempts, limits)
    for attempt in attempts:
        find_stretches(attempt, limits)
        attempt.pieces = [charge(attempt, a, b) for a, b in within(cuts, attempt.start, attempt.end)]
        hang(attempt, limits)
    lose_unsaved(attempts, [e for e in events if e.type == "checkpoint"])
    gaps = find_gaps(attempts, limits)
    mark_failed(attempts, gaps)
    return sum_up(attempts, gaps, cuts, now, limits, left_out=len(everything) - len(attempts))


def place_in_order(event: Event) -> tuple[Any, ...]:
    return (event.ts, event.rank, -1 if event.seq is None else event.seq, event.id)


def known(phase: str) -> bool:
    return phase.split(".")[0] in L3


def l3_order(phase: str) -> tuple[int, int, str]:
    """Bare, then the known ones, then others by name."""
    l2, _, l3 = phase.partition(".")
    if not l3:
        return (0, 0, "")
    return (1, L3[l2].index(l3), "") if l3 in L3[l2] else (2, 0, l3)


# Rule 1


def endings(attempt: Attempt) -> tuple[int, str] | None:
    bad = [(e.ts, 1, "failed") for e in attempt.events if e.type == "failure"]
    for event in attempt.events:
        if event.type == "attempt_end" and event.body["outcome"] == "preempted":
            bad.append((event.ts, 2, "preempted"))
        if event.type == "attempt_end" and event.body["outcome"] == "failed":
            bad.append((event.ts, 3, "failed"))
    if bad:
        first = sorted(bad)[0]
        return first[0], first[2]
    good = sorted((e for e in attempt.events if e.type == "attempt_end"), key=place_in_order)
    return (good[-1].ts, good[-1].body["outcome"]) if good else None


def bound(attempt: Attempt) -> None:
    lowest = min(e.rank for e in attempt.events)
    attempt.start = min(e.ts for e in attempt.events if e.rank == lowest)


def conclude(attempt: Attempt, later: Attempt | None, now: int, limits: Limits) -> None:
    ending = endings(attempt)
    if ending:
        attempt.end, attempt.outcome = max(ending[0], attempt.start), ending[1]
    else:
        signs = [e.ts for e in attempt.events]
        signs += [e.ts + (e.duration or 0) for e in attempt.events if e.type == "phase"]
        attempt.end = max(signs)
        silent = now - attempt.end > limits.lost_after
        attempt.outcome = "lost" if later or silent else "running"
    if later and attempt.end > later.start:
        attempt.end = later.start
    if attempt.interrupted:
        find_cause(attempt)


def find_cause(attempt: Attempt) -> None:
    failures = sorted((e for e in attempt.events if e.type == "failure"), key=place_in_order)
    if failures:
        attempt.category = failures[0].body.get("category", "unknown")
        attempt.infra = failures[0].body.get("infra")
    else:
        attempt.category = {"preempted": "preemption", "lost": "lost", "failed": "unknown"}[attempt.outcome]
    if attempt.infra is None:
        attempt.infra = attempt.category not in ("data", "oom", "user_code")


def carry_facts(attempt: Attempt, before: Attempt | None) -> None:
    attempt.facts = dict(before.facts) if before else dict.fromkeys(FACTS)
    for event in sorted((e for e in attempt.events if e.type == "attempt_start"), key=place_in_order):
        for name in FACTS:
            if name in event.body:
                attempt.facts[name] = event.body[name]


# Rule 2


def find_stretches(attempt: Attempt, limits: Limits) -> None:
    ranks = {e.rank for e in attempt.events}
    for rank in ranks:
        mine = [e for e in attempt.events if e.rank == rank]
        last = attempt.end
        if rank != min(ranks):
            last = min(last, max(e.ts for e in mine) + limits.lost_after)
        for phase in {e.phase for e in mine if e.phase and known(e.phase)}:
            pair(attempt, rank, phase, last)
        for event in mine:
            if event.type == "phase" and known(event.phase or ""):
                attempt.stretches.append(
                    Stretch(event.ts, event.ts + (event.duration or 0), event.phase or "", rank)
                )


def pair(attempt: Attempt, rank: int, phase: str, last: int) -> None:
    marks = [e for e in attempt.events if e.rank == rank and e.type in ("phase_start", "phase_end")]
    marks = [e for e in marks if e.phase and known(e.phase)]
    since: int | None = None
    for ts in sorted({e.ts for e in marks}):
        for event in ordered_at(ts, marks, phase, open_before=since is not None):
            if since is not None:
                attempt.stretches.append(Stretch(since, ts, phase, rank))
            elif event.type == "phase_end":
                attempt.stray_ends += 1
            since = ts if event.type == "phase_start" else None
    if since is not None:
        attempt.stretches.append(Stretch(since, last, phase, rank))


def ordered_at(ts: int, marks: Iterable[Event], phase: str, open_before: bool) -> list[Event]:
    here = [e for e in marks if e.ts == ts]
    mine = [e for e in here if e.phase == phase]
    counters = [e.seq for e in here]
    if None not in counters and len(set(counters)) == len(counters):
        return sorted(mine, key=lambda e: e.seq or 0)
    starts = [e for e in mine if e.type == "phase_start"]
    ends = [e for e in mine if e.type == "phase_end"]
    return ends + starts if open_before else starts + ends


# Rules 3 to 6


def all_cuts(events: Sequence[Event], attempts: Sequence[Attempt], limits: Limits) -> list[int]:
    """Every instant at which anything may change."""
    cuts = {a.start for a in attempts} | {a.end for a in attempts}
    for event in events:
        cuts |= {event.ts, event.ts + limits.lost_after, event.ts + (event.duration or 0)}
        cuts.add(event.body.get("snapshot_ts", event.ts))
    first, last = min(cuts), max(cuts)
    return sorted(cuts | {midnight * DAY for midnight in range(first // DAY, last // DAY + 2)})


def within(cuts: Sequence[int], start: int, end: int) -> list[tuple[int, int]]:
    inside = [cut for cut in cuts if start <= cut <= end]
    return list(pairwise(inside))


def charge(attempt: Attempt, start: int, end: int) -> Piece:
    at: dict[int, str] = {}
    for rank in {s.rank for s in attempt.stretches}:
        is_open = [s for s in attempt.stretches if s.rank == rank and s.start <= start and end <= s.end]
        if is_open:
            at[rank] = max(is_open, key=newest).phase
    if not at:
        return Piece(start, end, attempt.number, "unaccounted", None, None)
    rank = min(at, key=lambda rank: (*slowest(at[rank]), rank))
    return Piece(start, end, attempt.number, bucket(at[rank]), at[rank], rank)


def newest(stretch: Stretch) -> tuple[Any, ...]:
    l2 = stretch.phase.split(".")[0]
    return (stretch.start, "." in stretch.phase, list(L3).index(l2), l3_order(stretch.phase))


def slowest(phase: str) -> tuple[Any, ...]:
    group = phase.split(".")[0]
    if phase.startswith("train."):
        group = "train.*"
    return (SLOWEST_FIRST.index(group), l3_order(phase))


def bucket(phase: str) -> str:
    if phase == "train":
        return "effective"
    if phase == "train.checkpoint_save":
        return "checkpoint_blocking"
    return "stalled" if phase.startswith("train.") else phase.split(".")[0]


def hang(attempt: Attempt, limits: Limits) -> None:
    beats = [e for e in attempt.events if e.type == "heartbeat" and "step" in e.body]
    beats = [e for e in beats if attempt.start <= e.ts <= attempt.end]
    beats.sort(key=lambda e: (e.ts, e.body["step"]))
    steps = [e.body["step"] for e in beats]
    points = [e.ts for place, e in enumerate(beats) if all(steps[place] > s for s in steps[:place])]
    for point, following in zip(points, [*points[1:], attempt.end], strict=False):
        for piece in attempt.pieces:
            stuck = following - point > limits.hang_after and point <= piece.start and piece.end <= following
            if stuck and piece.bucket == "effective":
                piece.bucket = "stalled"


# Rule 7 and the gaps of rule 5


def lose_unsaved(attempts: Sequence[Attempt], checkpoints: Sequence[Event]) -> None:
    states = [(e.body.get("snapshot_ts", e.ts), e.ts, e.body.get("name")) for e in checkpoints]
    for place, attempt in enumerate(attempts):
        if attempt.interrupted:
            survived = surviving(attempts, place, states)
            for piece in (p for a in attempts[: place + 1] for p in a.pieces):
                if piece.bucket == "effective" and survived <= piece.start and piece.end <= attempt.end:
                    piece.bucket = "unsaved"


def surviving(attempts: Sequence[Attempt], place: int, states: Sequence[tuple[int, int, Any]]) -> int:
    end, later = attempts[place].end, attempts[place + 1 :]
    loads = [e for a in later[:1] for e in a.events if e.type == "checkpoint_loaded"]
    for load in sorted(loads, key=place_in_order, reverse=True):
        named = [s for s, _, name in states if name == load.body.get("name", object()) and s <= end]
        if named:
            return max(named)
    trains = [a.first_train for a in later if a.first_train is not None]
    kept = [s for s, durable, _ in states if s <= end and (not trains or durable <= min(trains))]
    return max(kept) if kept else attempts[0].start


def find_gaps(attempts: Sequence[Attempt], limits: Limits) -> list[tuple[int, int, str | None, int]]:
    gaps: list[tuple[int, int, str | None, int]] = []
    for one, other in pairwise(attempts):
        pause = one.outcome in ("completed", "cancelled") or other.start - one.end > limits.abandoned_after
        gaps.append((one.end, other.start, None if pause else "downtime", one.number))
    return gaps


# Metrics


def mark_failed(attempts: Sequence[Attempt], gaps: Sequence[tuple[int, int, str | None, int]]) -> None:
    for place, attempt in enumerate(attempts):
        follows = place > 0 and attempts[place - 1].interrupted and gaps[place - 1][2] is not None
        train = attempt.first_train
        for piece in attempt.pieces:
            before_training = follows and (train is None or piece.start < train)
            in_vain = attempt.interrupted and train is None
            piece.failed = piece.bucket == "unsaved" or before_training or in_vain


def time_to_start(attempt: Attempt) -> tuple[int, int] | None:
    if attempt.first_train is None:
        return None
    cut = [(max(s.start, attempt.start), min(s.end, attempt.end), s.phase) for s in attempt.stretches]
    waits = sorted((a, b) for a, b, phase in cut if a < b and phase.split(".")[0] == "scheduling")
    since = waits[0][1] if waits else attempt.start
    return max(0, attempt.first_train - since), attempt.first_train


def times_to_recover(
    attempts: Sequence[Attempt], gaps: Sequence[tuple[int, int, str | None, int]]
) -> list[tuple[int, int]]:
    found: dict[int, int] = {}
    for place, attempt in enumerate(attempts):
        if not attempt.interrupted:
            continue
        for gap, later in zip(gaps[place:], attempts[place + 1 :], strict=True):
            if gap[2] is None:
                break
            if later.first_train is not None:
                # The first interruption of a recovery is met first.
                found.setdefault(later.first_train, later.first_train - attempt.end)
                break
    return [(value, at) for at, value in sorted(found.items())]


def count_notes(
    attempts: Sequence[Attempt], gaps: Sequence[tuple[int, int, str | None, int]], left_out: int
) -> dict[str, int]:
    notes = Counter(attempt_left_out=left_out)
    for attempt in attempts:
        notes["end_without_start"] += attempt.stray_ends
        notes["no_model"] += attempt.facts["model"] is None
        notes["no_gpus"] += attempt.facts["gpus"] is None
        for event in attempt.events:
            outside = not attempt.start <= event.ts <= attempt.end
            notes["past_end"] += outside and event.type not in ("checkpoint", "checkpoint_loaded")
            notes["unknown_phase"] += event.phase is not None and not known(event.phase)
            notes["negative_duration"] += (event.duration or 0) < 0
    for attempt, gap in zip(attempts, gaps, strict=False):
        notes["abandoned"] += attempt.interrupted and gap[2] is None
    return {kind: n for kind, n in notes.items() if n}


def risk(last: Attempt) -> int:
    own = [e.body.get("snapshot_ts", e.ts) for e in last.events if e.type == "checkpoint"]
    since = max(own) if own else last.start
    return sum(p.end - p.start for p in last.pieces if p.bucket == "effective" and p.start >= since)


def sum_up(
    attempts: list[Attempt],
    gaps: list[tuple[int, int, str | None, int]],
    cuts: Sequence[int],
    now: int,
    limits: Limits,
    left_out: int,
) -> Verdict:
    pieces = [piece for attempt in attempts for piece in attempt.pieces]
    for start, end, kind, after in gaps:
        if kind:
            pieces += [Piece(a, b, after, kind, None, None, failed=True) for a, b in within(cuts, start, end)]
    totals: Counter[str] = Counter()
    days: dict[tuple[int, date], tuple[dict[str, int], int]] = {}
    for piece in pieces:
        length = piece.end - piece.start
        totals[piece.bucket] += length
        key = (piece.attempt, datetime.fromtimestamp(piece.start // 1_000_000, UTC).date())
        by_bucket, failed = days.get(key, ({}, 0))
        by_bucket[piece.bucket] = by_bucket.get(piece.bucket, 0) + length
        days[key] = (by_bucket, failed + length * piece.failed)
    last = attempts[-1]
    running = last.outcome == "running"
    return Verdict(
        attempts=attempts,
        gaps=gaps,
        at_risk=risk(last) if running else 0,
        lost_at=last.end + limits.lost_after + 1 if running else None,
        down=last.end if last.interrupted else None,
        notes=count_notes(attempts, gaps, left_out),
        totals=dict(totals),
        failure=sum((p.end - p.start) * p.failed for p in pieces),
        tts=time_to_start(attempts[0]),
        ttr=times_to_recover(attempts, gaps),
        days=days,
    )
