"""The Celery application; its schedule is in the settings."""

import os

from celery import Celery

from ettdash.telemetry import tasks as _task_telemetry  # noqa: F401  connects its signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ettdash.settings")

app = Celery("ettdash")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
