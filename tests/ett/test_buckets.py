"""The ledger of a job: attempts that count, gaps, hangs, and training that was thrown away."""

import pytest

from ett.buckets import Bucket, Ledger
from ett.events import Event, Limits
from ett.metrics import totals
from tests.ett.said import DAY, LIMITS, SECOND, T0, Said, ledger_of, seconds

A1, A2, A3 = Said(1), Said(2), Said(3)


def spent(ledger: Ledger) -> dict[str, float]:
    return seconds(totals(ledger))


def outcomes(ledger: Ledger) -> list[tuple[int, str, str | None]]:
    return [(a.number, a.outcome.value, a.category) for a in ledger.attempts]


def trained(said: Said, start: float, end: float, how: str = "failed") -> list[Event]:
    """An attempt that does nothing but train."""
    return [said.phase("train", start, end), said.ended(how, end)]


# Which attempts count, and how they ended


def test_silence_longer_than_lost_after_means_lost() -> None:
    events = [A1.begin(0), A1.beat(100)]
    running = ledger_of(*events, now=100 + 900)
    assert outcomes(running) == [(1, "running", None)]
    assert running.state == "running"
    assert running.down is None
    assert running.lost_at == T0 + 1000 * SECOND + 1
    lost = ledger_of(*events, now=100 + 900.000001)
    assert outcomes(lost) == [(1, "lost", "lost")]
    assert lost.attempts[0].infra is True
    assert lost.down == lost.last_ts == T0 + 100 * SECOND
    assert lost.lost_at is None


def test_later_attempt_makes_a_silent_one_lost_at_once() -> None:
    assert outcomes(ledger_of(A1.begin(0), A2.begin(10))) == [(1, "lost", "lost"), (2, "running", None)]


def test_later_attempt_cuts_an_earlier_one_but_leaves_its_outcome() -> None:
    ledger = ledger_of(*trained(A1, 0, 100, "completed"), *trained(A2, 60, 90, "preempted"))
    assert outcomes(ledger) == [(1, "completed", None), (2, "preempted", "preemption")]
    assert ledger.attempts[0].end == ledger.attempts[1].start == T0 + 60 * SECOND
    assert ledger.notes["past_end"] == 1


@pytest.mark.parametrize("start", [5, 0])
def test_attempt_that_does_not_begin_before_a_later_one_is_left_out(start: float) -> None:
    ledger = ledger_of(A1.phase("warp", start, 9), *trained(A2, 0, 10, "completed"))
    assert outcomes(ledger) == [(2, "completed", None)]
    assert ledger.notes == {"attempt_left_out": 1, "no_gpus": 1, "no_model": 1}


def test_checkpoint_of_an_attempt_left_out_is_still_a_state() -> None:
    ledger = ledger_of(A1.saved("c", 30), A1.begin(20), *trained(A2, 0, 100))
    assert spent(ledger) == {"effective": 30, "unsaved": 70}


def test_later_attempts_take_what_they_leave_out_from_the_attempt_before() -> None:
    ledger = ledger_of(
        *(A1.begin(0, model="m", gpus=8, labels={"a": "1"}), A1.failed(1)),
        *(A2.begin(2, gpus=0, cluster="k"), A2.failed(3)),
        *(A3.begin(4), A3.ended("completed", 5)),
    )
    assert [(a.model, a.gpus, a.cluster, a.labels) for a in ledger.attempts] == [
        ("m", 8, None, {"a": "1"}),
        ("m", 0, "k", {"a": "1"}),
        ("m", 0, "k", {"a": "1"}),
    ]
    assert ledger.notes == {}


def test_job_that_never_named_gpus_has_weight_one_and_a_note() -> None:
    ledger = ledger_of(A1.begin(0), A1.ended("completed", 1))
    assert ledger.attempts[0].gpus == 1
    assert ledger.notes == {"no_gpus": 1, "no_model": 1}


# Gaps


def test_gap_after_an_interruption_is_downtime_and_after_an_orderly_end_a_pause() -> None:
    ledger = ledger_of(
        *trained(A1, 0, 10), *trained(A2, 15, 20, "cancelled"), *trained(A3, 27, 30, "completed")
    )
    assert [(g.after, g.bucket, g.end - g.start) for g in ledger.gaps] == [
        (1, Bucket.DOWNTIME, 5 * SECOND),
        (2, None, 7 * SECOND),
    ]
    assert sum(spent(ledger).values()) == 23


