"""Every address of the product, room by room."""

from django.urls import include, path

from accounts.sso import views as sso
from ettdash import errors, health
from ettdash.contract import views as contract
from ingest import views as ingest

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

urlpatterns = [
    path("api/v1/events", ingest.post_events),
    path("api/v1/openapi.json", contract.openapi),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("sso/login/", sso.sso_login, name="sso_login"),
    path("sso/callback/", sso.sso_callback, name="sso_callback"),
    path("", include("dashboard.urls")),
]
