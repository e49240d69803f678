"""Who a directory's person is here."""

import base64
import hashlib
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.test import Client
from pytest_django import Settings

from accounts.models import AuditEntry, User
from tests.oidc import Provider, begin, come_back, sign_on


def test_person_is_made_on_first_sight(provider: Provider, client: Client) -> None:
    answer = sign_on(client, provider, "s-1")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    (ada,) = User.objects.all()
    assert (ada.username, ada.get_full_name(), ada.email) == ("ada", "Ada Lovelace", "ada@example.com")
    assert not ada.has_usable_password()
    assert (ada.is_superuser, ada.is_fleet_viewer, ada.is_staff) == (False, False, False)
    assert client.session["_auth_user_id"] == str(ada.pk)
    (entry,) = AuditEntry.objects.all()
    assert (entry.actor_name, entry.action, entry.subject) == ("single sign-on", "person_made", "ada")


def test_nothing_of_the_provider_is_kept_but_who_it_was(provider: Provider, client: Client) -> None:
    sign_on(client, provider, "s-1")
    (account,) = SocialAccount.objects.all()
    assert (account.provider, account.uid, account.extra_data) == (provider.issuer, "s-1", {})
    assert not SocialToken.objects.exists()
    assert not EmailAddress.objects.exists()


def test_second_login_finds_the_same_person_and_refreshes_them(provider: Provider, client: Client) -> None:
    sign_on(client, provider, "s-1")
    provider.knows("s-1", preferred_username="countess", name="Ada King", email="king@example.com")
    sign_on(Client(), provider, "s-1")
    (ada,) = User.objects.all()
    assert (ada.username, ada.get_full_name(), ada.email) == ("ada", "Ada King", "king@example.com")


def test_local_account_of_the_same_name_and_email_is_not_taken_over(
    provider: Provider, client: Client
) -> None:
    local = User.objects.create_user("Ada", "ada@example.com", "correct horse battery")
    sign_on(client, provider, "s-1")
    newcomer = User.objects.exclude(pk=local.pk).get()
    assert newcomer.username == "ada-2"
    assert client.session["_auth_user_id"] == str(newcomer.pk)
    local.refresh_from_db()
    assert local.check_password("correct horse battery")


def test_same_subject_of_another_issuer_is_somebody_else(provider: Provider, client: Client) -> None:
    other = User.objects.create_user("other")
    SocialAccount.objects.create(user=other, provider="https://id.example.com", uid="s-1")
    sign_on(client, provider, "s-1")
    assert client.session["_auth_user_id"] != str(other.pk)


@pytest.mark.parametrize(
    ("claims", "username"),
    [
        ({"email": "grace@example.com"}, "grace"),
        ({"preferred_username": "grace hopper/navy"}, "grace-hopper-navy"),
        ({"preferred_username": "grace\x00\n", "email": "not an address", "name": "G\x00"}, "grace"),
        ({"preferred_username": "g" * 400}, "g" * 140),
        ({"preferred_username": 7, "name": ["Grace"], "groups": {"a": 1}}, "s-2"),
        ({}, "s-2"),
    ],
)
def test_user_name_comes_from_what_there_is(
    provider: Provider, client: Client, claims: dict[str, object], username: str
) -> None:
    provider.knows("s-2", **claims)
    assert sign_on(client, provider, "s-2").status_code == 302
    assert User.objects.get().username == username


def test_claims_may_come_by_user_info_alone(provider: Provider, client: Client) -> None:
    provider.sign_again({"preferred_username": None, "name": None, "email": None})
    sign_on(client, provider, "s-1")
    assert User.objects.get().username == "ada"


@pytest.mark.parametrize("wanted", ["/?weight=wall", "/settings/"])
def test_next_is_kept(provider: Provider, client: Client, wanted: str) -> None:
    assert sign_on(client, provider, "s-1", next=wanted)["Location"] == wanted


@pytest.mark.parametrize("wanted", ["https://evil.example.com/", "//evil.example.com", "javascript:alert(1)"])
def test_only_addresses_of_ours_are_followed(provider: Provider, client: Client, wanted: str) -> None:
    assert sign_on(client, provider, "s-1", next=wanted)["Location"] == "/"


def test_caller_cannot_add_to_the_question(provider: Provider, client: Client) -> None:
    spoiled = {"process": "connect", "scope": "admin", "auth_params": "prompt=none", "action": "rerequest"}
    somebody = User.objects.create_user("somebody")
    client.force_login(somebody)
    address = client.get("/sso/login/", spoiled, headers={"host": "localhost"})["Location"]
    asked = parse_qs(urlsplit(address).query)
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}
    assert "prompt" not in asked
    come_back(client, provider.authorize(address, "s-1"))
    assert not SocialAccount.objects.filter(user=somebody).exists()
    assert client.session["_auth_user_id"] != str(somebody.pk)


def test_code_is_bound_to_who_asked_for_it(provider: Provider, client: Client) -> None:
    asked = parse_qs(urlsplit(begin(client)).query)
    sign_on(client, provider, "s-1")
    ((_, sent),) = [(path, sent) for path, sent in provider.asked if path == "/oauth2/token"]
    (question,) = [sent for path, sent in provider.asked if path == "/oauth2/authorize"]
    digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
    assert question["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert question["code_challenge_method"] == "S256"
    # No two logins share anything.
    for name in ("state", "nonce", "code_challenge"):
        assert question[name] not in asked[name]


def test_session_gets_another_key_at_the_login(provider: Provider, client: Client) -> None:
    address = begin(client)
    before = client.session.session_key
    come_back(client, provider.authorize(address, "s-1"))
    assert client.session.session_key != before


def test_without_a_directory_there_is_nothing(client: Client, settings: Settings, db: None) -> None:
    settings.ETTDASH_SSO = None
    assert client.get("/sso/login/").status_code == 404
    assert client.get("/sso/callback/").status_code == 404
    assert b"/sso/" not in client.get("/login/").content


def test_only_these_addresses_of_allauth_are_there(provider: Provider, client: Client) -> None:
    for path in ("/sso/", "/sso/signup/", "/sso/connections/", "/accounts/login/", "/sso/login/callback/"):
        assert client.get(path).status_code == 404
    assert client.post("/sso/login/").status_code == 405
    assert client.post("/sso/callback/").status_code == 405
