"""An attempt from its first batch to its end: steps, saves, evaluations, stalls, and what stops it."""

from bisect import bisect_right
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from ettdash.demo.failures import describe
from ettdash.demo.log import AttemptLog
from ettdash.demo.startup import Resume, noisy, recompile
from ettdash.demo.stories import SLOW_DATA_LENGTH, SLOW_DATA_RATE, Calendar

BEAT_S = 60.0
# In history one beat in nine is kept: with its jitter still under the 10 minutes that would count as a hang.
SPARSE = 9
SPARSE_WITHOUT_STEPS = 27
LONGEST_PAUSE_S = 400.0


class Fate(NamedTuple):
    """How an attempt ends, and after how much training (or after which share of its start-up)."""

    outcome: str  # completed, cancelled, preempted, failed or lost
    category: str
    train_s: float
    early: float | None = None


class Pause(NamedTuple):
    """Training stands still from one training second on, for so many seconds."""

    after_s: float
    kind: str
    seconds: float


class Ended(NamedTuple):
    """When an attempt ended, and what the next one can resume from."""

    end: float
    resume: Resume


class Progress:
    """Training seconds done at each instant of an attempt, as points of a rising line."""

    def __init__(self, trains: float, base_s: float) -> None:
        self.walls = [trains]
        self.trained = [base_s]

    def reach(self, wall: float, trained: float) -> None:
        """At this instant so much training was done."""
        self.walls.append(wall)
        self.trained.append(trained)

    def at(self, wall: float) -> float:
        """Training seconds done at an instant."""
        i = bisect_right(self.walls, wall)
        if i >= len(self.walls):
            return self.trained[-1]
        gained = self.trained[i] - self.trained[i - 1]
        return self.trained[i - 1] + min(gained, wall - self.walls[i - 1])


def pauses(
    rng: Random, log: AttemptLog, calendar: Calendar, trains: float, resume: Resume, train_s: float
) -> list[Pause]:
    """Everything that will stop the steps for a while within so much training, in order."""
    model = log.plan.model
    save = model.checkpointing
    planned = [
        Pause(after, "train.checkpoint_save", noisy(rng, save.blocking_s, 0.15))
        for after in every(noisy(rng, save.every_s, 0.02), train_s)
    ]
    planned += [
        Pause(after, "train.eval", min(noisy(rng, model.eval_s), LONGEST_PAUSE_S))
        for after in every(model.eval_every_s * 1.003, train_s)
    ]
    planned += stalls(rng, log, calendar, trains, train_s)
    again = rng.choices((0, 1, 2, 4), (5, 3, 2, 1))[0] if not resume.checkpoint else 0
    planned += [
        Pause(rng.uniform(5, 3000), "pt2_compile.recompile", noisy(rng, model.compile_s * 0.12, 0.4))
        for _ in range(again)
    ]
    return sorted(pause for pause in planned if pause.after_s < train_s)


def every(interval_s: float, until_s: float) -> Iterator[float]:
    """The training seconds at which something periodic is due."""
    due = interval_s
    while due < until_s:
        yield due
        due += interval_s


def stalls(
    rng: Random, log: AttemptLog, calendar: Calendar, trains: float, train_s: float
) -> Iterator[Pause]:
    """Waits for data, at random; many and long ones while the input pipeline is the slow one."""
    model = log.plan.model
    after = 0.0
    while True:
        slow = calendar.slow_data(model.name, trains + after)
        rate = model.stalls_per_h * (SLOW_DATA_RATE if slow else 1.0)
        # A long wait is drawn hour by hour, so that the story begins on its day, not after the next stall.
        step = rng.expovariate(rate) * 3600
        if step > 3600:
            after += 3600
        else:
            after += step
            length = noisy(rng, model.stall_s * (SLOW_DATA_LENGTH if slow else 1.0), 0.6)
            yield Pause(after, "train.data_stall", min(length, LONGEST_PAUSE_S))
        if after >= train_s:
            return


