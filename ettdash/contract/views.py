"""Serving the contract."""

from functools import cache

from django.http import HttpRequest, HttpResponse

from accounts.problems import read_only
from ettdash.contract.document import document, encoded


@read_only
def openapi(_request: HttpRequest) -> HttpResponse:
    """GET /api/v1/openapi.json: to everybody, as it is in the docs."""
    return HttpResponse(
        _content(), content_type="application/json", headers={"Cache-Control": "public, max-age=300"}
    )


@cache
def _content() -> bytes:
    return encoded(document())
