"""What beat asks for. Each task may run twice, late, or beside itself."""

from importlib import import_module

from celery import shared_task
from django.conf import settings


@shared_task
def clear_sessions() -> None:
    """Forget the sessions that have ended: each visit to the log-in leaves one."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
