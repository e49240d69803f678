"""Keeping secrets out of whatever is written down."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

MASK = "***"
# A shorter one would also be found where it is no secret: a password may be the name of the product.
SHORTEST_KNOWN = 12

_known: set[str] = set()

_NAMES = "password|passwd|secret|authorization|cookie|csrfmiddlewaretoken|api_key|access_token|id_token"
# Whether a text is worth a closer look: nearly none is.
_SUSPICIOUS = re.compile(rf"ett_|://|bearer|[?&]\w+=|-[0-9a-f]{{32}}|{_NAMES}|sessionid", re.IGNORECASE)
_RULES = [
    # The product's own tokens.
    (re.compile(r"ett_[\w-]{16,}"), f"ett_{MASK}"),
    # Links with which somebody sets a password.
    (re.compile(r"\b[0-9a-z]{1,13}-[0-9a-f]{32}\b"), MASK),
    # Passwords in addresses; they may hold anything but a blank and a quote.
    (re.compile(r"(\w://[^\s:/@'\"]*):[^\s'\"]*@"), rf"\1:{MASK}@"),
    # A header's value goes to the end of its line, or of the quotes around it.
    (re.compile(r"(?i)((?:authorization|cookie)['\"]?\s*[:=]\s*)(['\"]).*?\2"), rf"\1\2{MASK}\2"),
    (re.compile(r"(?i)((?:authorization|cookie)\s*[:=]\s*)[^'\"\r\n]+"), rf"\1{MASK}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), rf"\1 {MASK}"),
    (re.compile(rf"(?i)(\w*(?:{_NAMES}|sessionid)\w*['\"]?\s*[:=]\s*)(['\"]).*?\2"), rf"\1\2{MASK}\2"),
    (re.compile(rf"(?i)(\w*(?:{_NAMES}|sessionid)\w*\s*[:=]\s*)[^\s'\",;&)}}\]]+"), rf"\1{MASK}"),
    (re.compile(r"(?i)([?&](?:code|state|token|key)=)[^&\s'\"]+"), rf"\1{MASK}"),
]
_SECRET_KEY = re.compile(rf"(?i){_NAMES}")


def remember(*secrets: str | None) -> None:
    """Hide these wherever they turn up; of an address, its password."""
    for secret in filter(None, secrets):
        word = (urlsplit(secret).password or "") if "://" in secret else secret
        _known.update(form for form in (word, unquote(word)) if len(form) >= SHORTEST_KNOWN)


def masked(text: str) -> str:
    """The text without the secrets in it."""
    for secret in _known:
        if secret in text:
            text = text.replace(secret, MASK)
    if _SUSPICIOUS.search(text):
        for pattern, replacement in _RULES:
            text = pattern.sub(replacement, text)
    return text


def masked_value(value: Any, name: str = "") -> Any:
    """The same for any value that may be logged: what a telling name holds is hidden as a whole."""
    if name and _SECRET_KEY.search(name):
        return MASK
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {masked(str(key)): masked_value(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [masked_value(inner) for inner in value]
    return value if value is None or isinstance(value, int | float) else masked(str(value))
