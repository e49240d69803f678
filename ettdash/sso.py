"""Single sign-on as the environment describes it: docs/sso.md."""

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from accounts.sso.directory import ROLES, Directory, Grant
from ettdash.env import env_list, env_secret

FLEET = "*"
# The columns that keep them.
ISSUER_CHARS = 200
TEAM_CHARS = 255
WHOLE = ("ETTDASH_OIDC_ISSUER", "ETTDASH_OIDC_CLIENT_ID", "ETTDASH_OIDC_CLIENT_SECRET")


def directory() -> Directory | None:
    """The directory whose people may come in; None where the environment names none."""
    issuer, client_id, secret = (
        os.environ.get("ETTDASH_OIDC_ISSUER", "").strip(),
        os.environ.get("ETTDASH_OIDC_CLIENT_ID", "").strip(),
        env_secret("ETTDASH_OIDC_CLIENT_SECRET") or "",
    )
    groups = env_list("ETTDASH_OIDC_GROUPS")
    if not any((issuer, client_id, secret, groups)):
        return None
    _need_all(dict(zip(WHOLE, (issuer, client_id, secret), strict=True)))
    return Directory(
        issuer=_issuer(issuer),
        client_id=client_id,
        secret=secret,
        name=os.environ.get("ETTDASH_OIDC_NAME", "").strip() or "single sign-on",
        scopes=_scopes(os.environ.get("ETTDASH_OIDC_SCOPES", "")),
        groups_claim=os.environ.get("ETTDASH_OIDC_GROUPS_CLAIM", "").strip() or "groups",
        grants=tuple(_grant(entry) for entry in groups),
    )


def _need_all(values: dict[str, str]) -> None:
    missing = [name for name, value in values.items() if not value]
    if missing:
        raise ImproperlyConfigured(f"Single sign-on needs {' and '.join(missing)} too.")


def _issuer(text: str) -> str:
    """An address that nobody on the way can change: https, or on this very host."""
    if not _is_safe(text) or "?" in text or "#" in text or len(text) > ISSUER_CHARS:
        raise ImproperlyConfigured(f"ETTDASH_OIDC_ISSUER must be an https address, not {text!r}.")
    return text.rstrip("/")


def _is_safe(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        here = host == "localhost" or (parts.scheme == "http" and ip_address(host).is_loopback)
    except ValueError:
        return False
    return (parts.scheme == "https" and bool(host)) or (parts.scheme == "http" and here)


def _scopes(text: str) -> tuple[str, ...]:
    scopes = tuple(text.replace(",", " ").split()) or ("openid", "profile", "email")
    if "openid" not in scopes:
        raise ImproperlyConfigured("ETTDASH_OIDC_SCOPES must name openid.")
    return scopes


def _grant(entry: str) -> Grant:
    """`group=team:role`, or `group=*:role` for the whole fleet."""
    rest, _, role = (part.strip() for part in entry.rpartition(":"))
    group, _, team = (part.strip() for part in rest.rpartition("="))
    if not group or not team or role not in ROLES or len(team) > TEAM_CHARS or not team.isprintable():
        raise ImproperlyConfigured(
            f"ETTDASH_OIDC_GROUPS must be group=team:role between commas, the role one of {', '.join(ROLES)};"
            f" {entry!r} is not."
        )
    if team == FLEET and role == "operator":
        raise ImproperlyConfigured(f"ETTDASH_OIDC_GROUPS: the fleet has viewers and admins, not {entry!r}.")
    return Grant(group, None if team == FLEET else team, role)
