"""Requests that no client library would send, byte by byte, to the product behind gunicorn."""

import json
import socket
from email.parser import BytesHeaderParser

import pytest

from tests.launcher.running import Launcher, create_token

JSON = b"Content-Type: application/json\r\n"
CHUNKED = JSON + b"Transfer-Encoding: chunked\r\n"


@pytest.fixture(scope="module")
def token(product: Launcher) -> bytes:
    return create_token(product.data_dir, "vision").encode()


def ask(product: Launcher, request: bytes) -> tuple[int, str, bytes]:
    """Status, content type and the whole answer."""
    with socket.create_connection(("127.0.0.1", product.port), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, _ = answer.partition(b"\r\n\r\n")
    line, _, fields = head.partition(b"\r\n")
    return int(line.split()[1]), BytesHeaderParser().parsebytes(fields)["Content-Type"], answer


def post(
    token: bytes, headers: bytes, body: bytes, path: bytes = b"/api/v1/events", host: bytes = b"localhost"
) -> bytes:
    """A POST as it goes over the wire."""
    length = b"" if b"chunked" in headers else b"Content-Length: %d\r\n" % len(body)
    lines = b"POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"
    return lines % (path, host, token) + headers + length + b"\r\n" + body


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        (JSON, b"[]", 200),
        (b"", b"[]", 200),
        (b"Content-Type: application/json;\r\n", b"[]", 200),
        (CHUNKED, b"2\r\n[]\r\n0\r\n\r\n", 200),
        (JSON + b"Ettdash-Sent-At: \xff1e999\r\n", b"[]", 200),
        (JSON + b"Cookie: \xff=\xff; =\r\nX-Request-ID: \xff\r\n", b"[]", 200),
        (CHUNKED, b"zz\r\n[]\r\n0\r\n\r\n", 400),
        (CHUNKED, b"5\r\n[]", 400),
        (JSON + b"Content-Encoding: gzip\r\n", b"[]", 400),
        (JSON + b"Content-Encoding: \xff\r\n", b"[]", 415),
        (b"Content-Type: \xff\xfe\r\n", b"[]", 415),
        (b"Content-Type: multipart/form-data\r\n", b"[]", 415),
        (b"Content-Type: application/json; charset=hex\r\n", b"[]", 415),
        (b"Content-Type: application/json; x*=bogus''a\r\n", b"[]", 415),
    ],
)
def test_the_sender_is_told_and_never_500(
    product: Launcher, token: bytes, headers: bytes, body: bytes, status: int
) -> None:
    answered, kind, _ = ask(product, post(token, headers, body))
    assert (answered, kind) == (status, "application/json" if status == 200 else "application/problem+json")


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        (b"/api/v1/events?a=%41%ff%00", b"localhost", 415),
        (b"/api/v1/%00", b"localhost", 404),
        (b"/api/v1/%ff", b"localhost", 404),
        (b"/api/v1/events/", b"localhost", 404),
        (b"/api/v1/events", b"elsewhere.example", 400),
        (b"/api/v1/events", b"\xff", 400),
    ],
)
def test_odd_addresses(product: Launcher, token: bytes, path: bytes, host: bytes, status: int) -> None:
    headers = b"Content-Type: application/json; charset=undefined\r\n"
    answered, kind, answer = ask(product, post(token, headers, b"[]", path, host))
    assert (answered, kind) == (status, "application/problem+json")
    assert b"X-Request-ID: " in answer


@pytest.mark.parametrize("path", [b"/login/", b"/"])
def test_pages_bear_it_too(product: Launcher, path: bytes) -> None:
    headers = b"Content-Type: application/x-www-form-urlencoded; charset=hex\r\n"
    assert ask(product, post(b"x", headers, b"a=%41", path))[0] in (302, 403, 405)


def test_the_contract_over_the_wire_is_whole(product: Launcher) -> None:
    _, _, answer = ask(
        product, b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["openapi"] == "3.1.0"
