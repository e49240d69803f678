"""Points → Plotly figures as plain dicts. Knows neither Django nor the database, and no colours.

A trace's `meta` and a shape's or label's `name` say what it is; static/js/charts.js gives it the colour that
this has in the stylesheet, in light and in dark.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from typing import Any

from dashboard.totals import Totals
from ett.buckets import Bucket

Figure = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tick:
    """Something that happened on a day, by its letter."""

    day: date
    letter: str
    title: str


def label(text: str) -> str:
    """Text from outside as Plotly shows it literally: it would take `<a href>` for a link."""
    return escape(text, quote=False)


def axis_floor(by_day: Mapping[date, Totals], goal: int) -> int:
    """The round number below all values, in percent, from which a trend of ETT is drawn."""
    ratios = [totals.ett_ratio for totals in by_day.values()]
    low = min([100 * ratio for ratio in ratios if ratio is not None] + [goal / 10])
    return max(0, math.floor((low - 1) / 10) * 10)


def ett_trend(
    by_day: Mapping[date, Totals],
    days: Sequence[date],
    previous_days: Sequence[date],
    goal: int,
    ticks: Sequence[Tick],
) -> Figure:
    """ETT% a day with the period before dashed under it, the goal, and what happened; empty days are gaps."""
    floor = axis_floor(by_day, goal)
    now = [_percent(by_day, day) for day in days]
    before = [_percent(by_day, day) for day in previous_days]
    traces = [_line("previous", f"previous {len(days)} days", days, before)]
    traces.append(_line("effective", "ETT", days, now))
    if all(value is None for value in before):
        del traces[0]
    layout = _layout(days)
    layout["yaxis"] |= {"range": [floor, 100]}
    layout["shapes"] = [_goal_line(goal), *_tick_lines(ticks)]
    layout["annotations"] = [
        _goal_label(goal),
        *_tick_labels(ticks),
        *_last_value(days, now, goal / 10, 100 - floor),
    ]
    return {"data": traces, "layout": layout}


def bucket_shares(by_day: Mapping[date, Totals], days: Sequence[date]) -> Figure:
    """The share of each bucket a day, stacked from effective upwards to 100 %; empty days are gaps."""
    traces = [
        {
            "type": "bar",
            "name": bucket.value,
            "meta": bucket.value,
            "x": [day.isoformat() for day in days],
            "y": [_percent(by_day, day, bucket) for day in days],
            "hovertemplate": "%{y:.1f} %",
            "marker": _marker(bucket),
        }
        for bucket in Bucket
    ]
    layout = _layout(days) | {"barmode": "stack", "bargap": 0.12}
    layout["yaxis"] |= {"range": [0, 100], "tickvals": [0, 25, 50, 75, 100]}
    layout["xaxis"]["unifiedhovertitle"] = {"text": "%{x|%a %-d %b %Y} · all buckets 100 %"}
    return {"data": traces, "layout": layout}


def _percent(by_day: Mapping[date, Totals], day: date, bucket: Bucket = Bucket.EFFECTIVE) -> float | None:
    ratio = by_day[day].ratio(bucket) if day in by_day else None
    return None if ratio is None else round(100 * ratio, 3)


def _marker(bucket: Bucket) -> dict[str, Any]:
    # A line of the background between neighbours; what nobody accounts for is hatched, so that it nags.
    hatched = {"pattern": {"shape": "/", "size": 5, "solidity": 0.35}}
    return {"line": {"width": 0.5}} | (hatched if bucket == Bucket.UNACCOUNTED else {})


def _line(role: str, name: str, days: Sequence[date], values: Sequence[float | None]) -> dict[str, Any]:
    dashed = role == "previous"
    return {
        "type": "scatter",
        "mode": "lines" if dashed else "lines+markers",
        "name": name,
        "meta": role,
        "x": [day.isoformat() for day in days],
        "y": list(values),
        "connectgaps": False,
        "line": {"width": 1.5, "dash": "dot"} if dashed else {"width": 2.5},
        "marker": {"size": 5},
        "hovertemplate": "%{y:.1f} %",
    }


def _layout(days: Sequence[date]) -> dict[str, Any]:
    """Light horizontal grid only, no legend, no zoom by accident; hover tells all series of the day."""
    before = days[0] - timedelta(days=1)
    return {
        "margin": {"l": 36, "r": 56, "t": 24, "b": 28},
        "showlegend": False,
        "hovermode": "x unified",
        "dragmode": False,
        "uirevision": "keep",
        "xaxis": {
            "type": "date",
            "range": [f"{before}T12:00", f"{days[-1]}T12:00"],
            "showgrid": False,
            "fixedrange": True,
            "tickformat": "%-d %b",
            "hoverformat": "%a %-d %b %Y",
            "nticks": 8,
            "spikethickness": 1,
            "spikedash": "solid",
        },
        "yaxis": {"fixedrange": True, "zeroline": False, "nticks": 6, "tickformat": "d"},
    }


def _goal_line(goal: int) -> dict[str, Any]:
    return {
        "name": "goal",
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": goal / 10,
        "y1": goal / 10,
        "line": {"width": 1, "dash": "dash"},
    }


def _goal_label(goal: int) -> dict[str, Any]:
    return {
        "name": "goal",
        "text": f"goal {goal / 10:g}",
        "xref": "paper",
        "x": 1,
        "xanchor": "left",
        "xshift": 4,
        "y": goal / 10,
        "showarrow": False,
    }


def _tick_lines(ticks: Sequence[Tick]) -> list[dict[str, Any]]:
    return [
        {
            "name": "tick",
            "type": "line",
            "yref": "paper",
            "x0": day.isoformat(),
            "x1": day.isoformat(),
            "y0": 0.93,
            "y1": 1,
            "line": {"width": 1},
        }
        for day in sorted({tick.day for tick in ticks})
    ]


def _tick_labels(ticks: Sequence[Tick]) -> list[dict[str, Any]]:
    """The letters of a day stand together over its tick."""
    by_day: dict[date, list[Tick]] = {}
    for tick in ticks:
        by_day.setdefault(tick.day, []).append(tick)
    return [
        {
            "name": "tick",
            "text": " ".join(tick.letter for tick in same_day),
            "hovertext": "<br>".join(f"{tick.letter}: {label(tick.title)}" for tick in same_day),
            "x": day.isoformat(),
            "yref": "paper",
            "y": 1,
            "yanchor": "bottom",
            "showarrow": False,
        }
        for day, same_day in by_day.items()
    ]


def _last_value(
    days: Sequence[date], values: Sequence[float | None], goal: float, height: int
) -> list[dict[str, Any]]:
    """The line's end in numbers, out of the way of the goal's own label."""
    known = [(day, value) for day, value in zip(days, values, strict=True) if value is not None]
    if not known:
        return []
    day, value = known[-1]
    last = {"name": "effective", "text": f"<b>{value:.1f}</b>", "x": day.isoformat(), "y": value}
    near = abs(value - goal) < height / 14
    aside = (10 if value >= goal else -10) if near else 0
    return [last | {"xanchor": "left", "xshift": 8, "yshift": aside, "showarrow": False}]
