"""Sentences about charts, written on the server: titles that say something, summaries for screen readers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from dashboard.numbers import count, percent
from dashboard.totals import Totals, shares
from dashboard.window import Window
from ett.buckets import Bucket


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands around a chart: the statement, its unit, and the whole of it in words."""

    title: str
    unit: str
    summary: str


def trend_caption(by_day: Mapping[date, Totals], window: Window, goal: int, floor: int) -> Caption:
    """How often the goal was met, and between which values ETT moved."""
    days = _ett_days(by_day, window)
    unit = f"ETT%, share of {window.weight.time} by UTC day, today so far"
    if floor:
        unit += f"; the axis starts at {floor} %"
    if not days:
        return Caption("No ETT in this range", unit, "No day of this range has data.")
    met = sum(ett >= goal for _, ett in days)
    title = f"ETT reached the goal of {goal / 10:g} % on {met} of {count(len(days), 'day')}"
    return Caption(title, unit, f"{title}. {_extremes(days)}{_gaps(window.length - len(days))}")


def shares_caption(fleet: Totals, window: Window) -> Caption:
    """The bucket that takes most of what is not training."""
    unit = f"share of {window.weight.time} by UTC day, all buckets; each day adds up to 100 %"
    shown = shares(fleet)
    if not shown:
        return Caption("Where the time goes", unit, "No day of this range has data.")
    order = sorted(Bucket, key=lambda bucket: -fleet.buckets.get(bucket, 0))
    worst = next(bucket for bucket in order if bucket != Bucket.EFFECTIVE)
    title = f"Where the time goes: after training, most to {worst} ({percent(shown.buckets[worst])})"
    told = ", ".join(
        f"{bucket} {percent(shown.buckets[bucket])}" for bucket in order if shown.buckets[bucket]
    )
    return Caption(title, unit, f"Shares over the whole range: {told}.")


def _ett_days(by_day: Mapping[date, Totals], window: Window) -> list[tuple[date, int]]:
    found = ((day, shares(by_day.get(day, Totals()))) for day in window.days)
    return [(day, shown.ett) for day, shown in found if shown]


def _extremes(days: Sequence[tuple[date, int]]) -> str:
    low, high = min(days, key=lambda day: day[1]), max(days, key=lambda day: day[1])
    latest = days[-1]
    told = [("Lowest", low), ("highest", high), ("latest", latest)]
    return ", ".join(f"{word} {percent(ett)} on {day}" for word, (day, ett) in told) + "."


def _gaps(empty: int) -> str:
    return f" {count(empty, 'day')} without data." if empty else ""
