"""The list of pages."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from dashboard import api, views

urlpatterns = [
    path("", views.fleet_page, name="fleet"),
    path("fleet/live", views.fleet_live, name="fleet_live"),
    path(
        "login/",
        LoginView.as_view(template_name="dashboard/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("api/v1/annotations", api.annotations),
]
