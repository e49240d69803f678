"""manage.py create_token."""

import hashlib
import io

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Team, Token


def created(*arguments: str) -> str:
    out = io.StringIO()
    call_command("create_token", *arguments, stdout=out)
    return out.getvalue()


def test_token_and_nothing_else_is_printed(db: None) -> None:
    printed = created("trainer", "--team", "vision", "--scope", "write", "--scope", "read")
    secret = printed.removesuffix("\n")
    assert secret.startswith("ett_")
    assert len(secret) == len("ett_") + 43
    token = Token.objects.get()
    assert (token.name, token.team.name, token.scopes) == ("trainer", "vision", ["read", "write"])
    assert bytes(token.digest) == hashlib.sha256(secret.encode()).digest()


def test_team_is_made_once(db: None) -> None:
    assert created("a", "--team", "vision", "--scope", "write") != created(
        "b", "--team", "vision", "--scope", "write"
    )
    assert Team.objects.count() == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["x", "--team", "vision"],
        ["x", "--team", "vision", "--scope", "everything"],
        ["x", "--team", " ", "--scope", "write"],
        ["x", "--team", "t" * 256, "--scope", "write"],
        ["x", "--team", "vision", "--scope", "write", "--expires", "tomorrow"],
        ["x", "--team", "vision", "--scope", "write", "--expires", "2030-01-01T00:00:00"],
        ["x", "--scope", "write"],
    ],
)
def test_wrong_words_are_refused_and_make_nothing(db: None, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        created(*arguments)
    assert not Token.objects.exists()


def test_expiry_is_kept(db: None) -> None:
    created("x", "--team", "vision", "--scope", "write", "--expires", "2030-01-01T00:00:00Z")
    assert str(Token.objects.get().expires_at) == "2030-01-01 00:00:00+00:00"
