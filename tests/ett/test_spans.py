"""One attempt on its own: bounds, stretches, and the phase that is charged."""

from collections.abc import Sequence

import pytest

from ett.events import Event
from ett.spans import Checkpoint, Layout, lay_out
from tests.ett.said import LIMITS, SECOND, T0, Said

R0, R1, R3 = Said(rank=0), Said(rank=1), Said(rank=3)


def layout(*events: Event) -> Layout:
    return lay_out(events, LIMITS)


def charges(*events: Event) -> list[tuple[float, float, str | None, int | None]]:
    """What is charged, in seconds after T0."""
    spans = layout(*events).charged
    return [((s.start - T0) / SECOND, (s.end - T0) / SECOND, s.phase, s.rank) for s in spans]


def phases(*events: Event) -> list[tuple[float, float, str | None]]:
    return [(start, end, phase) for start, end, phase, _ in charges(*events)]


def bounds(*events: Event) -> tuple[float, float]:
    laid = layout(*events)
    return (laid.start - T0) / SECOND, (laid.end - T0) / SECOND


# Bounds


def test_attempt_begins_with_the_first_event_of_its_lowest_rank() -> None:
    assert bounds(R3.begin(0), R1.beat(7), R1.begin(5), R3.beat(20)) == (5, 20)


def test_earliest_interruption_ends_an_attempt_even_after_it_said_completed() -> None:
    laid = layout(R0.begin(0), R0.ended("completed", 10), R1.ended("preempted", 30), R3.failed(40))
    assert laid.ending is not None
    assert (laid.ending.at, laid.ending.outcome) == (T0 + 30 * SECOND, "preempted")


@pytest.mark.parametrize(
    ("endings", "outcome"),
    [
        ((R0.ended("failed", 9), R0.ended("preempted", 9)), "preempted"),
        ((R0.ended("preempted", 9), R3.failed(9)), "failed"),
        ((R0.ended("completed", 9), R3.ended("cancelled", 9)), "cancelled"),
        ((R0.ended("completed", 9, seq=2), R0.ended("cancelled", 9, seq=1)), "completed"),
        ((R0.ended("completed", 9, seq=0), R0.ended("cancelled", 9)), "completed"),
    ],
)
def test_endings_at_one_instant_have_an_order(endings: Sequence[Event], outcome: str) -> None:
    for said in (endings, endings[::-1]):
        laid = layout(R0.begin(0), *said)
        assert laid.ending is not None
        assert laid.ending.outcome == outcome


def test_latest_orderly_end_counts() -> None:
    assert bounds(R0.begin(0), R0.ended("completed", 10), R1.ended("completed", 12)) == (0, 12)


def test_ending_before_the_beginning_ends_the_attempt_at_its_beginning() -> None:
    laid = layout(R3.failed(2), R0.begin(5), R0.phase("train", 5, 9))
    assert laid.start == laid.end == T0 + 5 * SECOND
    assert laid.charged == ()
    assert laid.stretches == ()


def test_attempt_without_an_ending_reaches_to_its_last_sign_of_life() -> None:
    assert bounds(R0.begin(0), R1.beat(8)) == (0, 8)
    assert bounds(R0.begin(0), R0.phase("train", 5, 20), R1.beat(8)) == (0, 20)
    assert bounds(R0.begin(0), R0.event("compile", 5, duration=20)) == (0, 5)


def test_category_is_that_of_the_earliest_failure_whenever_it_came() -> None:
    laid = layout(R0.begin(0), R0.ended("preempted", 5), R3.failed(9, category="oom"), R1.failed(9))
    assert laid.failure is not None
    assert (laid.failure.category, laid.failure.infra) == ("unknown", True)


def test_sender_decides_whether_a_failure_was_infra() -> None:
    laid = layout(R0.failed(0, category="oom", infra=True))
    assert laid.failure is not None
    assert laid.failure.infra
    silent = layout(R0.failed(0, category="oom")).failure
    assert silent is not None
    assert not silent.infra


