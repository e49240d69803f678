"""Is the process alive, can it serve, and what has it counted."""

import os

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

from ingest.rate import limiter


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """200 while the database answers and is migrated; a broker that is away only degrades."""
    try:
        unmigrated = _unmigrated()
    except DatabaseError:
        return _not_ready("the database does not answer")
    if unmigrated:
        return _not_ready("the database is not migrated")
    degraded = [] if limiter.answers() else ["redis"]
    return JsonResponse({"status": "degraded" if degraded else "ok", "degraded": degraded})


def _unmigrated() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _not_ready(why: str) -> HttpResponse:
    return JsonResponse({"status": "unavailable", "detail": why}, status=503, headers={"Retry-After": "5"})


@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    """Prometheus' text format, summed over the web processes."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
