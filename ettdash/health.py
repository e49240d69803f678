"""Is the process alive, can it serve, and what has it counted."""

import os

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

from accounts.problems import read_only
from ettdash.telemetry import database
from ettdash.telemetry.broker import broker
from ettdash.telemetry.collector import Shared
from ettdash.telemetry.database import Counting

# Events are counted within seconds, and a pass ends every second.
MARK_WAITS_S = 30.0
NO_PASS_S = 60.0


@read_only
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@read_only
def readyz(_request: HttpRequest) -> HttpResponse:
    """200 while the database answers and is migrated; a broker or rollup that is behind only degrades."""
    try:
        if not database.migrations.all_there():
            return _not_ready("the database is not migrated")
        counting = database.counting()
    except DatabaseError:
        return _not_ready("the database does not answer")
    away = {"redis": not broker.answers(), "rollup": _is_behind(counting)}
    degraded = [name for name, is_away in away.items() if is_away]
    return JsonResponse(
        {
            "status": "degraded" if degraded else "ok",
            "degraded": degraded,
            "rollup_lag_s": _shown(counting.oldest_mark_s or 0.0),
            "last_pass_s": None if counting.last_pass_s is None else _shown(counting.last_pass_s),
        }
    )


def _is_behind(counting: Counting) -> bool:
    """Whether events wait for too long. Where no pass has ever ended, only they tell: it may just begin."""
    return (counting.oldest_mark_s or 0.0) > MARK_WAITS_S or (counting.last_pass_s or 0.0) > NO_PASS_S


def _shown(seconds: float) -> float:
    """Never below 0, also where a clock was set back."""
    return round(max(seconds, 0.0), 1)


def _not_ready(why: str) -> HttpResponse:
    return JsonResponse({"status": "unavailable", "detail": why}, status=503, headers={"Retry-After": "5"})


@read_only
def metrics(_request: HttpRequest) -> HttpResponse:
    """Prometheus' text format: what the web processes counted, summed, and what all of them share, once."""
    counted = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counted = CollectorRegistry()
        multiprocess.MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    shared = CollectorRegistry()
    shared.register(Shared())
    text = generate_latest(counted) + generate_latest(shared)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)
