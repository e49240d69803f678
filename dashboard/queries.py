"""What the pages ask, each question one query, whatever the number of jobs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import BooleanField, Case, Count, F, Max, Min, Q, Sum, Value, When

from dashboard.fleet import Periods
from dashboard.totals import Totals
from dashboard.window import Weight, Window
from ett.buckets import Bucket
from ingest.models import Mark
from rollup.models import Annotation, AttemptDay, JobTotal

JOBS_SHOWN = 10
ANNOTATIONS_SHOWN = 26

Teams = Sequence[int]


@dataclass(frozen=True, slots=True)
class Overview:
    """What there is at all: jobs ever, those that run or are down now, and the newest sign of life."""

    jobs: int
    running: int
    running_gpus: int
    down: int
    down_gpus: int
    newest: int | None


def totals_by_day(teams: Teams, window: Window) -> dict[date, Totals]:
    """The fleet's time on each day of the range and of the period before; days without time are left out."""
    rows = _days(teams, window).values("day").annotate(**_sums(window.weight))
    return {row["day"]: _totals(row) for row in rows}


def totals_by_model(teams: Teams, window: Window) -> dict[str, Periods]:
    """Each model's time in the range and in the period before, with its jobs."""
    is_now = Case(When(day__gte=window.first, then=True), default=False, output_field=BooleanField())
    rows = _days(teams, window).annotate(is_now=is_now).values("model", "is_now")
    found: dict[str, dict[bool, Totals]] = {}
    for row in rows.annotate(jobs=Count("job", distinct=True), **_sums(window.weight)):
        found.setdefault(row["model"], {})[row["is_now"]] = _totals(row)
    return {
        model: Periods(periods.get(True, Totals()), periods.get(False, Totals()))
        for model, periods in found.items()
    }


def jobs_with_time(teams: Teams, window: Window) -> int:
    """How many jobs have time in the range: the sample size of its figures."""
    days = AttemptDay.objects.filter(team__in=teams, day__range=(window.first, window.last))
    return int(days.aggregate(n=Count("job", distinct=True))["n"])


def annotations(teams: Teams, window: Window) -> list[Annotation]:
    """The latest annotations of the range, oldest first."""
    first, end = (
        datetime.combine(day, time.min, UTC) for day in (window.first, window.last + timedelta(days=1))
    )
    of_range = Annotation.objects.filter(team__in=teams, ts__gte=first, ts__lt=end).order_by("-ts", "-pk")
    return list(of_range[:ANNOTATIONS_SHOWN])[::-1]


def overview(teams: Teams, down_after: int) -> Overview:
    """Counts over all jobs; down are those interrupted after `down_after` (µs) and not restarted."""
    running, down = Q(state="running"), Q(down_since__gte=down_after)
    found = JobTotal.objects.filter(team__in=teams).aggregate(
        jobs=Count("*"),
        running=Count("pk", filter=running),
        running_gpus=Sum("gpus", filter=running, default=0),
        down=Count("pk", filter=down),
        down_gpus=Sum("gpus", filter=down, default=0),
        newest=Max("last_ts"),
    )
    return Overview(**found)


def running_jobs(teams: Teams) -> list[JobTotal]:
    """The largest jobs that run now."""
    return _largest(JobTotal.objects.filter(team__in=teams, state="running"))


def down_jobs(teams: Teams, down_after: int) -> list[JobTotal]:
    """The largest interrupted jobs that nobody has restarted since."""
    return _largest(JobTotal.objects.filter(team__in=teams, down_since__gte=down_after))


def waiting_since(teams: Teams) -> datetime | None:
    """Since when the oldest events wait to be counted; None if all are."""
    oldest: datetime | None = Mark.objects.filter(job__team__in=teams).aggregate(at=Min("made_at"))["at"]
    return oldest


def _largest(jobs: Any) -> list[JobTotal]:
    return list(jobs.select_related("job", "team").order_by("-gpus", "first_ts", "pk")[:JOBS_SHOWN])


def _days(teams: Teams, window: Window) -> Any:
    """Uses index rollup_attemptday_day."""
    return AttemptDay.objects.filter(
        team__in=teams, day__range=(window.previous_first, window.last)
    ).order_by()


def _sums(weight: Weight) -> Mapping[str, Sum]:
    factor = F("gpus") if weight is Weight.GPU else Value(1)
    return {f"sum_{name}": Sum(F(name) * factor) for name in _columns()}


def _columns() -> Iterable[str]:
    return ("failure", *(bucket.value for bucket in Bucket))


def _totals(row: Mapping[str, Any]) -> Totals:
    """Postgres adds up bigints to numerics; they are whole."""
    return Totals(
        {bucket: int(row[f"sum_{bucket.value}"]) for bucket in Bucket},
        int(row["sum_failure"]),
        row.get("jobs", 0),
    )
