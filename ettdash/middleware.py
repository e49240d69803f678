"""What holds for every answer."""

from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse

from ettdash.errors import AWAY, database_away, is_api

Handler = Callable[[HttpRequest], HttpResponse]

# Plotly adds a style element of its own and draws its PNGs from blob and data addresses.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


class ContentSecurityPolicy:
    """Scripts come from this host's files alone."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class DatabaseAway:
    """A database that does not answer is a 503 that says so; errors outside views go to errors.py."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Nobody shall fill in a form that cannot be sent. The first question of a page would look as well.
        if not is_api(request):
            try:
                connection.cursor().close()
            except AWAY as error:
                return database_away(request, error)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return database_away(request, exception) if isinstance(exception, AWAY) else None
