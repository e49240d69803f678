"""What the API and the pages say where there is nothing, or something broke."""

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from accounts.problems import problem


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404 in the caller's own format."""
    if is_api(request):
        return problem(404, f"There is nothing at {request.path}.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 in the caller's own format; what broke is in the log."""
    if is_api(request):
        return problem(500, "Something broke here; it is in the server's log.")
    return defaults.server_error(request)


def is_api(request: HttpRequest) -> bool:
    """Whether the caller is a program."""
    return request.path.startswith("/api/")
