"""The fleet as a function of (seed, anchor): every job of every day, and the stream of what they say."""

from collections.abc import Iterator
from datetime import UTC, datetime
from math import floor, inf
from random import Random
from typing import NamedTuple

from ettdash.demo.fleet import BY_NAME, CLUSTERS, MODELS, Model
from ettdash.demo.job import LONGEST_JOB_DAYS, Sky, is_weekend, live_through
from ettdash.demo.log import Event, Plan, Said
from ettdash.demo.publish import publish_job
from ettdash.demo.stories import DAY_S, HISTORY_DAYS, LAUNCHER_REGRESSION, MEGACACHE, Calendar, stable_uuid

HOUR_S = 3600.0
DENSE_BEFORE_S = HOUR_S
DOWN_NOW_MODEL = "diffusion-xl"


class History(NamedTuple):
    """Everything one job ever says, in the order in which it could be posted."""

    job: str
    team: str
    start: float
    said: list[Said]

    def between(self, after: float, until: float) -> list[Event]:
        """Its events known later than one instant, up to and including another."""
        return [event for at, event in self.said if after < at <= until]


class Fleet:
    """All jobs of a seed and an anchor. Days go on for ever; day 60 begins at the anchor."""

    def __init__(self, seed: int, anchor: float, dense_from: float | None = None) -> None:
        self.seed = seed
        self.calendar = Calendar(anchor)
        self.dense_from = anchor - DENSE_BEFORE_S if dense_from is None else dense_from

    def jobs_of(self, day: int) -> Iterator[History]:
        """The jobs that start on a day, and the publish jobs that follow from them."""
        for k, (model, start) in enumerate(self.starts(day)):
            yield from self.histories(self.plan(day, k, model, start), Random(f"{self.seed}/{day}/{k}"), day)
        if day == HISTORY_DAYS - 1:
            yield from self.histories(self.down_now(day), Random(f"{self.seed}/{day}/down"), day)

    def starts(self, day: int) -> list[tuple[Model, float]]:
        """Which models start a job on a day, and when; experiments keep to the working week."""
        rng = Random(f"{self.seed}/{day}")
        begins = self.calendar.instant(day)
        starts = []
        for index, model in enumerate(MODELS):
            for n in range(self.count(rng, day, model)):
                starts.append((model, begins + clock_offset(rng, begins, model, 7 * index + 12 * n)))
        return sorted(starts, key=lambda one: one[1])

    def count(self, rng: Random, day: int, model: Model) -> int:
        """How many jobs of a model start on a day."""
        chance = rng.random()
        if model.starts < 0.6:
            return int(day % round(1 / model.starts) == 0)
        rate = model.starts
        if model.production <= 0.5 and is_weekend(self.calendar.instant(day + 0.5)):
            rate *= 0.45
        return floor(rate) + (chance < rate % 1)

    def plan(self, day: int, k: int, model: Model, start: float) -> Plan:
        """One job as its team means it to be."""
        key = f"{self.seed}/{self.calendar.anchor}/{day}/{k}"
        rng = Random(f"{key}/plan")
        tier = "production" if rng.random() < model.production else "exploration"
        cluster = rng.choice(model.clusters)
        train_s = rng.uniform(*model.train_h) * HOUR_S
        cancelled = tier == "exploration" and rng.random() < 0.1
        gpus = rng.choice(model.gpus)
        others = sorted(rng.sample(range(1, gpus), model.ranks - 1)) if model.ranks > 1 else []
        sdk = "0.8.4" if rng.random() < 0.2 else "0.9.2"
        return Plan(
            key=key,
            name=f"{model.name}-{datetime.fromtimestamp(start, UTC):%Y%m%d}-{stable_uuid(key)[:6]}",
            model=model,
            start=start,
            gpus=gpus,
            cluster=cluster,
            tier=tier,
            labels=self.labels(rng, model, tier),
            attrs=self.attrs(rng, model, cluster, start, sdk),
            ranks=(0, *others),
            train_s=train_s,
            cancel_s=train_s * rng.uniform(0.2, 0.8) if cancelled else None,
            doomed_s=None,
            reports_steps=sdk != "0.8.4",  # the older client beats without steps
        )

    def labels(self, rng: Random, model: Model, tier: str) -> dict[str, str]:
        """What a team tells about a job."""
        return {
            "experiment": f"{model.name}-v{rng.randint(31, 58)}",
            "priority": "p1" if tier == "production" else rng.choice(("p2", "p3")),
            "region": rng.choice(("us", "eu", "apac")),
            "commit": f"{rng.getrandbits(40):010x}",
        }

    def attrs(self, rng: Random, model: Model, cluster: str, start: float, sdk: str) -> dict[str, str]:
        """Versions and host of a job."""
        newer = self.calendar.touches(LAUNCHER_REGRESSION, start, model=model.name)
        return {
            "sdk": sdk,
            "torch": "2.13.0" if self.calendar.day_of(start) >= 18 else "2.12.1",
            "python": "3.11.7",
            "host": f"{cluster}-r{rng.randint(1, 40):02d}-n{rng.randint(1, 16):02d}",
            "launcher": "4.19.0" if newer else "4.18.2",
            "megacache": "on" if self.calendar.touches(MEGACACHE, start) else "off",
        }

    def down_now(self, day: int) -> Plan:
        """The job that is down at the anchor: its storage failed some hours ago, and nobody has noticed."""
        start = self.calendar.anchor - 8.5 * HOUR_S
        plan = self.plan(day, -1, BY_NAME[DOWN_NOW_MODEL], start)
        return plan.doomed(5.4 * HOUR_S)

    def histories(self, plan: Plan, rng: Random, day: int) -> Iterator[History]:
        """What a job says, and its publish job where models are published apart."""
        said, completed = live_through(
            plan, rng, Sky(self.calendar, self.hazard(plan.cluster, day), self.dense_from)
        )
        yield History(plan.name, plan.model.team, plan.start, said)
        if completed is not None and plan.tier == "production" and self.calendar.publishes_apart(completed):
            name, start, told = publish_job(plan, rng, completed, self.dense_from)
            yield History(name, plan.model.team, start, told)

    def hazard(self, cluster: str, day: int) -> float:
        """A cluster's luck on a day: 1 is the usual rate of interruptions."""
        return Random(f"{self.seed}/{CLUSTERS.index(cluster)}/{day}/hazard").lognormvariate(-0.08, 0.4)