def test_pause_may_have_no_length() -> None:
    ledger = ledger_of(*trained(A1, 0, 10, "completed"), *trained(A2, 10, 20, "completed"))
    assert [(g.bucket, g.end - g.start) for g in ledger.gaps] == [(None, 0)]


def test_gap_longer_than_abandoned_after_is_a_pause() -> None:
    week = LIMITS.abandoned_after / SECOND
    down = ledger_of(*trained(A1, 0, 10), *trained(A2, 10 + week, 20 + week))
    assert spent(down)["downtime"] == 7 * DAY / SECOND
    assert "abandoned" not in down.notes
    pause = ledger_of(*trained(A1, 0, 10), *trained(A2, 10.000001 + week, 20 + week))
    assert "downtime" not in spent(pause)
    assert pause.notes["abandoned"] == 1


# Buckets of phases


def test_each_phase_has_its_bucket() -> None:
    names = [
        *("scheduling.queue", "hardware_setup", "launcher_init.device_init", "pt2_compile.dynamo"),
        *("train", "train.checkpoint_save", "train.data_stall", "train.eval", "train.new"),
        "shutdown.cleanup",
    ]
    events = [A1.phase(name, place, place + 1) for place, name in enumerate(names)]
    assert spent(ledger_of(*events, A1.ended("completed", 12))) == {
        "scheduling": 1,
        "hardware_setup": 1,
        "launcher_init": 1,
        "pt2_compile": 1,
        "effective": 1,
        "checkpoint_blocking": 1,
        "stalled": 3,
        "shutdown": 1,
        "unaccounted": 2,
    }


def test_buckets_stand_in_the_order_of_every_page() -> None:
    assert [bucket.value for bucket in Bucket] == [
        *("effective", "scheduling", "hardware_setup", "launcher_init", "pt2_compile", "checkpoint_blocking"),
        *("stalled", "unsaved", "downtime", "shutdown", "unaccounted"),
    ]


def test_neighbours_that_are_charged_alike_are_one_span() -> None:
    ledger = ledger_of(A1.phase("train", 0, 5), A1.phase("train", 5, 9), A1.ended("completed", 9))
    assert [(s.end - s.start, s.bucket, s.phase, s.rank) for s in ledger.attempts[0].spans] == [
        (9 * SECOND, Bucket.EFFECTIVE, "train", 0)
    ]


def test_phases_as_sent_are_kept_beside_the_charged_ones() -> None:
    other = Said(1, rank=1)
    ledger = ledger_of(A1.phase("train", 0, 10), A1.phase("train.eval", 2, 4), other.phase("train", 0, 7))
    assert ledger.attempts[0].raw == {"train": 17 * SECOND, "train.eval": 2 * SECOND}


# Hangs


def test_training_whose_step_stands_still_for_too_long_is_stalled() -> None:
    events = [A1.phase("train", 0, 3000), A1.phase("train.eval", 1000, 1100), A1.ended("completed", 3000)]
    beats = [A1.beat(500, 1), A1.beat(800, 1), A1.beat(1200, 2), A1.beat(1800, 3), A1.beat(2700, 4)]
    assert spent(ledger_of(*events, *beats)) == {"effective": 500 + 600 + 300, "stalled": 700 + 900}


def test_standing_still_until_the_end_is_a_hang_and_before_the_first_step_is_not() -> None:
    events = [A1.phase("train", 0, 3000), A1.beat(2000, 1), A1.ended("completed", 3000)]
    ledger = ledger_of(*events)
    assert spent(ledger) == {"effective": 2000, "stalled": 1000}
    assert ledger.attempts[0].first_train == T0


def test_heartbeats_without_a_step_tell_nothing_of_hangs() -> None:
    assert spent(ledger_of(A1.phase("train", 0, 3000), A1.beat(10), A1.ended("completed", 3000))) == {
        "effective": 3000
    }


# Unsaved


def test_failure_makes_time_since_last_checkpoint_unsaved() -> None:
    ledger = ledger_of(*trained(A1, 0, 100), A1.saved("c", 40, snapshot=30))
    assert spent(ledger) == {"effective": 30, "unsaved": 70}


