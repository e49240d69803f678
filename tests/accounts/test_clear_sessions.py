"""Sessions that have ended do not pile up."""

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.tasks import clear_sessions


def test_ended_sessions_are_forgotten_and_others_kept(db: None) -> None:
    now = timezone.now()
    Session.objects.create(session_key="ended", session_data="", expire_date=now - timedelta(seconds=1))
    Session.objects.create(session_key="lasting", session_data="", expire_date=now + timedelta(hours=1))
    clear_sessions()
    clear_sessions()
    assert [session.session_key for session in Session.objects.all()] == ["lasting"]
