"""POST /api/v1/events: shapes, encodings, counts, and what is stored."""

import gzip
import json
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from ingest.models import Event, Job, Mark
from tests.trainer import Trainer, event, zstd_compress

NDJSON = "application/x-ndjson"


def body(response: HttpResponse) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(response.content)
    return answer


def counts(response: HttpResponse) -> tuple[int, int, int, int]:
    answer = body(response)
    return response.status_code, answer["accepted"], answer["duplicates"], answer["rejected"]


def test_array_object_and_ndjson_are_the_same_batch(trainer: Trainer, t0: float) -> None:
    batch = [event("heartbeat", t0 + n, step=n) for n in range(3)]
    assert counts(trainer.post(batch)) == (200, 3, 0, 0)
    assert counts(trainer.post({"events": batch})) == (200, 0, 3, 0)
    lines = b"\n".join(json.dumps(one).encode() for one in batch)
    assert counts(trainer.post(b"\r\n" + lines + b"\n\n", NDJSON)) == (200, 0, 3, 0)


@pytest.mark.parametrize(
    ("encoding", "compress"), [("gzip", gzip.compress), ("zstd", zstd_compress), ("identity", bytes)]
)
def test_compressed_bodies_are_taken(trainer: Trainer, t0: float, encoding: str, compress: Any) -> None:
    packed = compress(json.dumps([event("heartbeat", t0)]).encode())
    assert counts(trainer.post(packed, **{"Content-Encoding": encoding})) == (200, 1, 0, 0)


def test_members_of_a_gzip_file_are_one_text(trainer: Trainer, t0: float) -> None:
    first, second = (json.dumps(event("heartbeat", t0)).encode() + b"\n" for _ in range(2))
    packed = gzip.compress(first) + gzip.compress(second)
    assert counts(trainer.post(packed, NDJSON, **{"Content-Encoding": "gzip"})) == (200, 2, 0, 0)


@pytest.mark.parametrize("empty", [b"[]", b'{"events": []}'])
def test_empty_batch_is_a_success(trainer: Trainer, empty: bytes) -> None:
    assert body(trainer.post(empty)) == {"accepted": 0, "duplicates": 0, "rejected": 0, "errors": []}
    assert counts(trainer.post(b"\n", NDJSON)) == (200, 0, 0, 0)


def test_event_of_every_type_is_stored_whole(trainer: Trainer, t0: float) -> None:
    trainer.send(
        event("attempt_start", t0, model="ranker", gpus=8, cluster="a", tier="production", workload="offline",
              labels={"owner": "x"}, attrs={"torch": "2.13", "host": "n1"}),
        event("phase_start", t0 + 1, phase="launcher_init.device_init", rank=3, seq=7),
        event("phase_end", t0 + 2, phase="launcher_init.device_init", rank=3, seq=8),
        event("phase", t0 + 3, phase="train.data_stall", duration_s=1.25),
        event("checkpoint", t0 + 9, name="c1", snapshot_ts=t0 + 8, step=12) | {"async": True},
        event("checkpoint_loaded", t0 + 10, name="c1", step=12),
        event("compile", t0 + 11, duration_s=3.5, cache="partial", recompile=True, reason="0/0: mismatch",
              frame="forward", stages_s={"dynamo": 1.5}, caches={"inductor": "hit", "triton": "miss"},
              kernels=[{"name": "k", "autotune_s": 0.5}]),
        event("heartbeat", t0 + 12, step=2**62, samples=5),
        event("failure", t0 + 13, category="network", component="nccl", message="time-out", infra=True),
        event("attempt_end", t0 + 14, outcome="failed"),
    )  # fmt: skip
    stored = {row.get_type_display(): row for row in Event.objects.all()}
    assert len(stored) == 10
    assert stored["attempt_start"].body == {
        "model": "ranker", "gpus": 8, "cluster": "a", "tier": "production", "workload": "offline",
        "labels": {"owner": "x"}, "attrs": {"torch": "2.13", "host": "n1"},
    }  # fmt: skip
    start = stored["phase_start"]
    assert (start.phase, start.rank, start.seq, start.body) == ("launcher_init.device_init", 3, 7, None)
    assert start.ts == int((t0 + 1) * 1e6)
    assert (stored["phase"].phase, stored["phase"].duration) == ("train.data_stall", 1_250_000)
    assert stored["checkpoint"].body == {
        "name": "c1", "snapshot_ts": int((t0 + 8) * 1e6), "step": 12, "async": True,
    }  # fmt: skip
    assert stored["compile"].duration == 3_500_000
    assert (stored["compile"].body or {})["kernels"] == [{"name": "k", "autotune_s": 0.5}]
    assert stored["heartbeat"].body == {"step": 2**62, "samples": 5}
    assert (stored["failure"].body or {})["message"] == "time-out"
    assert stored["attempt_end"].body == {"outcome": "failed"}


