"""Health checks and scrapers."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

PATHS = ("/healthz", "/readyz", "/metrics")


class ProbesComeByAddress:
    """They call a container by its address, not by the site's name: for them the host does not matter."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path in PATHS:
            request.META["HTTP_HOST"] = "localhost"
        return self.get_response(request)
