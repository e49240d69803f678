"""The figures of a job."""

from datetime import date

from ett.buckets import Bucket, Ledger
from ett.events import Event
from ett.metrics import (
    AttemptDay,
    Timed,
    attempt_days,
    ett_ratio,
    failure_time,
    gpu_totals,
    idle_time,
    time_to_start,
    times_to_recover,
    totals,
)
from tests.ett.said import DAY, HOUR, LIMITS, SECOND, T0, Said, ledger_of, seconds

A1, A2, A3, A4 = Said(1), Said(2), Said(3), Said(4)


def worked_example() -> list[Event]:
    """Two attempts: the first fails on rank 3 after a checkpoint, the second completes."""
    return [
        A1.begin(0, model="m", gpus=8),
        A1.phase("scheduling", 0, 10),
        A1.phase("hardware_setup", 10, 40),
        A1.start("launcher_init", 40),
        A1.start("launcher_init.get_first_batch_data", 50),
        A1.start("pt2_compile", 60),
        A1.end("pt2_compile", 90),
        A1.end("launcher_init.get_first_batch_data", 100),
        A1.end("launcher_init", 100),
        A1.start("train", 100),
        A1.phase("train.checkpoint_save", 200, 205),
        A1.saved("c1", 220, snapshot=200),
        Said(1, rank=3).failed(300, category="network"),
        A2.begin(330),
        A2.phase("launcher_init", 330, 350),
        A2.start("train", 350),
        A2.ended("completed", 500),
    ]


def recoveries(ledger: Ledger) -> list[tuple[float, float]]:
    return [(ttr.value / SECOND, (ttr.at - T0) / SECOND) for ttr in times_to_recover(ledger)]


def never_trained(said: Said, start: float, end: float, how: str = "failed") -> list[Event]:
    return [said.phase("launcher_init", start, end), said.ended(how, end)]


def trained(said: Said, start: float, train: float, end: float, how: str = "failed") -> list[Event]:
    return [said.phase("launcher_init", start, train), said.phase("train", train, end), said.ended(how, end)]


def test_worked_example_to_the_second() -> None:
    ledger = ledger_of(*worked_example())
    wall = totals(ledger)
    assert sum(wall.values()) == 500 * SECOND
    assert seconds(wall) == {
        "effective": 250,
        "scheduling": 10,
        "hardware_setup": 30,
        "launcher_init": 50,
        "pt2_compile": 30,
        "checkpoint_blocking": 5,
        "unsaved": 95,
        "downtime": 30,
    }
    assert ett_ratio(wall) == 0.5
    assert failure_time(ledger) == 145 * SECOND  # 29 %
    assert idle_time(ledger) == 105 * SECOND  # 21 %
    assert time_to_start(ledger) == Timed(90 * SECOND, T0 + 100 * SECOND)
    assert times_to_recover(ledger) == (Timed(50 * SECOND, T0 + 350 * SECOND),)
    assert [(a.outcome, a.category, a.infra, a.gpus) for a in ledger.attempts] == [
        ("failed", "network", True, 8),
        ("completed", None, None, 8),
    ]
    assert ledger.notes == {}


def test_no_wall_time_means_no_ett() -> None:
    assert ett_ratio(totals(ledger_of(A1.begin(0)))) is None


def test_gpu_time_weighs_downtime_with_the_attempt_before_it() -> None:
    first = [A1.begin(0, gpus=8), *trained(A1, 0, 0, 10)]
    second = [A2.begin(15, gpus=2), *trained(A2, 15, 15, 20, "completed")]
    assert seconds(gpu_totals(ledger_of(*first, *second))) == {"unsaved": 80, "downtime": 40, "effective": 10}


# Failure%


def test_restart_costs_its_time_before_training() -> None:
    ledger = ledger_of(*trained(A1, 0, 10, 20), A1.saved("c", 20), *trained(A2, 25, 40, 50, "completed"))
    assert failure_time(ledger) == (5 + 15) * SECOND


def test_restart_after_a_pause_costs_no_failure_time() -> None:
    ledger = ledger_of(*trained(A1, 0, 10, 20, "cancelled"), *trained(A2, 25, 40, 50, "completed"))
    assert failure_time(ledger) == 0


