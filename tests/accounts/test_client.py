"""Where a request comes from."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from accounts.client import address


def seen(peer: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))


def test_without_trusted_proxies_nobody_says_where_they_come_from() -> None:
    assert seen("192.0.2.1", "203.0.113.9") == "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "10.9.9.9, 203.0.113.9", "203.0.113.9"),
        (2, "10.9.9.9, 203.0.113.9, 192.0.2.7", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, None, "192.0.2.1"),
        (1, "'; DROP TABLE", "192.0.2.1"),
        (1, "2001:DB8::0001", "2001:db8::1"),
        (1, "fe80::1%eth0", "fe80::1"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
    ],
)
def test_each_trusted_proxy_adds_its_caller_on_the_right(
    settings: Settings, proxies: int, forwarded: str | None, expected: str
) -> None:
    settings.ETTDASH_PROXIES = proxies
    assert seen("192.0.2.1", forwarded) == expected


def test_a_socket_has_no_address() -> None:
    assert seen("") == ""
