"""Each refusal and limit of the wire format: status, shape, and that nothing else is lost."""

import gzip
import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import Token
from accounts.services import create_token, revoke_token
from ingest.models import Event
from tests.trainer import EVENTS, Trainer, event, zstd_compress

DAY = 86_400


def problem(response: HttpResponse, status: int) -> str:
    """The sentence of a problem JSON of this status."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    told: dict[str, Any] = json.loads(response.content)
    assert told["status"] == status
    assert told["title"]
    assert told["type"]
    assert not Event.objects.exists()
    return str(told["detail"])


def fault(trainer: Trainer, bad: Any, t0: float) -> dict[str, Any]:
    """The fault of one bad event; the good ones around it must be kept."""
    response = trainer.post([event("heartbeat", t0, job="before"), bad, event("heartbeat", t0, job="after")])
    answer = json.loads(response.content)
    assert (response.status_code, answer["accepted"], answer["rejected"]) == (200, 2, 1), answer
    assert sorted(Event.objects.values_list("job__name", flat=True)) == ["after", "before"]
    (error,) = answer["errors"]
    assert error["index"] == 1
    found: dict[str, Any] = error
    return found


# Bodies.


@pytest.mark.parametrize(
    "garbage",
    [b"", b"hello", b"[", b'[{"id": 1]', b"[1,]", b"{}", b'{"events": 7}', b"7", b'"x"', b"null", b"[] []",
     b"[NaN]", b"[" * 5000 + b"]" * 5000, b'[{"attrs": ' + b"[" * 5000 + b"]" * 5000 + b"}]", b"\xff\xfe[]"],
)  # fmt: skip
def test_body_that_is_not_json_is_400(trainer: Trainer, garbage: bytes) -> None:
    problem(trainer.post(garbage), 400)


def test_ndjson_without_one_line_of_json_is_400(trainer: Trainer) -> None:
    problem(trainer.post(b"hello\nworld\n", "application/x-ndjson"), 400)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_broken_compression_is_400(trainer: Trainer, encoding: str) -> None:
    whole = json.dumps([event("heartbeat", 1)] * 50).encode()
    packed = gzip.compress(whole) if encoding == "gzip" else zstd_compress(whole)
    for broken in (b"no " + packed, packed[:-5], packed + b"tail"):
        problem(trainer.post(broken, **{"Content-Encoding": encoding}), 400)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/xml",
        "application/json; charset=utf-16",
    ],
)
def test_unknown_content_type_is_415(trainer: Trainer, kind: str) -> None:
    problem(trainer.post(b"[]", kind), 415)


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip"])
def test_unknown_encoding_is_415(trainer: Trainer, encoding: str) -> None:
    problem(trainer.post(b"[]", **{"Content-Encoding": encoding}), 415)


def test_body_over_5_mib_is_413(trainer: Trainer) -> None:
    assert "5 MiB" in problem(trainer.post(b"[" + b" " * (5 * 1024 * 1024) + b"]"), 413)


@pytest.mark.parametrize("pack", [("gzip", gzip.compress), ("zstd", zstd_compress)])
def test_bomb_is_413_and_never_unpacked(trainer: Trainer, pack: tuple[str, Any]) -> None:
    encoding, compress = pack
    bomb = compress(b"[" + b" " * (200 * 1024 * 1024) + b"]")
    assert "20 MiB" in problem(trainer.post(bomb, **{"Content-Encoding": encoding}), 413)


def test_body_of_exactly_20_mib_is_unpacked(trainer: Trainer, t0: float) -> None:
    text = json.dumps([event("heartbeat", t0)]).encode()
    padded = gzip.compress(text + b" " * (20 * 1024 * 1024 - len(text)))
    assert trainer.post(padded, **{"Content-Encoding": "gzip"}).status_code == 200


def test_more_than_5000_events_are_413(trainer: Trainer) -> None:
    assert "5000" in problem(trainer.post(b"[" + b",".join([b"{}"] * 5001) + b"]"), 413)


def test_other_methods_are_405(client: Client, db: None) -> None:
    for method in ("get", "put", "delete", "patch"):
        response = getattr(client, method)(EVENTS)
        problem(response, 405)
        assert response["Allow"] == "POST"


# Tokens.


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic abc", "Bearer ett_wrong", "Bearer ett_\x7f"]
)
def test_no_or_wrong_token_is_401(trainer: Trainer, header: str) -> None:
    response = trainer.post([], Authorization=header)
    problem(response, 401)
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_revoked_and_expired_tokens_are_401(trainer: Trainer, client: Client) -> None:
    revoke_token(trainer.token, timezone.now())
    problem(trainer.post([]), 401)
    token, secret = create_token("old", "vision", ["write"], timezone.now() - timedelta(seconds=1))
    problem(Trainer(client, token, secret).post([]), 401)


def test_token_without_the_scope_is_403(client: Client, db: None) -> None:
    assert "write" in problem(Trainer.of_team("vision", client, "read", "admin").post([]), 403)


def test_last_use_is_noted(trainer: Trainer) -> None:
    trainer.post([])
    assert Token.objects.get().last_used_at is not None


# Events.


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"id": None}, "bad_id", "id"),
        ({"id": "abc"}, "bad_id", "UUID"),
        ({"id": 7}, "bad_id", "id"),
        ({"type": "launch"}, "bad_type", "heartbeat"),
        ({"type": None}, "bad_type", "type"),
        ({"type": ["heartbeat"]}, "bad_type", "type"),
        ({"job": ""}, "bad_job", "255"),
        ({"job": "x" * 256}, "bad_job", "255"),
        ({"job": "a\nb"}, "bad_job", "control"),
        ({"job": "a\x85b"}, "bad_job", "control"),
        ({"job": "a\u2028b"}, "bad_job", "separator"),
        ({"job": "a\x00b"}, "bad_job", "control"),
        ({"job": "/a"}, "bad_job", "slash"),
        ({"job": "a/"}, "bad_job", "slash"),
        ({"job": "a//b"}, "bad_job", "slash"),
        ({"job": "a/./b"}, "bad_job", "segment"),
        ({"job": ".."}, "bad_job", "segment"),
        ({"job": 5}, "bad_job", "str"),
        ({"attempt": 0}, "bad_attempt", "1"),
        ({"attempt": 2**31}, "bad_attempt", "2147483647"),
        ({"attempt": 10**30}, "bad_attempt", "2147483647"),
        ({"attempt": "1"}, "bad_attempt", "int"),
        ({"attempt": 1.5}, "bad_attempt", "int"),
        ({"attempt": 1e300}, "bad_attempt", "int"),
        ({"attempt": 7.0, "attrs": {"a": "\x00"}}, "bad_text", "NUL"),
        ({"attempt": True}, "bad_attempt", "int"),
        ({"rank": -1}, "bad_rank", "0"),
        ({"rank": 2**31}, "bad_rank", "2147483647"),
        ({"seq": 2**31}, "bad_seq", "2147483647"),
        ({"ts": None}, "bad_ts", "ts"),
        ({"ts": "2026-11-18T00:00:00"}, "bad_ts", "time zone"),
        ({"ts": "noon"}, "bad_ts", "RFC3339"),
        ({"ts": True}, "bad_ts", "bool"),
        ({"ts": 1e300}, "too_far_ahead", "1 hour"),
        ({"ts": -1e300}, "too_old", "90 days"),
        ({"step": 2**63}, "bad_step", "9223372036854775807"),
        ({"step": -1}, "bad_step", "0"),
        ({"samples": 2**63}, "bad_samples", "9223372036854775807"),
        ({"attrs": []}, "bad_attrs", "object"),
        ({"attrs": {str(n): n for n in range(65)}}, "bad_attrs", "64"),
        ({"attrs": {"a": "x" * 257}}, "bad_attrs", "256"),
        ({"attrs": {"x" * 257: "a"}}, "bad_attrs", "256"),
        ({"attrs": {"a": [[0] * 200]}}, "bad_attrs", "256"),
        ({"attrs": {"a": "\x00"}}, "bad_text", "NUL"),
        ({"attrs": {"\x00": 1}}, "bad_text", "NUL"),
        ({"attrs": {"a": {"b": ["\x00"]}}}, "bad_text", "NUL"),
        ({"type": "attempt_start", "gpus": 1_000_001}, "bad_gpus", "1000000"),
        ({"type": "attempt_start", "gpus": -1}, "bad_gpus", "0"),
        ({"type": "attempt_start", "model": "x" * 257}, "bad_model", "256"),
        ({"type": "attempt_start", "cluster": "\x00"}, "bad_text", "NUL"),
        ({"type": "attempt_start", "labels": {str(n): "" for n in range(33)}}, "bad_labels", "32"),
        ({"type": "attempt_start", "labels": {"a": "x" * 257}}, "bad_labels", "256"),
        ({"type": "attempt_start", "labels": {"a": {}}}, "bad_labels", "labels"),
        ({"type": "phase_start"}, "bad_phase", "missing"),
        ({"type": "phase_start", "phase": ""}, "bad_phase", "[a-z0-9_]"),
        ({"type": "phase_start", "phase": "Train"}, "bad_phase", "[a-z0-9_]"),
        ({"type": "phase_start", "phase": "a.b.c"}, "bad_phase", "[a-z0-9_]"),
        ({"type": "phase_start", "phase": "x" * 65}, "bad_phase", "64"),
        ({"type": "phase_end", "phase": "train\n"}, "bad_phase", "[a-z0-9_]"),
        ({"type": "phase", "phase": "train"}, "bad_duration_s", "missing"),
        ({"type": "phase", "phase": "train", "duration_s": "1"}, "bad_duration_s", "duration_s"),
        ({"type": "phase", "phase": "train", "duration_s": 1e308}, "too_far_ahead", "duration_s"),
        ({"type": "phase", "phase": "train", "duration_s": -1e308}, "too_old", "duration_s"),
        ({"type": "checkpoint", "snapshot_ts": 5}, "too_old", "snapshot_ts"),
        ({"type": "checkpoint", "snapshot_ts": 1e12}, "too_far_ahead", "snapshot_ts"),
        ({"type": "checkpoint", "name": "x" * 257}, "bad_name", "256"),
        ({"type": "compile", "cache": "warm"}, "bad_cache", "cache"),
        ({"type": "compile", "caches": {"aot": "partial"}}, "bad_caches", "caches"),
        ({"type": "compile", "reason": "x" * 4097}, "bad_reason", "4096"),
        ({"type": "compile", "kernels": [{}]}, "bad_kernels", "name"),
        ({"type": "failure", "category": "gremlins"}, "bad_category", "category"),
        ({"type": "failure", "message": "x" * 4097}, "bad_message", "4096"),
        ({"type": "failure", "message": "\x00"}, "bad_text", "NUL"),
        ({"type": "attempt_end"}, "bad_outcome", "missing"),
        ({"type": "attempt_end", "outcome": "lost"}, "bad_outcome", "outcome"),
    ],
)  # fmt: skip
def test_bad_event_is_named_and_alone(
    trainer: Trainer, t0: float, changes: dict[str, Any], code: str, says: str
) -> None:
    error = fault(trainer, event("heartbeat", t0) | changes, t0)
    assert error["code"] == code, error
    assert says in error["message"], error
    assert len(error["message"]) < 400


@pytest.mark.parametrize("text", [rb"\ud800", b"\xff", rb"\udc00\ud800"])
def test_text_that_is_not_unicode_is_the_fault_of_its_event(trainer: Trainer, t0: float, text: bytes) -> None:
    good = json.dumps(event("heartbeat", t0)).encode()
    bad = json.dumps(event("heartbeat", t0, job="XX")).encode().replace(b"XX", text)
    answer = json.loads(trainer.post(b"[" + good + b"," + bad + b"]").content)
    assert (answer["accepted"], answer["errors"][0]["code"]) == (1, "bad_text")


def test_escaped_backslash_before_u0000_is_no_nul(trainer: Trainer, t0: float) -> None:
    trainer.send(event("failure", t0, message=r"C:\u0000"))
    assert Event.objects.get().body == {"message": r"C:\u0000"}


def test_event_over_64_kib_is_its_own_fault(trainer: Trainer, t0: float) -> None:
    error = fault(trainer, event("heartbeat", t0, padding="x" * 65_536), t0)
    assert (error["code"], "64 KiB" in error["message"]) == ("too_large", True)


def test_limits_themselves_are_taken(trainer: Trainer) -> None:
    now = time.time()
    trainer.send(
        event("heartbeat", now + 3_590, job="x" * 255, attempt=2**31 - 1, rank=2**31 - 1, seq=2**31 - 1),
        event("heartbeat", now - 90 * DAY + 10, step=2**63 - 1, samples=2**63 - 1),
        event("heartbeat", now, attrs={str(n): "x" * 256 for n in range(64)}),
        event(
            "attempt_start", now, gpus=10**6, model="x" * 256, labels={str(n): "y" * 256 for n in range(32)}
        ),
        event("failure", now, message="x" * 4096),
        event("phase", now, phase="a" * 64 + "." + "b" * 64, duration_s=3_590),
        event("phase", now, phase="train", duration_s=-5),
        event("heartbeat", now, job="a.b/..c/…/日本語 \U0001f680"),
        event("heartbeat", now, job="b", rank=7.0, step=1e3, attrs={"a": 0.5}),
    )
    assert Event.objects.count() == 9
    assert Event.objects.get(rank=7).body == {"step": 1000, "attrs": {"a": 0.5}}


@pytest.mark.parametrize(("shift", "code"), [(3_700, "too_far_ahead"), (-90 * DAY - 60, "too_old")])
def test_times_outside_the_window_name_the_limit(
    trainer: Trainer, t0: float, shift: float, code: str
) -> None:
    error = fault(trainer, event("heartbeat", time.time() + shift), t0)
    assert (error["code"], error["field"]) == (code, "ts")
    assert ("1 hour" if shift > 0 else "90 days") in error["message"]
