"""Pages of one's own account: what I may see, and my password."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import LoginView, PasswordChangeView, PasswordResetConfirmView
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from accounts import people
from accounts.access import caller, sees_all
from dashboard import people_rows as rows
from dashboard.people_forms import OwnPassword

# Not PUT, which Django would take for POST.
METHODS = ["get", "head", "post", "options"]
CHANGED = "Your password is changed. Wherever else you were logged in, you no longer are."


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Who I am, and which teams I see."""
    user = caller(request)
    context = {
        "memberships": rows.memberships(user),
        "sees_all": sees_all(user),
        "fleet_admins": rows.fleet_admins(),
    }
    return render(request, "settings/account.html", context)


class LogIn(LoginView):
    """The way in with a password."""

    template_name = "dashboard/login.html"
    redirect_authenticated_user = True
    http_method_names = METHODS

    # In one transaction the throttle lets tries on one name in one after the other.
    @transaction.atomic
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs)


class ChangePassword(PasswordChangeView):
    """A new password for somebody who knows the old one; this session stays, the others end."""

    template_name = "settings/password.html"
    success_url = reverse_lazy("settings")
    http_method_names = METHODS
    form_class = OwnPassword

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}

    # As above: the old password can be guessed too.
    @transaction.atomic
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        response = super().form_valid(form)
        people.note_password(form.user)
        messages.success(self.request, CHANGED)
        return response


class SetPassword(PasswordResetConfirmView):
    """A first or new password for somebody with a link."""

    template_name = "settings/password_set.html"
    success_url = reverse_lazy("login")
    http_method_names = METHODS

    def get_user(self, uidb64: str) -> Any:
        """Whom the link is for; nobody where they are shut out."""
        person = super().get_user(uidb64)
        return person if person is not None and person.is_active else None

    @transaction.atomic
    def form_valid(self, form: "SetPasswordForm[Any]") -> HttpResponse:
        response = super().form_valid(form)
        people.note_password(form.user)
        messages.success(self.request, "Your password is set. Log in with it.")
        return response
