"""Figures are looked at as traces and gaps, not as pixels."""

from datetime import date, timedelta

import plotly.graph_objects as go
import pytest

from dashboard import charts
from dashboard.charts import Figure, Tick
from dashboard.totals import Totals
from ett.buckets import Bucket

FIRST = date(2026, 11, 1)
DAYS = [FIRST + timedelta(days=n) for n in range(7)]
BEFORE = [day - timedelta(days=7) for day in DAYS]
GOAL = 900


def spent(effective: int) -> Totals:
    """A day of a hundred, the rest of which goes to all other buckets."""
    others = [bucket for bucket in Bucket if bucket != Bucket.EFFECTIVE]
    rest = {bucket: (100 - effective) / len(others) for bucket in others}
    return Totals({Bucket.EFFECTIVE: effective} | rest)  # type: ignore[arg-type]


def trend(by_day: dict[date, Totals], *ticks: Tick) -> Figure:
    return charts.ett_trend(by_day, DAYS, BEFORE, GOAL, ticks)


@pytest.mark.parametrize("by_day", [{}, {day: spent(80) for day in (*BEFORE, *DAYS)}])
def test_plotly_takes_the_figures(by_day: dict[date, Totals]) -> None:
    go.Figure(trend(by_day, Tick(FIRST, "A", "launcher 4.2")))
    go.Figure(charts.bucket_shares(by_day, DAYS))


def test_a_day_without_time_is_a_gap_and_not_zero() -> None:
    by_day = {day: spent(80) for day in DAYS if day != DAYS[3]}
    (line,) = trend(by_day)["data"]
    assert line["y"] == [80, 80, 80, None, 80, 80, 80]
    assert line["connectgaps"] is False
    assert all(trace["y"][3] is None for trace in charts.bucket_shares(by_day, DAYS)["data"])


def test_the_stack_has_every_bucket_in_order_and_reaches_a_hundred() -> None:
    traces = charts.bucket_shares({day: spent(83) for day in DAYS}, DAYS)["data"]
    assert [trace["meta"] for trace in traces] == [bucket.value for bucket in Bucket]
    for n in range(len(DAYS)):
        assert sum(trace["y"][n] for trace in traces) == pytest.approx(100, abs=0.01)


def test_the_period_before_lies_dotted_under_the_same_days() -> None:
    previous, now = trend({day: spent(80) for day in DAYS} | {day: spent(70) for day in BEFORE})["data"]
    assert previous["x"] == now["x"]
    assert set(previous["y"]) == {70}
    assert previous["line"]["dash"] == "dot"


def test_the_axis_starts_at_a_round_number_below_the_data() -> None:
    assert charts.axis_floor({FIRST: spent(83)}, GOAL) == 80
    assert charts.axis_floor({FIRST: spent(80)}, GOAL) == 70
    assert charts.axis_floor({FIRST: spent(0)}, GOAL) == 0
    assert charts.axis_floor({FIRST: spent(97)}, GOAL) == 80
    assert trend({FIRST: spent(83)})["layout"]["yaxis"]["range"] == [80, 100]


def test_letters_of_one_day_stand_over_one_tick() -> None:
    layout = trend({}, Tick(FIRST, "A", "one"), Tick(FIRST, "B", "two"))["layout"]
    assert [note["text"] for note in layout["annotations"] if note["name"] == "tick"] == ["A B"]
    assert len([shape for shape in layout["shapes"] if shape["name"] == "tick"]) == 1


def test_text_from_outside_is_no_markup_for_plotly() -> None:
    (label,) = [
        note
        for note in trend({}, Tick(FIRST, "A", '<a href="https://evil.test">x</a> & <b>'))["layout"][
            "annotations"
        ]
        if note["name"] == "tick"
    ]
    assert label["hovertext"] == 'A: &lt;a href="https://evil.test"&gt;x&lt;/a&gt; &amp; &lt;b&gt;'
