"""The ways of writing numbers, for templates."""

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard import numbers
from dashboard.totals import WHOLE
from rollup.models import JobTotal

NOTABLE = 10  # tenths of a percent

register = template.Library()

register.filter("percent", numbers.percent)
register.filter("points", numbers.points)
register.filter("whole", numbers.whole)
register.filter("hours", numbers.hours)
register.filter("count", numbers.count)


@register.filter
def notable(change: int | None) -> str:
    """A class for changes that are worth a look: a point or more."""
    return " notable" if change is not None and abs(change) >= NOTABLE else ""


@register.filter
def local_time(micros: int) -> SafeString:
    """A time that the page's script rewrites in the viewer's zone; UTC on the tooltip."""
    return _time(numbers.instant(micros))


@register.filter
def local_moment(when: datetime) -> SafeString:
    """The same of a datetime."""
    return _time(when)


def _time(when: datetime) -> SafeString:
    utc = f"{when:%Y-%m-%d %H:%M} UTC"
    return format_html('<time datetime="{}" title="{}" data-local>{}</time>', when.isoformat(), utc, utc)


@register.filter
def job_ett(job: JobTotal) -> int | None:
    """A job's own ETT in tenths of a percent; None while it has no time."""
    return round(WHOLE * job.effective / job.wall) if job.wall else None
