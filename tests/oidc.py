"""A real OpenID provider on loopback, whose answers a test may spoil."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

import flask
import jwt
import oidc_provider_mock
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from django.http import HttpResponse
from django.test import Client
from jwt.algorithms import RSAAlgorithm
from werkzeug.serving import make_server

from accounts.sso.directory import Directory, Grant

Answer = dict[str, Any]
SPARE = "spare"
SECRET = "the-secret-of-this-client"
TOKEN_PATH, KEYS_PATH, USERINFO_PATH = "/oauth2/token", "/jwks", "/userinfo"


class Provider:
    """The provider; `spoil` holds, by path, what is done to an answer before it is sent."""

    def __init__(self) -> None:
        self.app = oidc_provider_mock.app(require_nonce=True)
        self.app.before_request(self._note)
        self.app.after_request(self._spoil)
        self.server = make_server("localhost", 0, self.app, threaded=True)
        self.issuer = f"http://localhost:{self.server.port}"
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.spoil: dict[str, Callable[[Answer], Answer]] = {}

    def directory(self, *grants: Grant, client_id: str = "ettdash", secret: str = SECRET) -> Directory:
        """This provider, as settings know it."""
        scopes = ("openid", "profile", "email")
        return Directory(self.issuer, client_id, secret, "Example ID", scopes, "groups", grants)

    def knows(self, sub: str, **claims: Any) -> None:
        """From now on there is such a person."""
        requests.put(f"{self.issuer}/users/{sub}", json=claims, timeout=5).raise_for_status()

    def authorize(self, address: str, sub: str) -> str:
        """Where the browser of that person is sent after they have logged in."""
        answer = requests.post(address, data={"sub": sub}, allow_redirects=False, timeout=5)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def sign_again(self, change: Answer, kid: str = SPARE, algorithm: str = "RS256", key: Any = None) -> None:
        """Its ID tokens with these claims changed, signed by its spare key unless told otherwise."""

        def spoiled(answer: Answer) -> Answer:
            claims = jwt.decode(answer["id_token"], options={"verify_signature": False}) | change
            claims = {name: value for name, value in claims.items() if value is not None}
            signed = jwt.encode(claims, self.key if key is None else key, algorithm, headers={"kid": kid})
            return answer | {"id_token": signed}

        self.spoil[TOKEN_PATH] = spoiled

    def first_key(self) -> str:
        """The id of the key that it signs with."""
        return str(requests.get(self.issuer + KEYS_PATH, timeout=5).json()["keys"][0]["kid"])

    def _note(self) -> None:
        sent = dict(flask.request.args) | dict(flask.request.form)
        self.asked.append((flask.request.path, sent))

    def _spoil(self, response: flask.Response) -> flask.Response:
        # Beside a second key, the first would have to be named in each token; some versions do not.
        if flask.request.path == KEYS_PATH and TOKEN_PATH in self.spoil:
            spare = json.loads(RSAAlgorithm.to_jwk(self.key.public_key())) | {"kid": SPARE, "use": "sig"}
            response.set_data(json.dumps({"keys": [*response.get_json()["keys"], spare]}))
        if change := self.spoil.get(flask.request.path):
            response.set_data(json.dumps(change(response.get_json())))
        return response


@contextmanager
def running() -> Iterator[Provider]:
    """A provider that answers until the end, or until its `server.shutdown()`."""
    provider = Provider()
    thread = threading.Thread(target=provider.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield provider
    provider.server.shutdown()
    thread.join()
    provider.server.server_close()


def sign_on(client: Client, provider: Provider, sub: str, next: str = "") -> HttpResponse:
    """What the product answers to a person who logged in at the provider."""
    return come_back(client, provider.authorize(begin(client, next), sub))


def begin(client: Client, next: str = "") -> str:
    """The address at the provider that a login begins with."""
    answer = client.get("/sso/login/", {"next": next} if next else {}, headers={"host": "localhost"})
    assert answer.status_code == 302, answer.content
    return answer["Location"]


def come_back(client: Client, address: str) -> HttpResponse:
    """What the product answers where the provider sends a browser."""
    parts = urlsplit(address)
    assert (parts.netloc, parts.path) == ("localhost", "/sso/callback/")
    answer = client.get(parts.path, dict(parse_qsl(parts.query)), headers={"host": "localhost"})
    return cast(HttpResponse, answer)


def register(provider: Provider) -> str:
    """The id of a client whose secret the provider made itself, and checks."""
    asked = {
        "redirect_uris": ["http://localhost/sso/callback/"],
        "token_endpoint_auth_method": "client_secret_basic",
    }
    answer = requests.post(f"{provider.issuer}/oauth2/clients", json=asked, timeout=5)
    answer.raise_for_status()
    return str(answer.json()["client_id"])
