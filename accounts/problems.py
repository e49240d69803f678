"""Refusals as RFC 9457 problem JSON."""

from http import HTTPStatus
from typing import Any

from django.http import JsonResponse


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **members: Any) -> JsonResponse:
    """A refusal that says in one sentence what is wrong."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JsonResponse(
        body | members, status=status, headers=headers or {}, content_type="application/problem+json"
    )


def database_away() -> JsonResponse:
    """Nothing was stored; the same request may be sent again."""
    return problem(503, "The database does not answer; send the same again.", {"Retry-After": "5"})
