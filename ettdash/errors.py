"""What the API and the pages say where there is nothing, or something broke."""

import logging
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import csrf, defaults

from accounts import problems
from accounts.problems import problem
from ettdash.telemetry.ids import current_id

log = logging.getLogger(__name__)

# What a database that does not answer, or not in time, raises.
AWAY = (OperationalError, InterfaceError)

# Where programs ask, and so read problem JSON.
PROGRAMS = ("/api/", "/healthz", "/readyz", "/metrics")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400 in the caller's own format: a host that is not ours, or a request that Django does not trust."""
    if is_api(request):
        return problem(400, "The request cannot be read, or names a host that is not served here.")
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 in the caller's own format."""
    if is_api(request):
        return problem(403, "This is not allowed to you.")
    return defaults.permission_denied(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 in the caller's own format, for a form that did not come from our page."""
    if is_api(request):
        return problem(403, "A login alone may not change anything from another page: send a token.")
    return csrf.csrf_failure(request, reason)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404 in the caller's own format."""
    if is_api(request):
        return problem(404, f"There is nothing at {request.path}.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 in the caller's own format; what broke is in the log, under the id that is told.

    An error of the middleware comes here as well, also where it is that the database is away.
    """
    broken = sys.exception()
    if isinstance(broken, AWAY):
        return database_away(request, broken)
    if is_api(request):
        detail = "Something broke here; it is in the server's log under the request's id."
        return problem(500, detail, request_id=current_id())
    # Without what pages are usually given: it may be that which broke.
    return HttpResponse(render_to_string("500.html", {"request_id": current_id()}), status=500)


def database_away(request: HttpRequest, error: BaseException) -> HttpResponse:
    """503 in the caller's own format, with when to come back."""
    log.warning("The database does not answer: %s", error, exc_info=log.isEnabledFor(logging.DEBUG))
    if is_api(request):
        return problems.database_away()
    page = render_to_string("database_away.html")
    return HttpResponse(page, status=503, headers={"Retry-After": "5"})


def is_api(request: HttpRequest) -> bool:
    """Whether the caller is a program."""
    return request.path.startswith(PROGRAMS)
