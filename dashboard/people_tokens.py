"""Pages of a team's tokens. A secret is the answer to the form that asked for it, and nothing keeps it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import Role, caller, needs_role
from accounts.models import Team, Token, User
from accounts.services import create_token, revoke_token
from dashboard import welcome
from dashboard.people_answers import accepted
from dashboard.people_forms import NewToken


@needs_role(Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def make_token(request: HttpRequest, team: Team) -> HttpResponse:
    """Asks what the token is for, then shows it, once."""
    form = NewToken(request.POST) if request.method == "POST" else NewToken()
    made = accepted(form, lambda: _made(form, team, caller(request))) if form.is_valid() else None
    if made is None:
        return render(request, "settings/token_new.html", {"team": team, "form": form})
    token, secret = made
    return render(request, "settings/token_made.html", _shown(request, token, secret))


@needs_role(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def revoke(request: HttpRequest, team: Team, token_id: int) -> HttpResponse:
    """Asks, then ends a token."""
    token = get_object_or_404(Token.objects.select_related("team"), team=team, pk=token_id)
    if request.method != "POST":
        return render(request, "settings/token_revoke.html", {"team": team, "token": token})
    revoke_token(token, timezone.now(), caller(request))
    messages.success(request, f"The token {token.name} is revoked: it opens nothing any more.")
    return redirect("team", team.pk)


def _made(form: NewToken, team: Team, by: User) -> tuple[Token, str]:
    asked = form.cleaned_data
    return create_token(
        asked["name"], team, asked["scopes"], asked["expires_on"], by=by, form_key=asked["form_key"]
    )


def _shown(request: HttpRequest, token: Token, secret: str) -> dict[str, object]:
    address = request.build_absolute_uri("/")
    event = welcome.lesson(address, token.team.name, timezone.now()).event
    can_write = Token.Scope.WRITE in token.scopes
    use = f"TOKEN={secret}\n{event}" if can_write else ""
    return {"team": token.team, "token": token, "secret": secret, "use": use}
