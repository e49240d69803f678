"""What is told of each task: when it was asked for, by which request, and its id in every line of the log."""

import logging.config
import time
from typing import Any

from celery import Task, signals
from django.conf import settings
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

PUBLISHED_AT = "published_at"


@signals.celeryd_init.connect
@signals.setup_logging.connect
def keep_our_logs(**_: Any) -> None:
    """Celery leaves the logs alone where somebody else sets them up; a worker warns before it asks."""
    logging.captureWarnings(True)
    logging.config.dictConfig(settings.LOGGING)


@signals.before_task_publish.connect
def stamp(headers: dict[str, Any], **_: Any) -> None:
    """Let a message tell its age, and the request that it comes from."""
    headers[PUBLISHED_AT] = time.time()
    if request_id := get_contextvars().get("request_id"):
        headers["request_id"] = request_id


@signals.task_prerun.connect
def enter(task: Task[Any, Any], task_id: str, **_: Any) -> None:
    """Name the task in all that it logs."""
    bind_contextvars(task=task.name, task_id=task_id)
    if request_id := getattr(task.request, "request_id", None):
        bind_contextvars(request_id=request_id)


@signals.task_postrun.connect
def leave(**_: Any) -> None:
    """The process runs others afterwards."""
    clear_contextvars()
