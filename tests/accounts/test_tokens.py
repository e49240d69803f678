"""Making and revoking tokens in somebody's name."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import AuditEntry, Team, Token, User
from accounts.refused import Refused
from accounts.services import create_token, find_token, revoke_token


def told() -> list[tuple[str, str, str, str]]:
    rows = AuditEntry.objects.order_by("pk")
    return [(row.actor_name, row.action, row.subject, row.detail) for row in rows]


def test_who_made_and_revoked_a_token_is_kept(team: Team, ada: User) -> None:
    token, secret = create_token("trainer", team, ["write", "read"], by=ada)
    revoke_token(token, timezone.now(), ada)
    revoke_token(token, timezone.now(), ada)
    assert Token.objects.get().created_by == ada
    assert find_token(secret, timezone.now()) is None
    assert told() == [
        ("ada", "token_made", "trainer", "read write"),
        ("ada", "token_revoked", "trainer", ""),
    ]
    assert not any(secret in " ".join(row) for row in told())


def test_the_command_line_has_a_name_too(db: None) -> None:
    create_token("trainer", "vision", ["write"])
    assert told() == [
        ("command line", "team_made", "vision", ""),
        ("command line", "token_made", "trainer", "write"),
    ]


def test_a_form_makes_one_token(team: Team, ada: User) -> None:
    key = uuid4()
    create_token("trainer", team, ["write"], by=ada, form_key=key)
    with pytest.raises(Refused, match="already"):
        create_token("trainer", team, ["write"], by=ada, form_key=key)
    assert Token.objects.count() == 1
    assert len(told()) == 1
