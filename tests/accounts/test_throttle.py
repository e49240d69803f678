"""Guessing passwords at the log-in page."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, cast

import pytest
from axes.models import AccessAttempt, AccessLog
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.db.models import F
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from accounts.models import User

PASSWORD, WRONG = "correct horse battery", "wrong"
HOME, ELSEWHERE = "192.0.2.1", "203.0.113.9"


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", password=PASSWORD)


def answer(name: str, password: str = WRONG, peer: str = HOME, **headers: str) -> HttpResponse:
    sent = {"username": name, "password": password}
    client = Client(
        REMOTE_ADDR=peer, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    return cast(HttpResponse, client.post("/login/", sent))


def status(name: str, password: str = WRONG, peer: str = HOME, **headers: str) -> int:
    return answer(name, password, peer, **headers).status_code


def guess(times: int, name: str = "ada", peer: str = HOME) -> list[int]:
    return [status(name, peer=peer) for _ in range(times)]


def pass_time(minutes: float) -> None:
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=minutes))


def test_the_fifth_wrong_password_locks_name_and_address(ada: User) -> None:
    assert guess(6) == [200, 200, 200, 200, 429, 429]
    refused = answer("ada", PASSWORD)
    assert refused.status_code == 429
    assert refused["Retry-After"] == "300"
    assert "Too many wrong passwords" in refused.content.decode()
    assert status("ada", PASSWORD, peer=ELSEWHERE) == 302
    User.objects.create_user("bob", password=PASSWORD)
    assert status("bob", PASSWORD) == 302


@pytest.mark.django_db(transaction=True)
def test_tries_sent_all_at_once_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.create_user("ada", password=PASSWORD)
    looked_at: list[str] = []
    verify = MD5PasswordHasher.verify

    def slow(self: MD5PasswordHasher, password: str, encoded: str) -> bool:
        looked_at.append(password)
        time.sleep(0.05)
        return verify(self, password, encoded)

    def one_try(_n: int) -> int:
        try:
            return status("ada")
        finally:
            connection.close()

    monkeypatch.setattr(MD5PasswordHasher, "verify", slow)
    with ThreadPoolExecutor(8) as tries:
        assert sorted(tries.map(one_try, range(8))) == [200] * 4 + [429] * 4
    assert len(looked_at) == 5


def test_an_old_password_is_guessed_no_more_often(ada: User) -> None:
    client = Client(REMOTE_ADDR=HOME)
    client.force_login(ada)
    form = {"old_password": WRONG, "new_password1": "staple battery", "new_password2": "staple battery"}
    answers = [client.post("/settings/password/", form).status_code for _ in range(5)]
    assert answers == [200, 200, 200, 200, 429]
    assert client.post("/settings/password/", form | {"old_password": PASSWORD}).status_code == 429
    assert status("ada", PASSWORD) == 429
    pass_time(5.1)
    assert client.post("/settings/password/", form | {"old_password": PASSWORD}).status_code == 302


def test_a_lock_ends_by_itself_however_much_is_guessed_meanwhile(ada: User) -> None:
    guess(5)
    pass_time(4.9)
    assert guess(3) == [429, 429, 429]
    pass_time(0.2)
    assert status("ada", PASSWORD) == 302
    assert not AccessAttempt.objects.exists()


def test_a_right_password_resets_the_count(ada: User) -> None:
    for _ in range(3):
        assert guess(4) == [200] * 4
        assert status("ada", PASSWORD) == 302


def test_an_address_that_tries_many_names_is_locked(ada: User) -> None:
    assert status("ada", PASSWORD) == 302
    for n in range(49):
        assert status(f"name-{n}") == 200
    assert [status("name-49"), status("name-50")] == [429, 429]
    User.objects.create_user("bob", password=PASSWORD)
    assert status("bob", PASSWORD) == 429
    assert status("bob", PASSWORD, peer=ELSEWHERE) == 302
    # Who has come from here before is not kept out by strangers.
    assert status("ada", PASSWORD) == 302


def test_logging_in_oneself_does_not_free_an_address_that_guesses(ada: User) -> None:
    for n in range(50):
        status(f"name-{n}")
        if n % 10 == 5:
            assert status("ada", PASSWORD) == 302
    assert status("name-50") == 429


def test_many_addresses_that_try_one_name_are_locked_and_its_owner_is_not(ada: User) -> None:
    assert status("ada", PASSWORD) == 302
    for n in range(6):
        guess(4, peer=f"198.51.100.{n}")
    assert guess(1, peer="198.51.100.99") == [429]
    assert status("ada", PASSWORD, peer=ELSEWHERE) == 429
    assert status("ada", PASSWORD) == 302
    pass_time(5.1)
    assert status("ada", PASSWORD, peer=ELSEWHERE) == 302


def test_a_host_has_all_of_its_ipv6_network(ada: User) -> None:
    assert [status("ada", peer=f"2001:db8::{n}") for n in range(5)][-1] == 429
    assert status("ada", PASSWORD, peer="2001:db8::ffff") == 429
    assert status("ada", PASSWORD, peer="2001:db8:0:1::1") == 302


def test_claims_about_the_address_count_from_trusted_proxies_alone(ada: User, settings: Settings) -> None:
    claimed = [status("ada", X_Forwarded_For=f"198.51.100.{n}") for n in range(5)]
    assert claimed[-1] == 429
    settings.ETTDASH_PROXIES = 1
    assert status("ada", PASSWORD, X_Forwarded_For=ELSEWHERE) == 302
    assert status("ada", PASSWORD, X_Forwarded_For=f"{ELSEWHERE}, {HOME}") == 429


def test_a_name_that_nobody_has_is_answered_alike(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    work: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        work.append(salt)
        return encode(self, password, salt)

    User.objects.create_user("gone", password=PASSWORD, is_active=False)
    User.objects.create_user("new")
    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    told = {}
    for name in ("ada", "nobody", "gone", "new"):
        work.clear()
        page = answer(name).content.decode()
        told[name] = ("do not match" in page, len(work))
    assert set(told.values()) == {(True, 1)}
    assert [status("nobody") for _ in range(4)] == [200, 200, 200, 429]


def test_nothing_that_was_typed_is_kept_or_logged(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    # People type passwords into the wrong field.
    for _ in range(6):
        Client(REMOTE_ADDR=HOME).post(
            "/login/?next=/x-secret",
            {"username": "hunter2-secret", "password": "swordfish-secret", "a": "b-secret"},
        )
    kept: list[dict[str, Any]] = [*AccessAttempt.objects.values(), *AccessLog.objects.values()]
    assert len(kept) == 1
    assert "secret" not in str(kept)
    assert "hunter2" not in caplog.text
    assert "swordfish" not in caplog.text


def test_rows_of_old_attempts_and_logins_go(ada: User) -> None:
    guess(1, "someone", peer=ELSEWHERE)
    pass_time(6)
    status("ada", PASSWORD)
    assert not AccessAttempt.objects.exists()
    AccessLog.objects.update(attempt_time=F("attempt_time") - timedelta(days=31))
    status("ada", PASSWORD)
    assert AccessLog.objects.count() == 1
