"""manage.py ensure_admin."""

import io

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User


def ensured() -> str:
    out = io.StringIO()
    call_command("ensure_admin", stdout=out)
    return out.getvalue().strip()


def test_admin_is_made_once_and_keeps_a_changed_password(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETTDASH_ADMIN_PASSWORD", "first-password")
    assert [ensured(), ensured()] == ["kept", "kept"]
    admin = User.objects.get()
    assert (admin.username, admin.is_superuser) == ("admin", True)
    assert admin.check_password("first-password")
    admin.set_password("their own")
    admin.save()
    assert ensured() == "changed"
    assert User.objects.get().check_password("their own")


def test_password_of_a_deactivated_admin_is_not_told_as_one(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ETTDASH_ADMIN_PASSWORD", "first-password")
    ensured()
    User.objects.update(is_active=False)
    assert ensured() == "changed"


def test_there_is_no_default_password(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ETTDASH_ADMIN_PASSWORD", raising=False)
    with pytest.raises(CommandError):
        call_command("ensure_admin")
    assert not User.objects.exists()