def clock_offset(rng: Random, begins: float, model: Model, slot: int) -> float:
    """Seconds into a demo day at which a job starts: production at its hour, experiments in office hours."""
    hour = rng.gauss(slot, 1.2) if model.production > 0.5 else rng.gauss(13, 4)
    since_midnight = (hour % 24) * HOUR_S
    return (since_midnight - begins) % DAY_S


class Stream:
    """Walks through what the fleet says, once, from an instant on; keeps only jobs that go on."""

    def __init__(self, fleet: Fleet, after: float, first_day: int = 0) -> None:
        self.fleet = fleet
        self.after = after
        began = -inf if after == -inf else floor(fleet.calendar.day_of(after)) - LONGEST_JOB_DAYS
        self._next_day = int(max(first_day, began))
        self._open: list[History] = []

    def advance(self, until: float) -> Iterator[tuple[History, list[Event]]]:
        """Each job that says something up to an instant, with those events; the next call goes on there."""
        going_on = []
        for history in self._started(until):
            if events := history.between(self.after, until):
                yield history, events
            if history.said and history.said[-1].at > until:
                going_on.append(history)
        self._open = going_on
        self.after = until

    def _started(self, until: float) -> Iterator[History]:
        """Jobs known from before, then those of the days that begin up to an instant."""
        yield from self._open
        while self.fleet.calendar.instant(self._next_day) <= until:
            self._next_day += 1
            yield from self.fleet.jobs_of(self._next_day - 1)


def window(fleet: Fleet, after: float, until: float) -> Iterator[tuple[History, list[Event]]]:
    """Each job that says something later than one instant and up to another, with those events."""
    return Stream(fleet, after).advance(until)
