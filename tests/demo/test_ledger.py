"""The simulated fleet under the product's own arithmetic."""

from collections import Counter
from datetime import date

import pytest

from ett import metrics
from ett.buckets import Bucket, Ledger
from ett.events import Outcome
from ettdash.demo.log import Event
from tests.demo.conftest import ANCHOR
from tests.demo.ledger import ledger_of

Told = dict[str, list[Event]]


@pytest.fixture(scope="module")
def ledgers(told: Told) -> list[Ledger]:
    return [ledger_of(events, ANCHOR) for events in told.values()]


@pytest.fixture(scope="module")
def gpu_time(ledgers: list[Ledger]) -> Counter[Bucket]:
    whole: Counter[Bucket] = Counter()
    for ledger in ledgers:
        whole.update(metrics.gpu_totals(ledger))
    return whole


def test_the_fleet_spends_a_believable_share_of_its_gpu_time_on_training(gpu_time: Counter[Bucket]) -> None:
    ratio = metrics.ett_ratio(gpu_time)
    assert ratio is not None
    assert 0.80 <= ratio <= 0.88


def test_every_bucket_has_time_but_nothing_is_unaccounted(gpu_time: Counter[Bucket]) -> None:
    whole = sum(gpu_time.values())
    for bucket, time in gpu_time.items():
        if bucket is Bucket.UNACCOUNTED:
            assert time < whole / 1000
        else:
            assert time > whole / 500


def test_days_differ_without_leaving_what_one_would_believe(ledgers: list[Ledger]) -> None:
    effective: Counter[date] = Counter()
    whole: Counter[date] = Counter()
    for ledger in ledgers:
        for day in metrics.attempt_days(ledger):
            effective[day.day] += day.totals[Bucket.EFFECTIVE] * day.gpus
            whole[day.day] += sum(day.totals.values()) * day.gpus
    ratios = [effective[day] / whole[day] for day in sorted(whole)[2:]]
    assert min(ratios) > 0.6
    assert max(ratios) < 0.97
    assert max(ratios) - min(ratios) > 0.05


def test_jobs_end_in_every_way_and_some_are_running(ledgers: list[Ledger]) -> None:
    states = Counter(ledger.state for ledger in ledgers)
    assert 4 <= states[Outcome.RUNNING] <= 14
    assert states[Outcome.FAILED] >= 5
    assert states[Outcome.CANCELLED] >= 5
    assert states[Outcome.COMPLETED] > 500


def test_trainers_send_clean_data(ledgers: list[Ledger]) -> None:
    """A second rank that reports the same crash a moment later is the only thing past an end."""
    notes: Counter[str] = Counter()
    for ledger in ledgers:
        notes.update(ledger.notes)
    assert set(notes) <= {"past_end"}
    assert notes["past_end"] < 200


def test_restarts_recover_and_first_attempts_start(ledgers: list[Ledger]) -> None:
    recoveries = [timed.value for ledger in ledgers for timed in metrics.times_to_recover(ledger)]
    starts = [timed.value for ledger in ledgers if (timed := metrics.time_to_start(ledger))]
    assert len(recoveries) > 300
    assert min(recoveries) > 60e6
    assert len(starts) > 500
    assert min(starts) > 60e6
