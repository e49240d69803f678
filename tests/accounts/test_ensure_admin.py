"""manage.py ensure_admin."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User


def test_admin_is_made_once_and_keeps_a_changed_password(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETTDASH_ADMIN_PASSWORD", "first-password")
    call_command("ensure_admin")
    admin = User.objects.get()
    assert (admin.username, admin.is_superuser, admin.check_password("first-password")) == (
        "admin",
        True,
        True,
    )
    admin.set_password("their own")
    admin.save()
    monkeypatch.setenv("ETTDASH_ADMIN_PASSWORD", "another")
    call_command("ensure_admin")
    assert User.objects.get().check_password("their own")


def test_there_is_no_default_password(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ETTDASH_ADMIN_PASSWORD", raising=False)
    with pytest.raises(CommandError):
        call_command("ensure_admin")
    assert not User.objects.exists()
