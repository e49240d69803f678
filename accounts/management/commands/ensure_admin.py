"""`manage.py ensure_admin`: the first person, with the password the launcher made."""

import os
from typing import Any

from django.contrib.auth.hashers import check_password
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User


class Command(BaseCommand):
    help = (
        "Make the fleet admin `admin`, where there is none, with ETTDASH_ADMIN_PASSWORD. Prints `kept` if"
        " that is still the password, `changed` if admin has set another or was deactivated."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        password = os.environ.get("ETTDASH_ADMIN_PASSWORD")
        admin = User.objects.filter(username="admin").first() or _make(password)
        fits = admin.is_active and check_password(password, admin.password)
        self.stdout.write("kept" if fits else "changed")


def _make(password: str | None) -> User:
    if not password:
        raise CommandError("Set ETTDASH_ADMIN_PASSWORD: there is no default password.")
    return User.objects.create_superuser("admin", password=password)
