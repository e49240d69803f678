"""The Celery application; its schedule is in the settings."""

import os
from typing import Any

from celery import Celery
from celery.signals import heartbeat_sent

from ettdash import alive
from ettdash.telemetry import tasks as _task_telemetry  # noqa: F401  connects its signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ettdash.settings")

app = Celery("ettdash")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@heartbeat_sent.connect
def give_sign_of_life(**_kwargs: Any) -> None:
    """A worker that can still speak to the broker says so to its health check."""
    alive.touch()
