"""Refusals as RFC 9457 problem JSON."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

View = Callable[..., HttpResponse]
# As RFC 9110 has them, whatever the Python.
TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **members: Any) -> JsonResponse:
    """A refusal that says in one sentence what is wrong."""
    body = {"type": "about:blank", "title": title(status), "status": status, "detail": detail}
    return JsonResponse(
        body | members, status=status, headers=headers or {}, content_type="application/problem+json"
    )


def title(status: int) -> str:
    """What a status is called."""
    return TITLES.get(status) or HTTPStatus(status).phrase


def database_away() -> JsonResponse:
    """Nothing was stored; the same request may be sent again."""
    return problem(503, "The database does not answer; send the same again.", {"Retry-After": "5"})


def read_only(view: View) -> View:
    """Lets GET and HEAD in; any other method is 405, not a complaint about a form that is none."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request, *args, **kwargs)
        return problem(405, "This is read by GET.", {"Allow": "GET, HEAD"})

    return guarded