def test_interrupted_attempt_that_never_trained_is_lost_whole() -> None:
    assert failure_time(ledger_of(*never_trained(A1, 0, 30))) == 30 * SECOND
    assert failure_time(ledger_of(*never_trained(A1, 0, 30, "completed"))) == 0


def test_restart_that_never_trained_is_lost_whole_even_if_it_completed() -> None:
    ledger = ledger_of(*never_trained(A1, 0, 30), *never_trained(A2, 30, 50, "completed"))
    assert failure_time(ledger) == 50 * SECOND


# TTS


def test_time_to_start_runs_from_the_end_of_the_first_scheduling() -> None:
    other = Said(1, rank=1)
    waits = [A1.phase("scheduling", 0, 20), other.phase("scheduling.queue", -5, 8)]
    ledger = ledger_of(A1.begin(0), *waits, A1.phase("train", 30, 40))
    assert time_to_start(ledger) == Timed(22 * SECOND, T0 + 30 * SECOND)


def test_time_to_start_without_scheduling_runs_from_the_beginning() -> None:
    assert time_to_start(ledger_of(*trained(A1, 5, 12, 20))) == Timed(7 * SECOND, T0 + 12 * SECOND)


def test_time_to_start_is_never_below_zero_and_none_without_training() -> None:
    odd = [A1.phase("train", 0, 9), A1.phase("scheduling", 5, 30)]
    assert time_to_start(ledger_of(*odd)) == Timed(0, T0)
    assert time_to_start(ledger_of(*never_trained(A1, 0, 9), *trained(A2, 10, 12, 15))) is None


# TTR


def test_recovery_lasts_through_attempts_that_do_not_train() -> None:
    walk = [*trained(A1, 0, 5, 10), *never_trained(A2, 20, 30), *trained(A3, 40, 50, 60)]
    assert recoveries(ledger_of(*walk, *trained(A4, 61, 63, 70, "completed"))) == [(40, 50), (3, 63)]


def test_pause_ends_a_recovery_without_a_number() -> None:
    walk = [*trained(A1, 0, 5, 10), *never_trained(A2, 20, 30, "cancelled"), *trained(A3, 40, 50, 60)]
    assert recoveries(ledger_of(*walk, *trained(A4, 61, 63, 70, "completed"))) == [(3, 63)]


def test_gap_given_up_ends_a_recovery_without_a_number() -> None:
    later = LIMITS.abandoned_after / SECOND + 11
    assert recoveries(ledger_of(*trained(A1, 0, 5, 10), *trained(A2, later, later + 1, later + 2))) == []


# Days


def test_time_over_midnight_is_split_and_downtime_goes_to_the_attempt_before() -> None:
    day = DAY // SECOND
    walk = [*trained(A1, day - 20, day - 10, day + 5), A1.saved("c", day + 5)]
    rows = list(
        attempt_days(ledger_of(*walk, *trained(A2, 2 * day + 5, 2 * day + 6, 2 * day + 9, "completed")))
    )
    assert [(row.attempt, row.day, seconds(dict(row.totals)), row.failure / SECOND) for row in rows] == [
        (1, date(2026, 1, 1), {"launcher_init": 10, "effective": 10}, 0),
        (1, date(2026, 1, 2), {"effective": 5, "downtime": day - 5}, day - 5),
        (1, date(2026, 1, 3), {"downtime": 5}, 5),
        (2, date(2026, 1, 3), {"launcher_init": 1, "effective": 3}, 1),
    ]


def test_attempt_that_ends_at_midnight_has_no_time_on_the_next_day() -> None:
    day = DAY // SECOND
    rows = list(attempt_days(ledger_of(*trained(A1, day - 3600, day - 3600, day, "completed"))))
    wall = dict.fromkeys(Bucket, 0) | {Bucket.EFFECTIVE: HOUR}
    assert rows == [AttemptDay(attempt=1, day=date(2026, 1, 1), gpus=1, totals=wall, failure=0)]


def test_attempt_of_no_length_has_no_days() -> None:
    assert list(attempt_days(ledger_of(A1.begin(0)))) == []
