"""The fleet as a whole: the same for the same seed, within the wire format, and believable."""

import re
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from math import inf
from random import Random
from statistics import mean

from ett.events import CATEGORIES
from ettdash.demo.failures import FAULTS
from ettdash.demo.fleet import BY_NAME, CLUSTERS, MODELS, TEAMS
from ettdash.demo.load import events_for_load
from ettdash.demo.log import Event
from ettdash.demo.simulate import DENSE_BEFORE_S, Fleet, Stream, window
from ettdash.demo.stories import DAY_S
from tests.demo.conftest import ANCHOR, SEED
from tests.demo.measures import first, outcomes
from tests.demo.wire import faults

HOUR = 3600.0
Told = dict[str, list[Event]]


def events_in(fleet: Fleet, after: float, until: float) -> dict[str, Event]:
    return {event["id"]: event for _, events in window(fleet, after, until) for event in events}


def test_the_same_seed_and_anchor_tell_the_same_history(told: Told) -> None:
    again = {history.job: events for history, events in window(Fleet(SEED, ANCHOR), -inf, ANCHOR)}
    assert again == told


def test_another_seed_is_another_fleet(told: Told) -> None:
    other = {history.job for history, _ in window(Fleet(SEED + 1, ANCHOR), ANCHOR - 3 * DAY_S, ANCHOR)}
    assert not other & told.keys()


def test_ids_are_version_8_uuids_and_never_repeat(told: Told) -> None:
    ids = [event["id"] for events in told.values() for event in events]
    assert len(set(ids)) == len(ids)
    form = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}")
    assert all(form.fullmatch(one) for one in Random(1).sample(ids, 2000))


def test_every_event_of_the_history_keeps_to_the_wire_format(told: Told) -> None:
    for events in told.values():
        for event in events:
            assert not faults(event, ANCHOR), event


def test_history_stays_small_enough_to_be_posted_in_half_a_minute(told: Told) -> None:
    assert 100_000 < sum(map(len, told.values())) < 200_000


def test_nothing_is_told_before_it_could_be_known(told: Told) -> None:
    ends = [event["ts"] + event.get("duration_s", 0) for events in told.values() for event in events]
    assert max(ends) <= ANCHOR + 0.002  # instants are rounded to milliseconds
    assert min(ends) >= ANCHOR - 60 * DAY_S


def test_windows_put_together_are_the_whole(fleet: Fleet) -> None:
    start = ANCHOR - 5 * HOUR
    whole = events_in(fleet, start, ANCHOR + HOUR)
    parts: dict[str, Event] = {}
    for n in range(6):
        parts |= events_in(fleet, start + n * HOUR, start + (n + 1) * HOUR)
    assert parts == whole


def test_a_stream_goes_on_where_it_stopped(fleet: Fleet) -> None:
    stream = Stream(fleet, ANCHOR - HOUR)
    got: dict[str, Event] = {}
    for n in range(200):
        got |= {
            event["id"]: event for _, events in stream.advance(ANCHOR - HOUR + 40.0 * n) for event in events
        }
    assert got == events_in(fleet, ANCHOR - HOUR, ANCHOR - HOUR + 40.0 * 199)


def test_a_later_start_repeats_what_was_posted_without_changing_it(fleet: Fleet) -> None:
    live = events_in(fleet, ANCHOR, ANCHOR + DAY_S)
    later = Fleet(SEED, ANCHOR, dense_from=ANCHOR + DAY_S - DENSE_BEFORE_S)
    gap = events_in(later, ANCHOR, ANCHOR + DAY_S)
    assert len(gap) < len(live) / 2
    assert all(live[one] == event for one, event in gap.items())
    assert {one for one, event in live.items() if event["type"] != "heartbeat"} <= gap.keys()


def test_the_fleet_goes_on_for_ever(fleet: Fleet) -> None:
    later = ANCHOR + 200 * DAY_S
    assert len({event["job"] for event in events_in(fleet, later, later + HOUR).values()}) >= 3


def test_the_cast_is_twelve_models_of_four_teams_on_three_clusters(told: Told) -> None:
    starts = [first(events, "attempt_start") for events in told.values()]
    assert {start["model"] for start in starts} == BY_NAME.keys()
    assert len(MODELS) == 12
    assert {model.team for model in MODELS} == set(TEAMS)
    assert len(TEAMS) == 4
    assert {start["cluster"] for start in starts} == set(CLUSTERS)
    assert len(CLUSTERS) == 3
    assert {start["tier"] for start in starts} == {"production", "exploration"}
    sizes = {start["gpus"] for start in starts if start["gpus"]}
    assert (min(sizes), max(sizes)) == (8, 4096)


