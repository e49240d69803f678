"""The list of pages."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from dashboard import api, views
from dashboard.people_account import LogIn

urlpatterns = [
    path("", views.fleet_page, name="fleet"),
    path("fleet/live", views.fleet_live, name="fleet_live"),
    path("login/", LogIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("settings/", include("dashboard.people_urls")),
    path("api/v1/annotations", api.annotations),
]
