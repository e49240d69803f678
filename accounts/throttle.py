"""Slowing down whoever guesses passwords, without shutting anybody out for good.

Wrong passwords are counted for user name and address together, for the address, and for the name. A pair that
has logged in lately heeds its own count alone, so that strangers who guess cannot keep a person out.
"""

from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet, Sum
from django.db.models.signals import pre_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.client import address

# An address may fail ten times as often as a pair, and a name five times, before they are locked.
ADDRESS_FOLD, NAME_FOLD = 10, 5
KNOWN_DAYS = 30
# Any number that no other lock of the product uses.
LOCK = 0x6574_7403
Credentials = dict[str, Any] | None


class Throttle(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts wrong passwords in the database, where all web processes see them and Redis is not needed."""

    def is_allowed(self, request: HttpRequest, credentials: Credentials = None) -> bool:
        """Whether the password may be looked at, once each earlier try on the name is counted."""
        _wait_for_turn(name_key(request, credentials))
        return bool(super().is_allowed(request, credentials))

    def get_failures(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """How far this try is on the way to AXES_FAILURE_LIMIT."""
        pair, place, name = (_failures(rows) for rows in self.get_user_attempts(request, credentials))
        if _is_known(request, credentials):
            return pair
        return max(pair, place // ADDRESS_FOLD, name // NAME_FOLD)

    def reset_user_attempts(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """Forget the failures of the pair that logged in, not others' at its address or on its name."""
        deleted, _ = self.filter_user_attempts(request, credentials)[0].delete()
        return int(deleted)

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
        """Keep that the pair is known, for a while."""
        super().user_logged_in(sender, request, user, **kwargs)
        self.reset_logs(age_days=KNOWN_DAYS)


def origin(request: HttpRequest) -> str | None:
    """The address that failures are counted for: of IPv6 the network, since one host has all of it."""
    found = address(request)
    if found and isinstance(ip_address(found), IPv6Address):
        return str(ip_network(f"{found}/64", strict=False).network_address)
    return found or None


def name_key(_request: HttpRequest, credentials: Credentials) -> str:
    """What stands for the name that was typed: it may be a password in the wrong field."""
    return salted_hmac("accounts.throttle", _name(credentials), algorithm="sha256").hexdigest()


def too_many_tries(request: HttpRequest, *_further: Any) -> HttpResponse:
    """429 that says when to come back."""
    wait: timedelta = settings.AXES_COOLOFF_TIME
    context = {"minutes": int(wait.total_seconds() // 60)}
    response = render(request, "accounts/too_many_tries.html", context, status=429)
    response["Retry-After"] = str(int(wait.total_seconds()))
    return response


@receiver(pre_save, sender=AccessAttempt)
def _keep_no_form(instance: AccessAttempt, **_further: Any) -> None:
    """What was sent along with a wrong password is nobody's business."""
    instance.get_data = instance.post_data = ""


def _wait_for_turn(name: str) -> None:
    """Held to the end of the view's transaction: of tries sent all at once, each would else see no other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCK, name])


def _failures(rows: QuerySet[Any]) -> int:
    return rows.aggregate(n=Sum("failures_since_start"))["n"] or 0


def _is_known(request: Any, credentials: Credentials) -> bool:
    since = timezone.now() - timedelta(days=KNOWN_DAYS)
    logins = AccessLog.objects.filter(username=_name(credentials), ip_address=request.axes_ip_address)
    return bool(logins.filter(attempt_time__gte=since).exists())


def _name(credentials: Credentials) -> str:
    return str((credentials or {}).get("username") or "")