def test_a_dozen_jobs_start_on_a_day_and_fewer_at_weekends(told: Told) -> None:
    per_day: Counter[int] = Counter()
    for events in told.values():
        start = first(events, "attempt_start")
        if start["workload"] != "publish":
            per_day[int(start["ts"] // DAY_S)] += 1
    whole_days = {
        day: number for day, number in per_day.items() if ANCHOR - 59 * DAY_S < day * DAY_S < ANCHOR - DAY_S
    }
    weekend = [number for day, number in whole_days.items() if weekday(day) >= 5]
    week = [number for day, number in whole_days.items() if weekday(day) < 5]
    assert 8 <= mean(whole_days.values()) <= 14
    assert mean(weekend) < mean(week) - 1


def weekday(day: int) -> int:
    return datetime.fromtimestamp(day * DAY_S, UTC).weekday()


def test_some_jobs_are_live_at_any_instant() -> None:
    for seed, anchor in ((7, ANCHOR), (8, ANCHOR + 9 * HOUR), (9, ANCHOR + 2.6 * DAY_S)):
        lives = [
            (history.start, history.said[-1].at)
            for history, _ in window(Fleet(seed, anchor, dense_from=inf), -inf, anchor)
        ]
        instants = [anchor - n * 5 * HOUR for n in range(200)]
        live = [sum(start <= instant < end for start, end in lives) for instant in instants]
        assert 6 <= mean(live) <= 10
        assert min(live) >= 1
        assert live[0] >= 4


def test_live_jobs_beat_about_every_minute_and_history_less_often(told: Told) -> None:
    for events in told.values():
        beats = [(event["attempt"], event["ts"]) for event in events if event["type"] == "heartbeat"]
        recent = [beat for beat in beats if beat[1] > ANCHOR - DENSE_BEFORE_S / 2]
        for (attempt, ts), (next_attempt, next_ts) in pairwise(recent):
            assert attempt != next_attempt or next_ts - ts < 70
    older = [
        event
        for events in told.values()
        for event in events
        if event["type"] == "heartbeat" and event["ts"] < ANCHOR - DAY_S
    ]
    assert len(older) < 80_000


def test_steps_advance_often_enough_to_be_no_hang(told: Told) -> None:
    gaps = []
    for events in told.values():
        steps = [
            (event["attempt"], event["ts"], event["step"])
            for event in events
            if "step" in event and event["type"] == "heartbeat"
        ]
        for (attempt, ts, step), (next_attempt, next_ts, next_step) in pairwise(steps):
            if attempt == next_attempt and next_step > step:
                gaps.append(next_ts - ts)
    assert sum(gap > 600 for gap in gaps) < len(gaps) / 1000


def test_failures_of_every_category_happen_and_some_leave_it_to_the_rules(told: Told) -> None:
    failures = [event for events in told.values() for event in events if event["type"] == "failure"]
    named = {event.get("category") for event in failures}
    assert None in named
    said = {category for category in FAULTS if any(sounds_like(category, event) for event in failures)}
    ends = {outcome for events in told.values() for outcome in outcomes(events)}
    assert ends == {"completed", "cancelled", "preempted", "failed"}
    assert said | {"lost"} == set(CATEGORIES)


def sounds_like(category: str, failure: Event) -> bool:
    """Whether a failure is one of the category's faults."""
    return any(
        failure["component"] == fault.component and failure["message"][:8] == fault.message[:8]
        for fault in FAULTS[category]
    )


def test_some_attempts_end_without_a_word(told: Told) -> None:
    silent = 0
    for events in told.values():
        last = max(event["attempt"] for event in events)
        ended = {event["attempt"] for event in events if event["type"] in ("attempt_end", "failure")}
        silent += len(set(range(1, last)) - ended)
    assert silent >= 10


def test_one_job_has_been_down_for_hours_at_the_anchor(fleet: Fleet, told: Told) -> None:
    name = fleet.down_now(59).name
    ends = [event for event in told[name] if event["type"] == "attempt_end"]
    assert [event["outcome"] for event in ends] == ["failed"]
    assert HOUR < ANCHOR - ends[0]["ts"] < 5 * HOUR
    assert not [one for one in events_in(fleet, ANCHOR, ANCHOR + DAY_S).values() if one["job"] == name]


def test_all_known_stages_are_told(told: Told) -> None:
    phases = {event["phase"] for events in told.values() for event in events if "phase" in event}
    l3 = {
        "hardware_setup": "image_pull binary_fetch",
        "launcher_init": "device_init process_group_init preproc_creation train_module_creation init_plugins "
        "pre_train get_first_batch_data checkpoint_load",
        "pt2_compile": "dynamo aot_autograd inductor autotune cache_load recompile",
        "train": "checkpoint_save data_stall eval",
        "shutdown": "final_checkpoint model_publish cleanup",
    }
    assert phases == {
        "scheduling",
        *l3,
        *(f"{l2}.{name}" for l2, names in l3.items() for name in names.split()),
    }


def test_recompilations_give_reasons_and_compilations_their_stages(told: Told) -> None:
    compiles = [event for events in told.values() for event in events if event["type"] == "compile"]
    assert {event["cache"] for event in compiles} == {"hit", "miss", "partial"}
    assert any(
        "size mismatch at index 0. expected 3, actual 4" in event.get("reason", "") for event in compiles
    )
    assert any(kernel["autotune_s"] > 0 for event in compiles for kernel in event.get("kernels", ()))
    assert all(0 < sum(event["stages_s"].values()) <= event["duration_s"] + 0.01 for event in compiles)


def test_async_checkpoints_are_durable_after_their_snapshot_and_are_loaded_again(told: Told) -> None:
    for events in told.values():
        saved = {event["name"]: event for event in events if event["type"] == "checkpoint"}
        assert all(event["snapshot_ts"] < event["ts"] for event in saved.values())
        for event in events:
            if event["type"] == "checkpoint_loaded":
                assert saved[event["name"]]["step"] == event["step"]
    kinds = {event["async"] for events in told.values() for event in events if event["type"] == "checkpoint"}
    assert kinds == {True, False}


def test_some_jobs_report_several_ranks(told: Told) -> None:
    ranks = [{event.get("rank", 0) for event in events} for events in told.values()]
    assert sum(len(own) > 2 for own in ranks) > 50


def test_load_has_exactly_the_size_that_was_asked_for() -> None:
    jobs = list(events_for_load(3, jobs=25, events_per_job=400, until=ANCHOR))
    assert [len(events) for events in jobs] == [400] * 25
    assert len({event["job"] for events in jobs for event in events}) == 25
    ids = {event["id"] for events in jobs for event in events}
    assert len(ids) == 10_000
    assert max(event["ts"] for events in jobs for event in events) <= ANCHOR
    assert jobs == list(events_for_load(3, jobs=25, events_per_job=400, until=ANCHOR))
