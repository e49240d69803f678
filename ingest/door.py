"""What every call that takes something in does at its door."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from accounts.bearer import needs_scope
from accounts.models import Token
from accounts.problems import problem
from ingest.body import Refused, drain

View = Callable[[HttpRequest, Token], HttpResponse]


def door(what: str) -> Callable[[View], Callable[[HttpRequest], HttpResponse]]:
    """Lets a POST with a write token in; a refusal becomes problem JSON, and the body is read to its end."""

    def decorate(view: View) -> Callable[[HttpRequest], HttpResponse]:
        @needs_scope(Token.Scope.WRITE)
        def taken_in(request: HttpRequest, token: Token) -> HttpResponse:
            try:
                return view(request, token)
            except Refused as refusal:
                return problem(refusal.status, refusal.detail, refusal.headers, **refusal.members)

        @csrf_exempt
        @wraps(view)
        def opened(request: HttpRequest) -> HttpResponse:
            if request.method != "POST":
                return problem(405, f"{what} are sent by POST.", {"Allow": "POST"})
            response = taken_in(request)
            if response.status_code >= 400:
                drain(request)
            return response

        return opened

    return decorate
