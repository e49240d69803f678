"""Whether an ID token can be believed."""

from typing import Any

import jwt
from allauth.socialaccount.providers.oauth2.client import OAuth2Error

# Signatures by a key pair. With a shared secret, whoever checks a token could also have made it.
ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
NEEDED = ["iss", "sub", "aud", "exp", "iat"]
# What the provider's clock and ours may differ by.
LEEWAY_S = 60
# The column that keeps it.
SUBJECT_CHARS = 191


def check(token: Any, keys: dict[str, Any], *, issuer: str, client_id: str) -> dict[str, Any]:
    """The claims of a token that the issuer signed, for us, and that still holds."""
    try:
        key = _key(jwt.PyJWKSet.from_dict(keys), jwt.get_unverified_header(token).get("kid"))
        claims = jwt.decode(
            token, key, ALGORITHMS, {"require": NEEDED}, issuer=issuer, audience=client_id, leeway=LEEWAY_S
        )
    except jwt.PyJWTError as error:
        raise OAuth2Error(f"The ID token does not hold: {error}") from error
    # A token for several clients says which of them asked for it.
    if claims.get("azp", client_id) != client_id:
        raise OAuth2Error("The ID token was made for another client.")
    if not 0 < len(claims["sub"]) <= SUBJECT_CHARS or not claims["sub"].isprintable():
        raise OAuth2Error(f"The ID token's sub must be 1 to {SUBJECT_CHARS} printable characters.")
    return claims


def check_nonce(claims: dict[str, Any], expected: str) -> None:
    """Refuse a token that answers somebody else's question, or an old one of ours."""
    if not expected or claims.get("nonce") != expected:
        raise OAuth2Error("The ID token's nonce is not the one that was sent.")


def _key(keys: jwt.PyJWKSet, kid: str | None) -> jwt.PyJWK:
    """The key that signed: the one of that id, or the only one where no id is given."""
    found = [key for key in keys if key.public_key_use in (None, "sig") and kid in (None, key.key_id)]
    if len(found) != 1:
        raise OAuth2Error("The ID token names no key of the provider.")
    return found[0]
