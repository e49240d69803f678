"""`manage.py ensure_admin`: the first person, with the password the launcher made."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User


class Command(BaseCommand):
    help = "Make the superuser `admin`, where there is none, with ETTDASH_ADMIN_PASSWORD."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if User.objects.filter(username="admin").exists():
            return
        password = os.environ.get("ETTDASH_ADMIN_PASSWORD")
        if not password:
            raise CommandError("Set ETTDASH_ADMIN_PASSWORD: there is no default password.")
        User.objects.create_superuser("admin", password=password)
