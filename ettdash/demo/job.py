"""One job from its first attempt to its last: what strikes each attempt, and when the next one starts."""

from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

from ettdash.demo.failures import DOWNTIME_S, EARLY, GIVEN_UP
from ettdash.demo.log import AttemptLog, Plan, Said
from ettdash.demo.startup import Resume, noisy, start_up
from ettdash.demo.stories import DAY_S, WAVE_MEAN_S, Calendar
from ettdash.demo.training import Ended, Fate, Training, beats, fail

# No job outlives this, so whoever looks for events of an instant knows how far back jobs can have begun.
LONGEST_JOB_DAYS = 8
MOST_ATTEMPTS = 25
BIG_GPUS = 1024
TOLD_PREEMPTIONS = 0.2  # share of single preemptions that a launcher reports as a failure


class Sky(NamedTuple):
    """What a job cannot choose: the calendar of stories, its cluster's luck, and where beats become dense."""

    calendar: Calendar
    hazard: float
    dense_from: float


def live_through(plan: Plan, rng: Random, sky: Sky) -> tuple[list[Said], float | None]:
    """All events of a job in the order they could be posted, and when it completed, if it did."""
    said: list[Said] = []
    start, resume = plan.start, Resume()
    for number in range(1, MOST_ATTEMPTS + 1):
        log = AttemptLog.of(plan, number)
        fate = draw_fate(plan, rng, sky, start, resume)
        next_start_s = downtime(plan, rng, fate, start)
        ended = run_attempt(log, rng, sky, start, resume, fate, next_start_s)
        said += log.said
        if fate.outcome in ("completed", "cancelled"):
            said.sort(key=lambda one: one.at)
            return said, ended.end if fate.outcome == "completed" else None
        if given_up(plan, rng, fate, ended.end):
            break
        start, resume = ended.end + next_start_s, ended.resume
    said.sort(key=lambda one: one.at)
    return said, None


def draw_fate(plan: Plan, rng: Random, sky: Sky, start: float, resume: Resume) -> Fate:
    """What will end the attempt that starts now."""
    model = plan.model
    if plan.doomed_s is not None:
        return Fate("failed", "storage", plan.doomed_s)
    strikes = rng.expovariate(sky.hazard / (model.mtbf_h * 3600))
    category = rng.choices(list(model.mix), list(model.mix.values()))[0]
    early = rng.uniform(0.2, 0.95) if rng.random() < EARLY.get(category, 0.0) else None
    swept = swept_away(plan, rng, sky, start)
    left = plan.train_s - resume.train_s
    if plan.cancel_s is not None and plan.cancel_s - resume.train_s < min(left, strikes):
        return Fate("cancelled", "", max(60.0, plan.cancel_s - resume.train_s))
    if swept is not None and swept < min(left, strikes):
        return Fate("preempted", "preemption", swept)
    if strikes >= left:
        return Fate("completed", "", max(60.0, left))
    told = rng.random() < TOLD_PREEMPTIONS
    outcome = {"preemption": "failed" if told else "preempted", "lost": "lost"}.get(category, "failed")
    return Fate(outcome, category, max(90.0, strikes), early)


def swept_away(plan: Plan, rng: Random, sky: Sky, start: float) -> float | None:
    """After how much training the preemption wave takes this attempt, if it does."""
    wave = sky.calendar.wave(plan.cluster)
    when = rng.expovariate(1 / WAVE_MEAN_S)
    if wave is None or start >= wave[1]:
        return None
    into = max(0.0, wave[0] - start)
    return into + when if start + into + when < wave[1] else None


def downtime(plan: Plan, rng: Random, fate: Fate, start: float) -> float:
    """Seconds until the job starts again: people are slower at weekends, big jobs have spare machines."""
    low, high = DOWNTIME_S.get(fate.category, (60.0, 120.0))
    seconds = rng.uniform(low, high)
    if plan.gpus >= BIG_GPUS:
        return seconds * 0.45
    by_hand = fate.category in ("data", "oom", "user_code")
    return seconds * 2.2 if by_hand and is_weekend(start) else seconds


def is_weekend(ts: float) -> bool:
    """Whether an instant lies on a Saturday or Sunday, UTC."""
    return datetime.fromtimestamp(ts, UTC).weekday() >= 5


def queue_factor(ts: float, number: int) -> float:
    """How crowded the queue is: working hours are, and a restart keeps most of its place."""
    hour = datetime.fromtimestamp(ts, UTC).hour
    crowd = 0.6 if is_weekend(ts) else 1.5 if 8 <= hour < 19 else 0.9
    return crowd * (0.35 if number > 1 else 1.0)


def given_up(plan: Plan, rng: Random, fate: Fate, end: float) -> bool:
    """Whether nobody starts the job again after this interruption."""
    if plan.doomed_s is not None or end - plan.start > (LONGEST_JOB_DAYS - 3) * DAY_S:
        return True
    chance = rng.random()  # drawn for every job, so that the rest of its life does not depend on its size
    return plan.gpus < BIG_GPUS and chance < GIVEN_UP.get(fate.category, 0.01)


def run_attempt(
    log: AttemptLog, rng: Random, sky: Sky, start: float, resume: Resume, fate: Fate, next_start_s: float
) -> Ended:
    """Say one attempt whole."""
    trains = start_up(log, rng, sky.calendar, start, queue_factor(start, log.number), resume)
    if fate.early is not None and fate.outcome == "failed":
        return fail_early(log, rng, sky, start, trains, resume, fate)
    training = Training(log, rng, sky.calendar, resume)
    struck, progress = training.run(trains, fate)
    end = wind_up(training, rng, fate, struck)
    log.cut(end)
    if fate.outcome == "failed":
        fail(log, rng, fate, end, training.step(progress.trained[-1]))
    elif fate.outcome != "lost":
        log.add("attempt_end", end, outcome=fate.outcome)
    beats(log, start, end, progress, sky.dense_from)
    if log.plan.reports_steps and fate.outcome in ("completed", "cancelled"):
        log.put("heartbeat", -1, struck, 0, struck, training.tally(progress.trained[-1]))
    return Ended(end, training.survivor(end, end + next_start_s))


def fail_early(
    log: AttemptLog, rng: Random, sky: Sky, start: float, trains: float, resume: Resume, fate: Fate
) -> Ended:
    """Say an attempt that never trains."""
    end = start + (trains - start) * (fate.early or 0.5)
    log.cut(end)
    fail(log, rng, fate, end, resume.step)
    beats(log, start, end, None, sky.dense_from)
    return Ended(end, resume)


def wind_up(training: Training, rng: Random, fate: Fate, struck: float) -> float:
    """What follows the last step, up to the end of the attempt."""
    plan = training.log.plan
    trained = training.resume.train_s + fate.train_s
    if fate.outcome == "completed":
        apart = training.calendar.publishes_apart(struck)
        publishes = plan.tier == "production" and not apart
        return training.shut_down(struck, trained, plan.model.publish_s if publishes else 0.0)
    if fate.outcome == "cancelled":
        return training.shut_down(struck, trained)
    if fate.outcome == "preempted" and rng.random() < 0.5:  # the notice came in time for a last save
        return training.shut_down(struck, trained)
    if fate.category == "hang":
        return struck + noisy(rng, 1700, 0.2)
    return struck
