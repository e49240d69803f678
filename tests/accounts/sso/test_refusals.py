"""Who is not let in, and what they are told."""

import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from tests import oidc
from tests.oidc import KEYS_PATH, SECRET, TOKEN_PATH, USERINFO_PATH, Provider, begin, come_back, sign_on

DISCOVERY_PATH = "/.well-known/openid-configuration"


def assert_refused(client: Client, answer: HttpResponse, status: int, word: str) -> None:
    """A plain page with a way back, without a login and without anything secret."""
    text = answer.content.decode()
    assert answer.status_code == status
    assert word in text
    assert 'href="/login/"' in text
    assert "_auth_user_id" not in client.session
    for secret in (SECRET, "Traceback", "eyJ", "s-1", "code="):
        assert secret not in text


def assert_provider_is_blamed(client: Client, answer: HttpResponse) -> None:
    assert_refused(client, answer, 502, "did not answer as it should")
    assert not User.objects.exists()


def test_token_signed_again_by_the_provider_holds(provider: Provider, client: Client) -> None:
    """What the tests below do to a token is refused for what they change in it alone."""
    provider.sign_again({})
    assert sign_on(client, provider, "s-1").status_code == 302


@pytest.mark.parametrize(
    "change",
    [
        {"aud": "another"},
        {"aud": ["another", "third"]},
        {"aud": ["ettdash", "another"], "azp": "another"},
        {"iss": "http://localhost:1"},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"iat": time.time() + 3600},
        {"nonce": "of another login"},
        {"nonce": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "s" * 192},
        {"sub": "s\x00"},
        {"sub": "s-2"},  # while the user info is about s-1
    ],
    ids=str,
)
def test_token_that_is_not_for_this_login_is_refused(
    provider: Provider, client: Client, change: dict[str, Any]
) -> None:
    provider.sign_again(change)
    assert_provider_is_blamed(client, sign_on(client, provider, "s-1"))


def test_token_signed_by_somebody_else_is_refused(provider: Provider, client: Client) -> None:
    provider.sign_again({}, kid=provider.first_key())
    assert_provider_is_blamed(client, sign_on(client, provider, "s-1"))


@pytest.mark.parametrize(
    ("algorithm", "key"), [("none", ""), ("HS256", SECRET * 2), ("HS256", "a shared secret of enough length")]
)
def test_token_without_a_key_pair_is_refused(
    provider: Provider, client: Client, algorithm: str, key: str
) -> None:
    provider.sign_again({}, algorithm=algorithm, key=key)
    assert_provider_is_blamed(client, sign_on(client, provider, "s-1"))


def test_token_of_an_unknown_key_is_refused(provider: Provider, client: Client) -> None:
    provider.sign_again({}, kid="unknown")
    assert_provider_is_blamed(client, sign_on(client, provider, "s-1"))


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (TOKEN_PATH, {}),
        (TOKEN_PATH, {"access_token": "x"}),
        (TOKEN_PATH, {"access_token": "x", "id_token": "not a token", "expires_in": "soon"}),
        (TOKEN_PATH, {"access_token": "x", "id_token": 7}),
        (KEYS_PATH, {}),
        (KEYS_PATH, {"keys": [{"kty": "RSA"}, 7]}),
        (KEYS_PATH, []),
        (USERINFO_PATH, {}),
        (USERINFO_PATH, {"sub": "s-3"}),
        (USERINFO_PATH, "text"),
    ],
)
def test_answer_that_makes_no_sense_is_refused(
    provider: Provider, client: Client, path: str, answer: Any
) -> None:
    provider.spoil[path] = lambda _: answer
    assert_provider_is_blamed(client, sign_on(client, provider, "s-1"))


@pytest.mark.parametrize(
    "change", [{"issuer": "https://id.example.com"}, {"token_endpoint": None}, {"jwks_uri": 7}], ids=str
)
def test_provider_that_describes_itself_wrongly_is_refused(
    provider: Provider, client: Client, change: dict[str, Any]
) -> None:
    provider.spoil[DISCOVERY_PATH] = lambda found: found | change
    answer = client.get("/sso/login/")
    assert_provider_is_blamed(client, answer)  # type: ignore[arg-type]


def test_wrong_client_secret_is_told_to_the_log_alone(
    settings: Settings, provider: Provider, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    registered = oidc.register(provider)
    settings.ETTDASH_SSO = provider.directory(client_id=registered, secret="wrong-" + SECRET)
    assert_provider_is_blamed(client, sign_on(client, provider, "s-1"))
    assert "invalid_client" in caplog.text
    assert SECRET not in caplog.text


def test_provider_that_was_never_there(provider: Provider, settings: Settings, client: Client) -> None:
    settings.ETTDASH_SSO = replace(provider.directory(), issuer="http://localhost:1")
    assert_provider_is_blamed(client, client.get("/sso/login/"))  # type: ignore[arg-type]


def test_provider_that_does_not_come_to_an_end(
    provider: Provider, settings: Settings, client: Client
) -> None:
    settings.SOCIALACCOUNT_REQUESTS_TIMEOUT = 0.2
    waited_enough = threading.Event()
    provider.spoil[DISCOVERY_PATH] = lambda found: found if waited_enough.wait(60) else {}
    assert_provider_is_blamed(client, client.get("/sso/login/"))  # type: ignore[arg-type]
    waited_enough.set()


def test_provider_that_goes_away_in_between(settings: Settings, client: Client, db: None) -> None:
    with oidc.running() as short_lived:
        settings.ETTDASH_SSO = short_lived.directory()
        address = short_lived.authorize(begin(client), "s-1")
    assert_provider_is_blamed(client, come_back(client, address))


def test_login_that_the_person_cancels(provider: Provider, client: Client) -> None:
    begin(client)
    answer = come_back(client, "http://localhost/sso/callback/?error=access_denied&error_description=s-1")
    assert_refused(client, answer, 403, "cancelled")


def test_login_that_the_provider_refuses(provider: Provider, client: Client) -> None:
    begin(client)
    answer = come_back(client, "http://localhost/sso/callback/?error=server_error")
    assert_provider_is_blamed(client, answer)


@pytest.mark.parametrize("query", ["", "?code=x", "?code=x&state=", "?code=x&state=other", "?state=other"])
def test_answer_to_no_question_of_ours(provider: Provider, client: Client, query: str) -> None:
    begin(client)
    answer = come_back(client, f"http://localhost/sso/callback/{query}")
    assert_refused(client, answer, 400, "too old")


def test_answer_to_somebody_elses_question(provider: Provider, client: Client) -> None:
    address = provider.authorize(begin(client), "s-1")
    stranger = Client()
    assert_refused(stranger, come_back(stranger, address), 400, "too old")
    assert come_back(client, address).status_code == 302


def test_answer_holds_once(provider: Provider, client: Client) -> None:
    address = provider.authorize(begin(client), "s-1")
    assert come_back(client, address).status_code == 302
    client.logout()
    assert_refused(client, come_back(client, address), 400, "too old")


def test_deactivated_person(provider: Provider, client: Client) -> None:
    sign_on(client, provider, "s-1")
    User.objects.update(is_active=False)
    assert client.get("/").status_code == 302
    provider.knows("s-1", name="Somebody Else")
    again = Client()
    assert_refused(again, sign_on(again, provider, "s-1"), 403, "deactivated")
    assert User.objects.get().get_full_name() == "Ada Lovelace"
    assert SocialAccount.objects.count() == 1
