"""What is told of each request: an id, its time, and a line in the log."""

import logging
import time

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from structlog.contextvars import bind_contextvars, clear_contextvars

from accounts.client import address
from ettdash.middleware import Handler
from ettdash.telemetry.ids import HEADER, id_of
from ettdash.telemetry.metrics import REFUSALS, REQUEST_SECONDS

log = structlog.get_logger("ettdash.request")

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
# Asked every few seconds by machines.
QUIET = frozenset(("/healthz", "/readyz", "/metrics", "static"))


class RequestTelemetry:
    """Gives each request an id, times it and writes it down."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        request_id = id_of(request)
        bind_contextvars(request_id=request_id)
        try:
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            _tell(request, response, time.perf_counter() - began)
            return response
        finally:
            # The thread serves others afterwards.
            clear_contextvars()


def _tell(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route, status = _route(request), response.status_code
    method = request.method if request.method in METHODS else "other"
    REQUEST_SECONDS.labels(route, method, f"{status // 100}xx").observe(seconds)
    if status >= 400:
        REFUSALS.labels(route, status).inc()
    level = logging.ERROR if status >= 500 else logging.DEBUG if route in QUIET else logging.INFO
    if logging.getLogger("ettdash.request").isEnabledFor(level):
        log.log(
            level,
            "request",
            method=request.method,
            route=route,
            path=request.path,
            status=status,
            ms=round(seconds * 1000, 2),
            bytes=_size(response),
            client=address(request),
            **_user(request),
        )


def _route(request: HttpRequest) -> str:
    """The pattern that the address fits, never the address itself: there are few of them."""
    match = request.resolver_match
    if match is not None:
        return f"/{match.route}"
    return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"


def _size(response: HttpResponse) -> int | None:
    if not response.streaming:
        return len(response.content)
    length = response.headers.get("Content-Length")
    return int(length) if length else None


def _user(request: HttpRequest) -> dict[str, int]:
    """Who is logged in, if anybody asked: asking here would cost a query."""
    pk = getattr(getattr(request, "_cached_user", None), "pk", None)
    return {} if pk is None else {"user_id": pk}
