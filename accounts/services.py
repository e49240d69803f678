"""Making, checking and revoking tokens."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from accounts import queries
from accounts.models import Team, Token, User
from accounts.sql import fetch_prepared

PREFIX = "ett_"
# A busy token would otherwise write its row with each request.
LAST_USED_GRAIN = timedelta(minutes=1)


def create_token(
    name: str, team: str, scopes: Iterable[str], expires_at: datetime | None = None
) -> tuple[Token, str]:
    """A new token and the secret that nobody sees again; a team that does not exist yet is made."""
    secret = PREFIX + secrets.token_urlsafe(32)
    owner, _ = Team.objects.get_or_create(name=team)
    token = Token.objects.create(
        name=name, team=owner, scopes=sorted(set(scopes)), expires_at=expires_at, digest=_digest(secret)
    )
    return token, secret


def find_token(secret: str, now: datetime) -> Token | None:
    """The token behind a secret, if it is neither revoked nor expired; notes that it was used."""
    found = fetch_prepared(queries.BY_DIGEST, {"digest": _digest(secret), "now": now})
    if not found:
        return None
    token_id, team_id, scopes, last_used_at = found[0]
    if last_used_at is None or now - last_used_at > LAST_USED_GRAIN:
        Token.objects.filter(pk=token_id).update(last_used_at=now)
    return Token(pk=token_id, team_id=team_id, scopes=scopes)


def revoke_token(token: Token, now: datetime) -> None:
    """From now on the token opens nothing."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)


def visible_teams(user: User | AnonymousUser) -> QuerySet[Team]:
    """The teams whose data a person may see."""
    if user.is_superuser:
        return Team.objects.all()
    return Team.objects.filter(members=user.pk) if user.pk else Team.objects.none()


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