def test_failure_without_a_checkpoint_loses_all_earlier_training_too() -> None:
    ledger = ledger_of(*trained(A1, 0, 100), *trained(A2, 100, 150), *trained(A3, 150, 160, "completed"))
    assert spent(ledger) == {"unsaved": 150, "effective": 10}


def test_completed_and_cancelled_attempts_lose_nothing() -> None:
    for how in ("completed", "cancelled"):
        assert spent(ledger_of(*trained(A1, 0, 100, how))) == {"effective": 100}


def test_load_of_an_older_checkpoint_throws_more_away() -> None:
    saves = [A1.saved("old", 20), A1.saved("new", 80)]
    again = trained(A2, 100, 150, "completed")
    assert spent(ledger_of(*trained(A1, 0, 100), *saves, *again))["unsaved"] == 20
    assert spent(ledger_of(*trained(A1, 0, 100), *saves, *again, A2.loaded("old", 100)))["unsaved"] == 80


def test_last_load_that_names_a_state_from_before_the_failure_decides() -> None:
    saves = [A1.saved("old", 20), A1.saved("new", 80), A2.saved("own", 140)]
    loads = [A2.loaded("new", 101), A2.loaded("old", 102), A2.loaded("own", 149), A2.loaded("gone", 150)]
    ledger = ledger_of(*trained(A1, 0, 100), *trained(A2, 100, 150, "completed"), *saves, *loads)
    assert spent(ledger)["unsaved"] == 80


def test_of_several_checkpoints_with_the_loaded_name_the_latest_before_the_failure_counts() -> None:
    saves = [A1.saved("c", 20), A1.saved("c", 60), A1.saved("c", 100), A2.saved("c", 120), A1.saved("x", 90)]
    events = [*trained(A1, 0, 100), *trained(A2, 110, 150, "completed"), A2.loaded("c", 110)]
    assert "unsaved" not in spent(ledger_of(*events, *saves))
    assert spent(ledger_of(*events, *(s for s in saves if s.ts != T0 + 100 * SECOND)))["unsaved"] == 40


def test_upload_may_outlive_its_trainer_but_not_the_next_first_train() -> None:
    events = [*trained(A1, 0, 100), A2.phase("launcher_init", 110, 120), *trained(A2, 120, 150, "completed")]
    in_time = A1.saved("c", 120, snapshot=70)
    too_late = A1.saved("c", 120.000001, snapshot=70)
    assert spent(ledger_of(*events, in_time))["unsaved"] == 30
    assert spent(ledger_of(*events, too_late))["unsaved"] == 100
    assert spent(ledger_of(*trained(A1, 0, 100), too_late))["unsaved"] == 30


def test_what_is_unsaved_stays_so_after_a_later_attempt_completes() -> None:
    events = [
        *trained(A1, 0, 50),
        *trained(A2, 50, 90),
        A2.saved("c", 80),
        *trained(A3, 90, 100, "completed"),
    ]
    assert spent(ledger_of(*events)) == {"unsaved": 50 + 10, "effective": 30 + 10}


def test_running_attempt_shows_its_unsaved_training_as_at_risk() -> None:
    running = [A2.start("train", 60), A2.beat(100)]
    before = [*trained(A1, 0, 50), A1.saved("c", 50)]
    assert ledger_of(*before, *running).at_risk == 40 * SECOND
    ledger = ledger_of(*before, *running, A2.saved("d", 90, snapshot=85))
    assert ledger.at_risk == 15 * SECOND
    assert spent(ledger)["effective"] == 90


# Notes


def test_events_outside_the_bounds_are_noted_but_checkpoints_and_loads_are_not() -> None:
    other = Said(1, rank=1)
    strays = [other.beat(-5), other.failed(12), A1.saved("c", 20), A1.loaded("c", 20)]
    ledger = ledger_of(A1.begin(0, model="m", gpus=1), A1.failed(10), *strays)
    assert ledger.notes == {"past_end": 2}


def test_limits_are_the_callers() -> None:
    events = [A1.phase("train", 0, 100), A1.beat(0, 1), A1.ended("completed", 100)]
    assert spent(ledger_of(*events, limits=Limits(hang_after=50 * SECOND))) == {"stalled": 100}