def test_times_are_kept_to_the_microsecond_in_either_form(trainer: Trainer, t0: float) -> None:
    whole = int(t0)
    text = datetime.fromtimestamp(whole, UTC).replace(microsecond=123_456)
    trainer.send(
        event("heartbeat", text.isoformat(), job="rfc"),
        event("heartbeat", text.isoformat().replace("+00:00", "Z").replace("T", "t"), job="rfc"),
        event("heartbeat", text.astimezone().isoformat(), job="rfc"),
        event("heartbeat", whole + 0.123456, job="epoch"),
    )
    assert set(Event.objects.values_list("ts", flat=True)) == {whole * 1_000_000 + 123_456}
    trainer.send(event("heartbeat", whole, job="whole"))
    assert Event.objects.get(job__name="whole").ts == whole * 1_000_000


def test_snapshot_defaults_to_the_time_it_became_durable(trainer: Trainer, t0: float) -> None:
    trainer.send(event("checkpoint", t0, name="c"))
    assert Event.objects.get().body == {"name": "c", "snapshot_ts": int(t0 * 1e6)}


def test_unknown_fields_are_ignored_and_null_is_not_sent(trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0, rank=None, seq=None, attrs=None, step=None, colour="green"))
    stored = Event.objects.get()
    assert (stored.rank, stored.seq, stored.body) == (0, None, None)


def test_empty_texts_count_as_not_sent(trainer: Trainer, t0: float) -> None:
    trainer.send(
        event("attempt_start", t0, model="", cluster="", gpus=0),
        event("failure", t0, message="", component="", infra=False),
        event("checkpoint_loaded", t0, name="", step=0),
    )
    bodies = Event.objects.order_by("type").values_list("body", flat=True)
    assert list(bodies) == [{"gpus": 0}, {"step": 0}, {"infra": False}]


def test_unknown_phases_are_kept(trainer: Trainer, t0: float) -> None:
    trainer.send(event("phase_start", t0, phase="quantum_setup.entangle"))
    assert Event.objects.get().phase == "quantum_setup.entangle"


def test_good_events_of_a_batch_are_kept_when_others_are_bad(trainer: Trainer, t0: float) -> None:
    good = [event("heartbeat", t0), event("phase_start", t0, phase="train")]
    bad = [event("heartbeat", "yesterday"), 7, {"type": "heartbeat"}, event("launch", t0)]
    response = trainer.post([good[0], *bad, good[1]])
    assert counts(response) == (200, 2, 0, 4)
    errors = body(response)["errors"]
    assert [(one["index"], one["code"], one["field"]) for one in errors] == [
        (1, "bad_ts", "ts"),
        (2, "not_an_object", ""),
        (3, "bad_id", "id"),
        (4, "bad_type", "type"),
    ]
    assert errors[0]["id"] == bad[0]["id"]  # type: ignore[index]
    assert all(set(one) == {"index", "id", "code", "field", "message"} for one in errors)
    assert {str(id) for id in Event.objects.values_list("id", flat=True)} == {one["id"] for one in good}


def test_all_bad_is_422_in_the_same_shape_and_stores_nothing(trainer: Trainer) -> None:
    response = trainer.post([event("heartbeat", "now"), {}])
    assert counts(response) == (422, 0, 0, 2)
    assert not Job.objects.exists()
    assert not Mark.objects.exists()


def test_bad_beside_duplicates_is_200(trainer: Trainer, t0: float) -> None:
    known = event("heartbeat", t0)
    trainer.send(known)
    assert counts(trainer.post([known, {}])) == (200, 0, 1, 1)


def test_at_most_100_errors_are_listed_and_all_are_counted(trainer: Trainer) -> None:
    response = trainer.post([{}] * 150)
    assert (body(response)["rejected"], len(body(response)["errors"])) == (150, 100)


def test_bad_line_of_ndjson_is_the_fault_of_that_line(trainer: Trainer, t0: float) -> None:
    lines = [json.dumps(event("heartbeat", t0)), '{"id": tru', json.dumps(event("heartbeat", t0))]
    response = trainer.post("\n\n".join(lines).encode(), NDJSON)
    assert counts(response) == (200, 2, 0, 1)
    assert body(response)["errors"][0] | {"message": ""} == {
        "index": 1, "id": None, "code": "not_json", "field": "", "message": "",
    }  # fmt: skip


