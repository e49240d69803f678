"""The values of the fleet page, out of sums of time: headline, bucket table, model table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from dashboard.meanings import CAUSES, FAMILIES, MEANINGS
from dashboard.totals import WHOLE, Shares, Totals, add_up, shares
from ett.buckets import Bucket

GOAL = 900  # tenths of a percent
MODELS_SHOWN = 15


@dataclass(frozen=True, slots=True)
class Periods:
    """The same thing now and in the period before."""

    now: Totals
    before: Totals


def is_comparable(by_day: Collection[date], days: Sequence[date], previous_days: Sequence[date]) -> bool:
    """Whether the period before has time on at least half as many days: a sliver of it tells nothing."""
    return 2 * sum(day in by_day for day in previous_days) >= max(sum(day in by_day for day in days), 1)


def with_jobs(periods: Periods, jobs: int) -> Periods:
    """The same with the number of jobs now, which days cannot be added up to."""
    return replace(periods, now=replace(periods.now, jobs=jobs))


@dataclass(frozen=True, slots=True)
class Row:
    """A share of the table of buckets, in tenths of a percent, its sum and its change."""

    name: str
    share: int | None
    micros: int
    change: int | None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """Buckets that are told as one."""

    name: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Buckets:
    """Where the time went: by bucket and, the same sum again, by ETT, Idleness and Failure."""

    families: Sequence[Family]
    causes: Sequence[Row]
    total: Row


@dataclass(frozen=True, slots=True)
class Move:
    """The bucket that moved the fleet's ETT most, and the model that has the largest part in it."""

    bucket: Bucket
    change: int
    model: str
    model_change: int


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer first; tenths of a percent."""

    ett: int | None
    change: int | None
    goal: int
    idleness: int | None
    failure: int | None
    micros: int
    lost: int
    jobs: int
    move: Move | None

    @property
    def to_goal(self) -> int | None:
        return None if self.ett is None else self.ett - self.goal

    @property
    def moved(self) -> str:
        """How far ETT moved, in points without a sign."""
        return f"{abs(self.change or 0) / 10:.1f}"

    @property
    def failure_from(self) -> int:
        """Where Failure begins on a bar of the three."""
        return (self.ett or 0) + (self.idleness or 0)


@dataclass(frozen=True, slots=True)
class ModelRow:
    """How a model, or several as one, stands."""

    model: str
    ett: int | None
    change: int | None
    micros: int
    lost: int
    lost_percent: float
    jobs: int


@dataclass(frozen=True, slots=True)
class Models:
    """Models, those that lost most first; the rest and all of them as one row each."""

    rows: Sequence[ModelRow]
    others: ModelRow | None
    others_count: int
    total: ModelRow
    count: int


def headline(fleet: Periods, models: Mapping[str, Periods]) -> Headline:
    """ETT against goal and the period before, and what moved it."""
    now, before = shares(fleet.now), shares(fleet.before)
    return Headline(
        ett=now.ett if now else None,
        change=now.ett - before.ett if now and before else None,
        goal=GOAL,
        idleness=now.idleness if now else None,
        failure=now.failure if now else None,
        micros=fleet.now.wall,
        lost=fleet.now.lost,
        jobs=fleet.now.jobs,
        move=biggest_move(fleet, models),
    )


def biggest_move(fleet: Periods, models: Mapping[str, Periods]) -> Move | None:
    """The bucket whose share explains most of ETT's change, or moved most where ETT did not change."""
    now, before = shares(fleet.now), shares(fleet.before)
    if not now or not before:
        return None
    changes = {b: now.buckets[b] - before.buckets[b] for b in Bucket if b != Bucket.EFFECTIVE}
    direction = before.ett - now.ett
    bucket = max(changes, key=lambda b: changes[b] * direction if direction else abs(changes[b]))
    change = changes[bucket]
    if not change:
        return None

    def part(model: str) -> float:
        """What the model adds to the change: the parts of all models make the whole."""
        then, since = models[model].before, models[model].now
        return since.buckets.get(bucket, 0) / fleet.now.wall - then.buckets.get(bucket, 0) / fleet.before.wall

    model = max(models, key=lambda name: part(name) * change)
    return Move(bucket, change, model, round(WHOLE * part(model)))


def buckets(fleet: Periods) -> Buckets:
    """Every bucket in the order of every page; shares add up to 100.0 %, changes to nothing."""
    now, before = shares(fleet.now), shares(fleet.before)

    def row(bucket: Bucket) -> Row:
        share = now.buckets[bucket] if now else None
        change = now.buckets[bucket] - before.buckets[bucket] if now and before else None
        return Row(bucket, share, fleet.now.buckets.get(bucket, 0), change, MEANINGS[bucket])

    return Buckets(
        [Family(name, [row(bucket) for bucket in members]) for name, members in FAMILIES.items()],
        _causes(fleet),
        Row("sum", WHOLE if now else None, fleet.now.wall, 0 if now and before else None),
    )


def _causes(fleet: Periods) -> list[Row]:
    now, before = shares(fleet.now), shares(fleet.before)
    idle = fleet.now.wall - fleet.now.effective - fleet.now.failure
    sums = {"ETT": fleet.now.effective, "Idleness": idle, "Failure": fleet.now.failure}

    def row(cause: str) -> Row:
        share = now.cause(cause) if now else None
        change = now.cause(cause) - before.cause(cause) if now and before else None
        return Row(cause, share, sums[cause], change, CAUSES[cause])

    return [row(cause) for cause in CAUSES]


def models(fleet: Periods, by_model: Mapping[str, Periods]) -> Models:
    """Models with time now, those that lost most first; beyond the first few they are one row."""
    seen = [name for name, periods in by_model.items() if periods.now.wall or periods.now.jobs]
    seen.sort(key=lambda name: (-by_model[name].now.lost, name))
    most = max((by_model[name].now.lost for name in seen), default=0)
    shown, rest = seen[:MODELS_SHOWN], seen[MODELS_SHOWN:]
    return Models(
        [_model_row(name, by_model[name], most) for name in shown],
        _model_row("", _together([by_model[name] for name in rest]), 0) if rest else None,
        len(rest),
        _model_row("", fleet, 0),
        len(seen),
    )


def _together(parts: Sequence[Periods]) -> Periods:
    return Periods(add_up(part.now for part in parts), add_up(part.before for part in parts))


def _model_row(name: str, periods: Periods, most: int) -> ModelRow:
    now, before = shares(periods.now), shares(periods.before)
    return ModelRow(
        name,
        now.ett if now else None,
        now.ett - before.ett if now and before else None,
        periods.now.wall,
        periods.now.lost,
        round(100 * periods.now.lost / most, 1) if most else 0.0,
        periods.now.jobs,
    )


@dataclass(frozen=True, slots=True)
class DayRow:
    """A day as the tables under the charts show it; shares are None where there was no time."""

    day: date
    shares: Shares | None
    micros: int

    @property
    def causes(self) -> Sequence[int | None]:
        """ETT, Idleness and Failure."""
        return [self.shares.cause(name) if self.shares else None for name in CAUSES]

    @property
    def tenths(self) -> Sequence[int | None]:
        """The share of each bucket, in order."""
        return [self.shares.buckets[bucket] if self.shares else None for bucket in Bucket]


def day_rows(by_day: Mapping[date, Totals], days: Sequence[date]) -> list[DayRow]:
    """Each day, newest first."""
    found = ((day, by_day.get(day, Totals())) for day in reversed(days))
    return [DayRow(day, shares(totals), totals.wall) for day, totals in found]