class Training:
    """Writes the training of one attempt into its log."""

    def __init__(self, log: AttemptLog, rng: Random, calendar: Calendar, resume: Resume) -> None:
        self.log = log
        self.rng = rng
        self.calendar = calendar
        self.resume = resume
        self.saves: list[tuple[float, Resume]] = []  # (durable at, state)

    def run(self, trains: float, fate: Fate) -> tuple[float, Progress]:
        """Train until fate strikes; returns that instant and the progress on the way."""
        log, now, done = self.log, trains, 0.0
        progress = Progress(trains, self.resume.train_s)
        log.opens("train", trains)
        for pause in pauses(self.rng, log, self.calendar, trains, self.resume, fate.train_s):
            now += pause.after_s - done
            done = pause.after_s
            progress.reach(now, self.resume.train_s + done)
            self.stand_still(pause, now)
            now += pause.seconds
            progress.reach(now, self.resume.train_s + done)
        now += fate.train_s - done
        progress.reach(now, self.resume.train_s + fate.train_s)
        return now, progress

    def stand_still(self, pause: Pause, now: float) -> None:
        """Say one pause; a stall belongs to whichever rank waits."""
        log = self.log
        if pause.kind == "pt2_compile.recompile":
            recompile(log, self.rng, now, pause.seconds)
        elif pause.kind == "train.data_stall":
            log.stretch(pause.kind, now, pause.seconds, self.rng.choice(log.plan.ranks))
        else:
            log.stretch(pause.kind, now, pause.seconds)
        if pause.kind == "train.checkpoint_save":
            upload_s = log.plan.model.checkpointing.upload_s
            self.save(now, now + pause.seconds, self.resume.train_s + pause.after_s, upload_s)

    def save(self, snapshot: float, unblocked: float, train_s: float, upload: float = 0.0) -> None:
        """Say a checkpoint, durable once it is uploaded."""
        durable = unblocked + (noisy(self.rng, upload, 0.3) if upload else 0.0)
        step = self.step(train_s)
        name = f"step-{step:08d}"
        self.log.add(
            "checkpoint", durable,
            name=name, snapshot_ts=round(snapshot, 3), step=step, **{"async": upload > 0},
        )  # fmt: skip
        self.saves.append((durable, Resume(train_s, name, step)))

    def step(self, train_s: float) -> int:
        """The step reached after so much training."""
        return int(train_s / self.log.plan.model.step_s)

    def tally(self, train_s: float) -> dict[str, int]:
        """Step and samples after so much training, as heartbeats carry them."""
        step = self.step(train_s)
        return {"step": step, "samples": step * self.log.plan.model.batch}

    def survivor(self, end: float, next_start: float) -> Resume:
        """The newest state that the next attempt finds."""
        survives = self.log.plan.model.checkpointing.survives
        deadline = max(end, next_start) if survives else end
        kept = [state for durable, state in self.saves if durable <= deadline]
        return kept[-1] if kept else self.resume

    def shut_down(self, now: float, train_s: float, publish_s: float = 0.0) -> float:
        """Leave in good order: save a last time, publish where that is still done here, clean up."""
        log = self.log
        for rank in log.plan.ranks:
            log.closes("train", now, rank)
        log.opens("shutdown", now)
        saved = log.stretch("shutdown.final_checkpoint", now, noisy(self.rng, 35, 0.3))
        self.save(now, saved, train_s)
        if publish_s:
            saved = log.stretch("shutdown.model_publish", saved, noisy(self.rng, publish_s))
        end = log.stretch("shutdown.cleanup", saved, noisy(self.rng, 14, 0.3))
        log.closes("shutdown", end)
        return end


def fail(log: AttemptLog, rng: Random, fate: Fate, end: float, step: int) -> None:
    """Say how an attempt failed: by the rank it hit, sometimes by a second one, and by the launcher."""
    if fate.category == "unknown" and rng.random() < 0.4:
        log.add("attempt_end", end, outcome="failed")
        return
    rank = rng.choice(log.plan.ranks)
    fields = describe(rng, fate.category, rank, log.plan.attrs["host"], step)
    log.add("failure", end, rank, **fields)
    others = [other for other in log.plan.ranks if other != rank]
    if others and rng.random() < 0.3:
        log.add("failure", end + rng.uniform(0.2, 3), rng.choice(others), **fields)
    log.add("attempt_end", end, outcome="failed")


def beats(log: AttemptLog, start: float, end: float, progress: Progress | None, dense_from: float) -> None:
    """Say heartbeats from start to end: about one a minute, thinned out before `dense_from`.

    Ids follow the beat's number and no chance is involved, so a denser series repeats the thin one exactly.
    """
    steps = progress is not None and log.plan.reports_steps
    stride = SPARSE if steps else SPARSE_WITHOUT_STEPS
    n = 0
    while (ts := start + n * BEAT_S + (n * 40503 & 255) / 32) <= end:
        log.put("heartbeat", n, ts, 0, ts, progress_fields(log, progress, ts) if steps else {})
        n += 1 if ts >= dense_from else stride - n % stride


def progress_fields(log: AttemptLog, progress: Progress | None, ts: float) -> dict[str, int]:
    """Step and samples at an instant; nothing before the first batch."""
    if progress is None or ts < progress.walls[0]:
        return {}
    step = int(progress.at(ts) / log.plan.model.step_s)
    return {"step": step, "samples": step * log.plan.model.batch}
