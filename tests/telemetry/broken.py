"""Addresses that break, each in its way, beside those of the product."""

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from ettdash.middleware import Handler
from ettdash.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500"]


def broken(request: HttpRequest) -> HttpResponse:
    """Breaks with all that the caller said in its words, and as its local variable."""
    secret = request.headers.get("Authorization", "")
    raise RuntimeError(f"Authorization: {secret} for {request.headers.get('Cookie')}")


def named(request: HttpRequest, name: str) -> HttpResponse:
    """Answers with nothing, whatever the name."""
    return HttpResponse(name)


class SessionsGone:
    """Middleware whose database is away, once the view has answered."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.get_response(request)
        raise OperationalError("connection to postgresql://ettdash:hunter2@db/ettdash failed")


urlpatterns = [
    path("api/v1/broken", broken),
    path("broken", broken),
    path("named/<str:name>", named),
    path("", include("ettdash.urls")),
]
