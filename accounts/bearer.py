"""Bearer tokens at the door of the API."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from structlog.contextvars import bind_contextvars

from accounts.models import Token
from accounts.problems import problem
from accounts.services import find_token

View = Callable[..., HttpResponse]
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="ettdash"'}


def needs_scope(scope: Token.Scope) -> Callable[[View], View]:
    """Hands the view its caller's token; 401 without a valid one, 403 where it lacks the scope."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not secret.strip():
                return problem(401, "Send a token: Authorization: Bearer ett_….", CHALLENGE)
            token = find_token(secret.strip(), timezone.now())
            if token is None:
                return problem(401, "The token is unknown, revoked or expired.", CHALLENGE)
            # Every line that the request leaves in the log tells whose it was.
            bind_contextvars(token_id=token.pk, team_id=token.team_id)
            if scope not in token.scopes:
                return problem(403, f"The token lacks the scope `{scope}`.")
            return view(request, token, *args, **kwargs)

        return guarded

    return decorate