def test_latest_start_that_carries_a_field_counts() -> None:
    facts = layout(R0.begin(9, gpus=0), R0.begin(2, gpus=8, model="a"), R1.begin(2, model="b")).facts
    assert (facts.gpus, facts.model, facts.cluster) == (0, "b", None)


# Stretches


def test_second_start_of_an_open_phase_ends_the_first_stretch() -> None:
    laid = layout(R0.start("train", 0), R0.start("train", 5), R0.end("train", 8), R0.end("train", 9))
    assert [(s.start - T0, s.end - T0) for s in laid.stretches] == [(0, 5 * SECOND), (5 * SECOND, 8 * SECOND)]
    assert laid.notes == {"end_without_start": 1}


def test_stretch_without_an_end_lasts_to_the_attempts_end() -> None:
    assert phases(R0.start("train", 0), R0.failed(50)) == [(0, 50, "train")]


def test_other_rank_that_fell_silent_is_believed_only_until_lost_after() -> None:
    hour = [R0.start("train", 0), R0.ended("completed", 3600)]
    lost_end = [R1.start("launcher_init", 0), R1.beat(100)]
    assert phases(*hour, *lost_end) == [(0, 1000, "launcher_init"), (1000, 3600, "train")]


def test_parents_end_does_not_end_its_children() -> None:
    walk = [R0.start("train", 0), R0.start("train.eval", 5), R0.end("train", 8), R0.end("train.eval", 10)]
    assert phases(*walk) == [(0, 5, "train"), (5, 10, "train.eval")]


def test_whole_phase_is_untouched_by_starts_and_ends() -> None:
    walk = [R0.phase("train", 0, 10), R0.end("train", 5), R0.ended("completed", 12)]
    assert phases(*walk) == [(0, 10, "train"), (10, 12, None)]


def test_unknown_phases_and_negative_durations_charge_nothing_and_are_noted() -> None:
    laid = layout(R0.begin(0), R0.start("warp.core", 0), R0.end("warp.core", 4), R0.phase("train", 9, 3))
    assert [span.phase for span in laid.charged] == [None]
    assert laid.notes == {"unknown_phase": 2, "negative_duration": 1}


def test_counter_decides_between_starts_and_ends_of_one_instant() -> None:
    ended_then_started = [R0.end("train", 5, seq=1), R0.start("train", 5, seq=2)]
    started_then_ended = [R0.end("train", 5, seq=2), R0.start("train", 5, seq=1)]
    around = [R0.begin(0), R0.ended("completed", 9)]
    assert phases(*around, *ended_then_started) == [(0, 5, None), (5, 9, "train")]
    assert phases(*around, *started_then_ended) == [(0, 9, None)]


@pytest.mark.parametrize("counters", [(None, 2), (2, None), (3, 3)])
def test_without_a_trusted_counter_a_closed_phase_starts_first_and_an_open_one_ends_first(
    counters: tuple[int | None, int | None],
) -> None:
    both = [R0.end("train", 5, seq=counters[0]), R0.start("train", 5, seq=counters[1])]
    around = [R0.begin(0), R0.ended("completed", 9)]
    assert phases(*around, *both) == [(0, 9, None)]
    again = [*both, R0.start("train", 2)]
    assert phases(*around, *again) == [(0, 2, None), (2, 9, "train")]
    assert len(layout(*around, *again).stretches) == 2


def test_unknown_phases_do_not_spoil_the_counter_of_known_ones() -> None:
    walk = [R0.end("train", 5, seq=1), R0.start("train", 5, seq=2), R0.start("warp", 5)]
    assert phases(R0.begin(0), *walk, R0.ended("completed", 9)) == [(0, 5, None), (5, 9, "train")]


# One rank


