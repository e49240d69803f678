"""What beat asks for. Each task may run twice, late, or beside itself."""

from celery import shared_task

from ingest.services import now_us
from rollup import services

# Well under the broker's visibility time-out: a longer task would be handed out again.
REFRESH_S = 20.0


@shared_task
def refresh_marked() -> None:
    services.refresh_marked(REFRESH_S)


@shared_task
def mark_silent() -> None:
    services.mark_silent(now_us())