def test_duplicates_are_counted_exactly_within_and_between_batches(trainer: Trainer, t0: float) -> None:
    first, second = event("heartbeat", t0), event("heartbeat", t0 + 1)
    assert counts(trainer.post([first, first, second, first])) == (200, 2, 2, 0)
    third = event("heartbeat", t0 + 2)
    assert counts(trainer.post([third, second, third, first])) == (200, 1, 3, 0)
    assert Event.objects.count() == 3


def test_same_id_in_two_jobs_is_two_events(trainer: Trainer, t0: float) -> None:
    one = event("heartbeat", t0, job="a")
    assert counts(trainer.post([one, one | {"job": "b"}])) == (200, 2, 0, 0)


def test_same_id_with_other_content_keeps_the_first_and_is_counted(trainer: Trainer, t0: float) -> None:
    first = event("heartbeat", t0, step=1)
    other = first | {"step": 2}
    assert counts(trainer.post([first, other])) == (200, 1, 1, 0)
    assert counts(trainer.post([other, event("heartbeat", t0, job="calm")])) == (200, 1, 1, 0)
    assert counts(trainer.post([first])) == (200, 0, 1, 0)
    assert Event.objects.get(job__name="ranker/eu").body == {"step": 1}
    assert dict(Job.objects.values_list("name", "id_conflicts")) == {"ranker/eu": 2, "calm": 0}
    assert counts(trainer.post([other, first | {"step": 3}])) == (200, 0, 2, 0)
    assert Job.objects.get(name="ranker/eu").id_conflicts == 4


def test_order_of_keys_is_not_other_content(trainer: Trainer, t0: float) -> None:
    first = event("attempt_start", t0, labels={"a": "1", "b": "2"})
    trainer.send(first)
    trainer.send(dict(reversed(first.items())) | {"labels": {"b": "2", "a": "1"}})
    assert Job.objects.get().id_conflicts == 0


def test_each_touched_attempt_is_marked(trainer: Trainer, t0: float) -> None:
    trainer.send(
        event("heartbeat", t0, job="a"),
        event("heartbeat", t0 + 1, job="a"),
        event("heartbeat", t0, job="a", attempt=2),
    )
    trainer.send(event("heartbeat", t0, job="b"), event("heartbeat", t0 + 2, job="a"))
    marks = Mark.objects.values_list("job__name", "attempt")
    assert sorted(marks) == [("a", 1), ("a", 1), ("a", 2), ("b", 1)]


def test_job_name_in_two_teams_is_two_jobs(trainer: Trainer, client: Client, t0: float) -> None:
    one = event("heartbeat", t0)
    trainer.send(one)
    assert Trainer.of_team("speech", client).send(one)["accepted"] == 1
    assert sorted(Job.objects.values_list("team__name", "name")) == [
        ("speech", "ranker/eu"), ("vision", "ranker/eu"),
    ]  # fmt: skip


def test_new_partition_is_made_for_a_new_range_of_jobs(trainer: Trainer, t0: float) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence('ingest_job', 'id'), 12345678)")
    trainer.send(event("heartbeat", t0))
    assert Event.objects.get().job_id == 12345679


def test_sender_clock_is_kept_beside_ours(trainer: Trainer, t0: float) -> None:
    trainer.post([event("heartbeat", t0, job="said")], **{"Ettdash-Sent-At": "2026-11-18T06:00:00.5Z"})
    trainer.post([event("heartbeat", t0, job="epoch")], **{"Ettdash-Sent-At": "1795000000.25"})
    trainer.post([event("heartbeat", t0, job="garbage")], **{"Ettdash-Sent-At": "noonish"})
    assert dict(Event.objects.values_list("job__name", "sent_at")) == {
        "said": int(datetime(2026, 11, 18, 6, tzinfo=UTC).timestamp() * 1e6) + 500_000,
        "epoch": 1_795_000_000_250_000,
        "garbage": None,
    }


def test_hex_and_upper_case_ids_are_the_same_id(trainer: Trainer, t0: float) -> None:
    id = uuid.uuid4()
    batch = [event("heartbeat", t0) | {"id": text} for text in (str(id), str(id).upper(), id.hex)]
    assert counts(trainer.post(batch)) == (200, 1, 2, 0)


def test_years_are_taken_where_everything_is_kept(trainer: Trainer, settings: Settings) -> None:
    settings.ETTDASH_RETENTION_DAYS = 0
    assert counts(trainer.post([event("heartbeat", "2003-01-01T00:00:00Z")])) == (200, 1, 0, 0)
    response = trainer.post([event("heartbeat", "1999-12-31T23:59:59Z")])
    assert counts(response) == (422, 0, 0, 1)
    assert "2000" in body(response)["errors"][0]["message"]
