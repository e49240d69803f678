"""Examples of the contract; a test posts each of them."""

from typing import Any

_JOB = {"job": "ranker/eu-1", "attempt": 1}


def _event(number: int, type: str, at: str, **fields: Any) -> dict[str, Any]:
    id = f"7b1f0a52-{number:04}-4000-8000-000000000001"
    return {"id": id, "type": type, **_JOB, "ts": f"2025-06-02T{at}Z", **fields}


EVENTS = [
    _event(
        1, "attempt_start", "09:00:00", model="ranker", gpus=64, cluster="pdx-h200", tier="production",
        workload="offline", labels={"owner": "ranking"}, attrs={"torch": "2.9.0", "host": "node-17"},
    ),
    _event(2, "phase_start", "09:01:00", phase="launcher_init.device_init"),
    _event(3, "phase_end", "09:01:12.5", phase="launcher_init.device_init"),
    _event(4, "phase", "09:01:20", phase="pt2_compile", duration_s=42.7),
    _event(5, "checkpoint_loaded", "09:02:10", name="step-0", step=0),
    _event(
        6, "compile", "09:01:20", duration_s=41.9, cache="partial", recompile=False, frame="forward",
        stages_s={"dynamo": 6.1, "inductor": 30.2}, caches={"inductor": "hit", "triton": "miss"},
        kernels=[{"name": "triton_mm", "autotune_s": 3.4}],
    ),
    _event(
        7, "checkpoint", "09:30:20", name="step-1000", snapshot_ts="2025-06-02T09:30:00Z", step=1000,
        **{"async": True},
    ),
    _event(8, "heartbeat", "09:31:00", step=1040, samples=532480),
    _event(
        9, "failure", "10:05:00", rank=3, category="network", component="nccl",
        message="Watchdog caught collective operation timeout",
    ),
    _event(10, "attempt_end", "10:05:01", outcome="failed"),
]  # fmt: skip


_FAULT = {
    "index": 0,
    "id": "df46d8ce-c72e-45df-b744-1c7a0775f53c",
    "code": "bad_ts",
    "field": "ts",
    "message": "ts has no time zone",
}
SOME_BAD = {"accepted": 1, "duplicates": 0, "rejected": 1, "errors": [_FAULT]}
ALL_BAD = {"accepted": 0, "duplicates": 0, "rejected": 1, "errors": [_FAULT]}
POST_EVENTS = """curl -sS "$URL/api/v1/events" -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '[
  {"id": "'$(python3 -c 'import uuid; print(uuid.uuid4())')'", "type": "heartbeat", "job": "my-first-job",
   "attempt": 1, "ts": '$(date +%s)', "step": 100}]'"""

ANNOTATION = {
    "ts": "2025-06-02T12:00:00Z",
    "title": "Launcher 4.19.0",
    "kind": "deploy",
    "models": ["my-model"],
    "link": "https://example.com/changes/4190",
}
ANNOTATION_KEPT = {"id": "6d09783d-1f76-4907-be31-41e51732c54c", **ANNOTATION}
POST_ANNOTATION = """curl -sS "$URL/api/v1/annotations" -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '{
  "ts": "2025-06-02T12:00:00Z", "title": "Launcher 4.19.0", "kind": "deploy", "models": ["my-model"],
  "link": "https://example.com/changes/4190"}'"""

READY = {"status": "degraded", "degraded": ["redis"], "rollup_lag_s": 4.2, "last_pass_s": 5.0}
