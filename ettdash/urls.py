"""Every address of the product, room by room."""

from django.urls import include, path

from ettdash import errors, health
from ingest import views as ingest

handler404 = errors.not_found
handler500 = errors.server_error

urlpatterns = [
    path("api/v1/events", ingest.post_events),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("", include("dashboard.urls")),
]
