"""Single sign-on as the environment describes it."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from accounts.sso.directory import Grant
from ettdash import sso

WHOLE = {
    "ETTDASH_OIDC_ISSUER": "https://id.example.com/realms/main/",
    "ETTDASH_OIDC_CLIENT_ID": "ettdash",
    "ETTDASH_OIDC_CLIENT_SECRET": "not for everybody",
}
OTHERS = (
    "ETTDASH_OIDC_CLIENT_SECRET_FILE",
    "ETTDASH_OIDC_NAME",
    "ETTDASH_OIDC_SCOPES",
    "ETTDASH_OIDC_GROUPS_CLAIM",
    "ETTDASH_OIDC_GROUPS",
)


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment that names a directory and leaves the rest to us."""
    for name in OTHERS:
        monkeypatch.delenv(name, raising=False)
    for name, value in WHOLE.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def test_three_variables_are_enough(whole: pytest.MonkeyPatch) -> None:
    found = sso.directory()
    assert found is not None
    assert (found.issuer, found.client_id) == ("https://id.example.com/realms/main", "ettdash")
    assert (found.name, found.groups_claim, found.grants) == ("single sign-on", "groups", ())
    assert found.scopes == ("openid", "profile", "email")
    assert "not for everybody" not in repr(found)


def test_nothing_set_is_no_directory(whole: pytest.MonkeyPatch) -> None:
    for name in WHOLE:
        whole.setenv(name, "")
    assert sso.directory() is None


@pytest.mark.parametrize("missing", WHOLE)
def test_half_a_directory_names_what_is_missing(whole: pytest.MonkeyPatch, missing: str) -> None:
    whole.delenv(missing)
    with pytest.raises(ImproperlyConfigured, match=rf"needs {missing} too\.$"):
        sso.directory()


def test_groups_without_a_directory_are_half_of_one(whole: pytest.MonkeyPatch) -> None:
    for name in WHOLE:
        whole.delenv(name)
    whole.setenv("ETTDASH_OIDC_GROUPS", "sre=*:viewer")
    with pytest.raises(ImproperlyConfigured, match="ETTDASH_OIDC_ISSUER and ETTDASH_OIDC_CLIENT_ID"):
        sso.directory()


@pytest.mark.parametrize(
    "issuer",
    ["http://localhost:8080/realms/x", "http://127.0.0.1:1", "http://[::1]:9000", "https://id.example.com"],
)
def test_issuer_is_encrypted_or_on_this_host(whole: pytest.MonkeyPatch, issuer: str) -> None:
    whole.setenv("ETTDASH_OIDC_ISSUER", issuer)
    found = sso.directory()
    assert found is not None
    assert found.issuer == issuer


@pytest.mark.parametrize(
    "issuer",
    [
        "http://id.example.com",
        "http://localhost.example.com",
        "id.example.com",
        "ftp://localhost",
        "https://",
        "https://id.example.com/?tenant=1",
        "https://id.example.com/" + "x" * 200,
        "https://[id",
    ],
)
def test_other_issuers_stop_the_start(whole: pytest.MonkeyPatch, issuer: str) -> None:
    whole.setenv("ETTDASH_OIDC_ISSUER", issuer)
    with pytest.raises(ImproperlyConfigured, match="ETTDASH_OIDC_ISSUER must be"):
        sso.directory()


def test_groups_become_grants(whole: pytest.MonkeyPatch) -> None:
    whole.setenv("ETTDASH_OIDC_GROUPS", "ml-infra=vision:admin, sre=*:viewer,/org/a=b = r:d : operator ,")
    found = sso.directory()
    assert found is not None
    assert found.grants == (
        Grant("ml-infra", "vision", "admin"),
        Grant("sre", None, "viewer"),
        Grant("/org/a=b", "r:d", "operator"),
    )


@pytest.mark.parametrize(
    "entry",
    ["ml-infra", "ml-infra=vision", "=vision:admin", "a=:admin", "a=b:owner", "a=b:", "sre=*:operator"],
)
def test_malformed_entry_is_named(whole: pytest.MonkeyPatch, entry: str) -> None:
    whole.setenv("ETTDASH_OIDC_GROUPS", f"sre=*:viewer,{entry}")
    with pytest.raises(ImproperlyConfigured, match="ETTDASH_OIDC_GROUPS") as stopped:
        sso.directory()
    assert repr(entry) in str(stopped.value)
    assert len(str(stopped.value).splitlines()) == 1


def test_scopes_go_without_no_openid(whole: pytest.MonkeyPatch) -> None:
    whole.setenv("ETTDASH_OIDC_SCOPES", "openid, groups  email")
    found = sso.directory()
    assert found is not None
    assert found.scopes == ("openid", "groups", "email")
    whole.setenv("ETTDASH_OIDC_SCOPES", "profile")
    with pytest.raises(ImproperlyConfigured, match="ETTDASH_OIDC_SCOPES"):
        sso.directory()
