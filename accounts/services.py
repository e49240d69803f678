"""Making, checking and revoking tokens."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts import queries
from accounts.audit import record
from accounts.models import AuditEntry, Team, Token, User
from accounts.refused import Refused
from accounts.sql import fetch_prepared

PREFIX = "ett_"
# A busy token would otherwise write its row with each request.
LAST_USED_GRAIN = timedelta(minutes=1)
SENT_BEFORE = "This form has made its token already, and showed it then. Revoke that one if you lost it."


@transaction.atomic
def create_token(
    name: str,
    team: Team | str,
    scopes: Iterable[str],
    expires_at: datetime | None = None,
    *,
    by: User | None = None,
    form_key: UUID | None = None,
) -> tuple[Token, str]:
    """A new token and the secret that nobody sees again; a named team that does not exist yet is made."""
    secret = PREFIX + secrets.token_urlsafe(32)
    owner = team if isinstance(team, Team) else _team_named(team, by)
    token = Token(
        name=name,
        team=owner,
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
        digest=_digest(secret),
        created_by=by,
        form_key=form_key,
    )
    _save_once(token)
    record(by, AuditEntry.Action.TOKEN_MADE, name, team=owner, detail=" ".join(token.scopes))
    return token, secret


def _team_named(name: str, by: User | None) -> Team:
    team, is_new = Team.objects.get_or_create(name=name)
    if is_new:
        record(by, AuditEntry.Action.TEAM_MADE, name, team=team)
    return team


def _save_once(token: Token) -> None:
    try:
        with transaction.atomic():
            token.save()
    except IntegrityError:
        raise Refused(SENT_BEFORE) from None


def find_token(secret: str, now: datetime) -> Token | None:
    """The token behind a secret, if it is neither revoked nor expired; notes that it was used."""
    found = fetch_prepared(queries.BY_DIGEST, {"digest": _digest(secret), "now": now})
    if not found:
        return None
    token_id, team_id, scopes, last_used_at = found[0]
    if last_used_at is None or now - last_used_at > LAST_USED_GRAIN:
        Token.objects.filter(pk=token_id).update(last_used_at=now)
    return Token(pk=token_id, team_id=team_id, scopes=scopes)


@transaction.atomic
def revoke_token(token: Token, now: datetime, by: User | None = None) -> None:
    """From now on the token opens nothing."""
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        record(by, AuditEntry.Action.TOKEN_REVOKED, token.name, team=token.team)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