def test_most_recently_started_open_phase_is_charged() -> None:
    walk = [
        *(R0.phase("launcher_init", 0, 60), R0.phase("launcher_init.get_first_batch_data", 10, 60)),
        *(R0.phase("pt2_compile", 20, 50), R0.phase("train", 60, 100)),
        R0.phase("train.checkpoint_save", 70, 75),
    ]
    assert phases(*walk) == [
        (0, 10, "launcher_init"),
        (10, 20, "launcher_init.get_first_batch_data"),
        (20, 50, "pt2_compile"),
        (50, 60, "launcher_init.get_first_batch_data"),
        (60, 70, "train"),
        (70, 75, "train.checkpoint_save"),
        (75, 100, "train"),
    ]


def test_start_as_sent_decides_even_where_the_bounds_cut_it() -> None:
    walk = [
        R1.phase("launcher_init", 2, 20),
        R1.phase("train", 4, 20),
        R0.begin(10),
        R0.ended("completed", 20),
    ]
    assert phases(*walk) == [(10, 20, "train")]


def test_of_two_with_one_start_the_deeper_wins() -> None:
    assert phases(R0.phase("train", 0, 9), R0.phase("train.eval", 0, 4)) == [
        (0, 4, "train.eval"),
        (4, 9, "train"),
    ]


# Several ranks


def test_least_advanced_rank_is_charged() -> None:
    walk = [
        *(R0.phase("launcher_init", 0, 10), R0.phase("train", 10, 60)),
        *(R1.phase("launcher_init", 0, 20), R1.phase("train", 20, 60), R1.phase("train.data_stall", 30, 40)),
    ]
    assert charges(*walk) == [
        (0, 10, "launcher_init", 0),
        (10, 20, "launcher_init", 1),
        (20, 30, "train", 0),
        (30, 40, "train.data_stall", 1),
        (40, 60, "train", 0),
    ]


def test_rank_without_an_open_phase_holds_nobody_back() -> None:
    assert charges(R0.begin(0), R1.phase("train", 0, 10)) == [(0, 10, "train", 1)]


# What the job needs later


def test_only_heartbeats_that_get_further_are_advances() -> None:
    beats = [
        R1.beat(0, 99),
        R0.begin(5),
        R0.beat(10, 3),
        R1.beat(20, 3),
        R1.beat(30, 4),
        R0.beat(30, 5),
        R0.beat(40),
    ]
    assert [ts - T0 for ts in layout(*beats).advances] == [10 * SECOND, 30 * SECOND, 30 * SECOND]


def test_checkpoint_without_a_snapshot_was_captured_when_durable() -> None:
    saved = layout(R0.saved(None, 9), R1.saved("c1", 8, snapshot=2)).checkpoints
    assert saved == (
        Checkpoint(T0 + 2 * SECOND, T0 + 8 * SECOND, 1, "c1"),
        Checkpoint(T0 + 9 * SECOND, T0 + 9 * SECOND, 0, None),
    )


def test_loads_are_kept_in_the_order_of_their_last_mention() -> None:
    assert layout(R0.loaded("a", 3), R0.loaded("b", 2), R0.loaded("a", 1)).loads == ("b", "a")


# Size


def test_thousands_of_ranks_are_laid_out_together() -> None:
    events = []
    for rank in range(4096):
        one = Said(rank=rank)
        events += [one.phase("launcher_init", 0, 10 + rank / 1000), one.start("train", 10 + rank / 1000)]
    events.append(R0.ended("completed", 60))
    assert charges(*events)[-1] == (14.095, 60, "train", 0)
    assert all(span.phase == "launcher_init" for span in layout(*events).charged[:-1])


def test_stretches_nested_a_hundred_thousand_deep_are_laid_out() -> None:
    deep = [R0.phase("train.eval", n / 100, 4000 - n / 100) for n in range(100_000)]
    laid = layout(*deep)
    assert len(laid.stretches) == 100_000
    assert [span.phase for span in laid.charged] == ["train.eval"]
    assert laid.end - laid.start == 4000 * SECOND
