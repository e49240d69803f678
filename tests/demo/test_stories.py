"""Each planted story can be found in the events, and has the size that was meant."""

from collections import Counter
from datetime import date
from itertools import pairwise
from statistics import median
from uuid import UUID

from ett import metrics
from ett.buckets import Bucket
from ettdash.demo.fleet import BY_NAME
from ettdash.demo.log import Event
from ettdash.demo.simulate import Fleet
from ettdash.demo.stories import (
    LAUNCHER_REGRESSION,
    MEGACACHE,
    PREEMPTION_WAVE,
    SAVES_TOO_OFTEN,
    SAVES_TOO_RARELY,
    SLOW_DATA,
    STANDALONE_PUBLISH,
    STORIES,
    annotations,
)
from tests.demo.conftest import ANCHOR, SEED
from tests.demo.ledger import ledger_of
from tests.demo.measures import first, mean, of_model, outcomes, stretches

Told = dict[str, list[Event]]


def launcher_times(fleet: Fleet, told: Told, model: str) -> tuple[float, float]:
    """Mean launcher_init of first attempts of a model before and after the regression."""
    before: list[float] = []
    after: list[float] = []
    for events in of_model(told, model):
        opening = [event for event in events if event["attempt"] == 1]
        if any(event.get("phase") == "train" for event in opening):
            found = next(stretches(opening, "launcher_init"))
            late = fleet.calendar.day_of(found.start) >= LAUNCHER_REGRESSION.day
            (after if late else before).append(found.seconds)
    return mean(before), mean(after)


def test_launcher_init_of_one_model_takes_60_percent_longer_from_day_40(fleet: Fleet, told: Told) -> None:
    before, after = launcher_times(fleet, told, "ads-ctr")
    assert 1.45 < after / before < 1.75


def test_launchers_of_other_models_stay_as_they_were(fleet: Fleet, told: Told) -> None:
    for model in ("ads-conversion", "feed-ranker", "video-ranker"):
        before, after = launcher_times(fleet, told, model)
        assert 0.85 < after / before < 1.15


def test_megacache_cuts_compile_time_by_40_percent(fleet: Fleet, told: Told) -> None:
    before: list[float] = []
    after: list[float] = []
    for model in BY_NAME.values():
        for events in of_model(told, model.name):
            for found in stretches(events, "pt2_compile"):
                late = fleet.calendar.day_of(found.start) >= MEGACACHE.day
                (after if late else before).append(found.seconds / model.compile_s)
    assert 0.55 < mean(after) / mean(before) < 0.65


def test_a_preemption_wave_goes_through_one_cluster_on_two_days(fleet: Fleet, told: Told) -> None:
    wave: Counter[int] = Counter()
    other: Counter[int] = Counter()
    for events in told.values():
        there = first(events, "attempt_start")["cluster"] == PREEMPTION_WAVE.cluster
        for event in events:
            if event.get("outcome") == "preempted":
                (wave if there else other)[int(fleet.calendar.day_of(event["ts"]))] += 1
    in_wave = wave[48] + wave[49]
    usual = [wave[day] + wave[day + 1] for day in range(60) if day not in (47, 48, 49)]
    assert in_wave >= 12
    assert in_wave > 3 * max(usual)
    assert other[48] + other[49] <= 6


def test_models_are_published_on_accelerators_until_day_33_and_by_cpu_jobs_after(
    fleet: Fleet, told: Told
) -> None:
    for events in told.values():
        start = first(events, "attempt_start")
        for found in stretches(events, "shutdown.model_publish"):
            late = fleet.calendar.day_of(found.start) >= STANDALONE_PUBLISH.day
            assert (start["workload"] == "publish") == late
            assert (start["gpus"] == 0) == late


def test_each_production_job_after_day_33_has_one_publish_job(fleet: Fleet, told: Told) -> None:
    trainers, published = set(), set()
    for name, events in told.items():
        start = first(events, "attempt_start")
        if start["workload"] == "publish":
            published.add(start["labels"]["publishes"])
        elif start["tier"] == "production" and "completed" in outcomes(events):
            end = next(event["ts"] for event in events if event.get("outcome") == "completed")
            if fleet.calendar.day_of(end) > STANDALONE_PUBLISH.day and end < ANCHOR - 600:
                trainers.add(name)
    assert len(trainers) > 100
    assert trainers <= published <= told.keys()


def interval(told: Told, model: str) -> float:
    """The usual distance between two checkpoints of a model."""
    found: list[float] = []
    for events in of_model(told, model):
        saves = [event for event in events if event["type"] == "checkpoint"]
        found += [
            later["snapshot_ts"] - earlier["snapshot_ts"]
            for earlier, later in pairwise(saves)
            if earlier["attempt"] == later["attempt"]
        ]
    return median(found)


def test_one_model_saves_far_too_rarely_and_loses_a_lot_with_each_failure(told: Told) -> None:
    assert interval(told, SAVES_TOO_RARELY) > 3 * 3600
    assert 3 * share(told, "video-ranker", Bucket.UNSAVED) < share(told, SAVES_TOO_RARELY, Bucket.UNSAVED)


def test_one_model_saves_far_too_often_and_stands_still_for_it(told: Told) -> None:
    assert interval(told, SAVES_TOO_OFTEN) < 400
    blocked = share(told, SAVES_TOO_OFTEN, Bucket.CHECKPOINT_BLOCKING)
    assert blocked > 0.05
    assert blocked > 8 * share(told, "video-ranker", Bucket.CHECKPOINT_BLOCKING)


def share(told: Told, model: str, bucket: Bucket) -> float:
    """The share of a model's wall time in one bucket."""
    sums: Counter[Bucket] = Counter()
    for events in of_model(told, model):
        for own, time in metrics.totals(ledger_of(events, ANCHOR)).items():
            sums[own] += time
    return sums[bucket] / sum(sums.values())


def test_data_stalls_of_a_big_model_begin_two_days_before_the_anchor(fleet: Fleet, told: Told) -> None:
    stalled: Counter[date] = Counter()
    trained: Counter[date] = Counter()
    for events in of_model(told, SLOW_DATA.models[0]):
        for day in metrics.attempt_days(ledger_of(events, ANCHOR)):
            stalled[day.day] += day.totals[Bucket.STALLED]
            trained[day.day] += sum(day.totals.values())
    days = sorted(trained)
    usual = sum(stalled[day] for day in days[:-3]) / sum(trained[day] for day in days[:-3])
    lately = sum(stalled[day] for day in days[-2:]) / sum(trained[day] for day in days[-2:])
    assert usual < 0.06
    assert lately > 0.11


def test_annotations_tell_what_was_rolled_out_and_keep_their_ids(fleet: Fleet) -> None:
    posted = annotations(SEED, fleet.calendar)
    assert posted == annotations(SEED, fleet.calendar)
    assert [annotation["kind"] for _, annotation in posted] == ["technique", "technique", "deploy", "config"]
    assert len(posted) == sum(bool(story.kind) for story in STORIES)
    for _, annotation in posted:
        assert UUID(annotation["id"]).version == 8
        assert annotation["ts"] < ANCHOR
        assert all(model in BY_NAME for model in annotation["models"])
