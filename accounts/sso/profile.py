"""What a directory says of a person, in a form that our tables can hold."""

import logging
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

log = logging.getLogger(__name__)

# Shorter than the column: a number may follow, where the name is taken.
USERNAME_CHARS = 140
NAME_CHARS = 150
EMAIL_CHARS = 254


@dataclass(frozen=True, slots=True)
class Profile:
    """A person as their directory knows them."""

    username: str
    first_name: str
    last_name: str
    email: str
    groups: frozenset[str]


def read(claims: Mapping[str, Any], groups_claim: str) -> Profile:
    """The person that these claims describe; what they leave out or garble is empty."""
    email = _email(claims)
    first, _, last = _text(claims, "name").partition(" ")
    return Profile(
        username=_username(claims, email),
        first_name=(_text(claims, "given_name") or first)[:NAME_CHARS],
        last_name=(_text(claims, "family_name") or last)[:NAME_CHARS],
        email=email,
        groups=_groups(claims, groups_claim),
    )


def _text(claims: Mapping[str, Any], name: str) -> str:
    """A claim without what no table and no page could hold, such as NUL and line breaks."""
    value = claims.get(name)
    return "".join(filter(str.isprintable, value)).strip() if isinstance(value, str) else ""


def _email(claims: Mapping[str, Any]) -> str:
    email = _text(claims, "email")
    try:
        validate_email(email)
    except ValidationError:
        return ""
    return email if len(email) <= EMAIL_CHARS else ""


def _username(claims: Mapping[str, Any], email: str) -> str:
    """What they are called, else their mailbox, else their subject, in the characters of a user name."""
    candidates = (_text(claims, "preferred_username"), email.partition("@")[0], _text(claims, "sub"))
    return next((name[:USERNAME_CHARS] for name in map(_plain, candidates) if name), "person")


def _plain(text: str) -> str:
    return re.sub(r"[^\w.@+-]+", "-", unicodedata.normalize("NFKC", text)).strip("-")


def _groups(claims: Mapping[str, Any], name: str) -> frozenset[str]:
    """The person's groups; a directory that tells none at all takes away what they had given."""
    if name not in claims:
        log.warning("The directory sent no claim %r: the person counts as in no group.", name)
    groups = claims.get(name)
    listed = groups if isinstance(groups, list) else [groups]
    return frozenset(group for group in listed if isinstance(group, str))
