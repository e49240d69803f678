"""Pages: read the parameters, ask one named question per panel, render."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import sees_all, visible_teams
from accounts.models import Team
from dashboard import charts, fleet, queries, welcome, words
from dashboard.numbers import SECOND, duration, instant
from dashboard.people_rows import fleet_admins
from dashboard.totals import Totals, add_up
from dashboard.window import Window
from ett.buckets import Bucket
from rollup.models import Annotation

# Events that wait longer than this to be counted are worth a word.
LAG = timedelta(seconds=30)


@require_safe
@login_required
def fleet_page(request: HttpRequest) -> HttpResponse:
    """The fleet's time: how much of it was kept, where the rest went, what stands still."""
    return render(request, "dashboard/fleet.html", _fleet(request, timezone.now()))


@require_safe
def fleet_live(request: HttpRequest) -> HttpResponse:
    """The parts of the fleet page that it asks for again and again."""
    if not request.user.is_authenticated:
        return HttpResponseClientRedirect(reverse("login"))
    context = _fleet(request, timezone.now())
    # The lesson stays as it is, or it could not be copied.
    if "lesson" in context and request.GET.get("shown") == "lesson":
        return HttpResponse(status=204)
    return render(request, "dashboard/_fleet.html", context)


def _fleet(request: HttpRequest, now: datetime) -> dict[str, Any]:
    window = Window.from_query(request.GET, now.date())
    teams = list(visible_teams(request.user).order_by("name"))
    team_ids = [team.pk for team in teams]
    now_us = int(now.timestamp() * SECOND)
    down_after = now_us - settings.ETTDASH_ABANDONED_AFTER_S * SECOND
    overview = queries.overview(team_ids, down_after)
    context: dict[str, Any] = {"window": window, "overview": overview}
    if not overview.jobs:
        return context | _lesson(request, teams, now)
    return (
        context
        | _state(team_ids, overview, down_after, now_us)
        | _lag(team_ids, now)
        | _figures(team_ids, window)
    )


def _lesson(request: HttpRequest, teams: Sequence[Team], now: datetime) -> dict[str, Any]:
    """How to send a first event, for somebody who may see it arrive."""
    if not teams and not sees_all(request.user):
        return {"lesson": None, "fleet_admins": fleet_admins()}
    team = teams[0].name if teams else "research"
    return {"lesson": welcome.lesson(request.build_absolute_uri("/"), team, now)}


def _state(teams: queries.Teams, overview: queries.Overview, down_after: int, now_us: int) -> dict[str, Any]:
    """What runs and what is down at this moment, and how old the newest data is."""
    age = max(now_us - (overview.newest or now_us), 0)
    return {
        "running": queries.running_jobs(teams) if overview.running else [],
        "down": queries.down_jobs(teams, down_after) if overview.down else [],
        "age_s": age // SECOND,
        "age": duration(age),
        "newest": instant(now_us - age),
    }


def _lag(teams: queries.Teams, now: datetime) -> dict[str, Any]:
    since = queries.waiting_since(teams)
    waited = now - since if since else timedelta()
    return {"lag": duration(int(waited.total_seconds()) * SECOND)} if waited > LAG else {}


def _figures(teams: queries.Teams, window: Window) -> dict[str, Any]:
    """Headline, charts and tables of the range."""
    by_day = queries.totals_by_day(teams, window)
    by_model = queries.totals_by_model(teams, window)
    if not fleet.is_comparable(by_day, window.days, window.previous_days):
        by_day = {day: by_day[day] for day in window.days if day in by_day}
        by_model = {model: replace(periods, before=Totals()) for model, periods in by_model.items()}
    noted = _noted(queries.annotations(teams, window))
    whole = fleet.Periods(
        add_up(by_day[day] for day in window.days if day in by_day),
        add_up(by_day[day] for day in window.previous_days if day in by_day),
    )
    whole = fleet.with_jobs(whole, queries.jobs_with_time(teams, window))
    ticks = [charts.Tick(note.row.ts.date(), note.letter, note.row.title) for note in noted]
    floor = charts.axis_floor(by_day, fleet.GOAL)
    return {
        "headline": fleet.headline(whole, by_model),
        "trend": charts.ett_trend(by_day, window.days, window.previous_days, fleet.GOAL, ticks),
        "trend_caption": words.trend_caption(by_day, window, fleet.GOAL, floor),
        "noted": noted,
        "shares": charts.bucket_shares(by_day, window.days),
        "shares_caption": words.shares_caption(whole.now, window),
        "buckets": fleet.buckets(whole),
        "bucket_names": list(Bucket),
        "models": fleet.models(whole, by_model),
        "days": fleet.day_rows(by_day, window.days),
    }


@dataclass(frozen=True, slots=True)
class Noted:
    """An annotation with the letter it has on the chart."""

    letter: str
    row: Annotation

    @property
    def link(self) -> str:
        """Only addresses that a browser opens as a page."""
        return self.row.link if self.row.link.lower().startswith(("http://", "https://")) else ""


def _noted(rows: Sequence[Annotation]) -> list[Noted]:
    return [Noted(chr(ord("A") + n), row) for n, row in enumerate(rows)]
