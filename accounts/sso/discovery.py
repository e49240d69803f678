"""What a provider says of itself, and asking it anything at all."""

from typing import Any, NotRequired, TypedDict, cast

import msgspec
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.core.cache import cache

WELL_KNOWN = "/.well-known/openid-configuration"
# Who only opens the login page's link does not make us ask the provider each time.
KEPT_S = 600


class Endpoints(TypedDict):
    """The part of a provider's description that we need."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: NotRequired[str]
    token_endpoint_auth_methods_supported: list[str]


def endpoints(issuer: str) -> Endpoints:
    """Where to ask the provider for what; asked once in ten minutes."""
    return cast(Endpoints, cache.get_or_set(f"sso:{issuer}", lambda: _discover(issuer), KEPT_S))


def fetch(url: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """A provider's answer in JSON; it has a few seconds to give it."""
    with get_adapter().get_requests_session() as session:
        response = session.get(url, headers=headers)
        response.raise_for_status()
        answer: dict[str, Any] = _as(dict[str, Any], response.json())
    return answer


def _discover(issuer: str) -> Endpoints:
    # Where a provider does not say how a client proves itself, it is so.
    default = {"token_endpoint_auth_methods_supported": ["client_secret_basic"]}
    found: Endpoints = _as(Endpoints, default | fetch(issuer + WELL_KNOWN))
    if found["issuer"].rstrip("/") != issuer:
        raise OAuth2Error(f"The provider calls itself {found['issuer']!r}, not {issuer!r}.")
    return found


def _as(form: Any, answer: Any) -> Any:
    try:
        return msgspec.convert(answer, form)
    except msgspec.ValidationError as error:
        raise OAuth2Error(f"The provider's answer cannot be read: {error}") from error
