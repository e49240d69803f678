"""Pages of people and of the audit list, for fleet admins."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import people
from accounts.access import caller, fleet_admin_only
from accounts.models import User
from accounts.people import Link
from accounts.refused import Refused
from dashboard import people_rows as rows
from dashboard.people_answers import accepted, tried
from dashboard.people_forms import FleetRights, NewPerson


@fleet_admin_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def person_list(request: HttpRequest) -> HttpResponse:
    """Everybody; the form makes one more and shows the link for their password, once."""
    form, user = NewPerson(request.POST or None), caller(request)
    if request.method == "POST" and form.is_valid():
        name, email = form.cleaned_data["username"], form.cleaned_data["email"]
        if made := accepted(form, lambda: people.make_person(name, email, user)):
            return _show_link(request, *made)
    wanted = request.GET.get("q", "").strip().replace("\0", "")
    context = {"form": form, "wanted": wanted, "page": rows.people(wanted, request.GET.get("page"))}
    return render(request, "settings/people.html", context)


@fleet_admin_only
@require_http_methods(["GET", "HEAD", "POST"])
def person_page(request: HttpRequest, user_id: int) -> HttpResponse:
    """What one person may do in the whole fleet."""
    person, user = get_object_or_404(User, pk=user_id), caller(request)
    form = _rights(request, person)
    if request.method == "POST" and form.is_valid():
        viewer, admin = form.cleaned_data["viewer"], form.cleaned_data["admin"]
        tried(
            request,
            lambda: people.set_fleet_rights(person, viewer=viewer, admin=admin, by=user),
            f"Saved what {person} may do in the fleet.",
        )
        return redirect("person", person.pk)
    context = {"person": person, "form": form, "memberships": rows.memberships(person)}
    return render(request, "settings/person.html", context)


@fleet_admin_only
@never_cache
@require_POST
def make_link(request: HttpRequest, user_id: int) -> HttpResponse:
    """Shows a new link for a person's password, once."""
    person = get_object_or_404(User, pk=user_id)
    try:
        link = people.make_link(person, caller(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", person.pk)
    return _show_link(request, person, link)


@fleet_admin_only
@require_http_methods(["GET", "HEAD", "POST"])
def deactivate(request: HttpRequest, user_id: int) -> HttpResponse:
    """Asks, then shuts a person out."""
    person, user = get_object_or_404(User, pk=user_id), caller(request)
    if request.method != "POST":
        context = {"person": person, "tokens": rows.tokens_by(person, timezone.now())}
        return render(request, "settings/person_deactivate.html", context)
    done = f"{person} is deactivated and logged out everywhere."
    tried(request, lambda: people.deactivate(person, user), done)
    return redirect("person", person.pk)


@fleet_admin_only
@require_POST
def activate(request: HttpRequest, user_id: int) -> HttpResponse:
    """Lets a person in again."""
    person, user = get_object_or_404(User, pk=user_id), caller(request)
    done = f"{person} is active again. Their old password is gone: make a password link."
    tried(request, lambda: people.activate(person, user), done)
    return redirect("person", person.pk)


@fleet_admin_only
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Who changed what, latest first."""
    return render(request, "settings/audit.html", {"page": rows.entries(request.GET.get("page"))})


def _rights(request: HttpRequest, person: User) -> FleetRights:
    held = {"viewer": person.is_fleet_viewer, "admin": person.is_superuser}
    form = FleetRights(request.POST if request.method == "POST" else None, initial=held)
    form.fields["admin"].disabled = person == request.user
    return form


def _show_link(request: HttpRequest, person: User, link: Link) -> HttpResponse:
    path = reverse("password_set", args=[link.uidb64, link.token])
    context = {"person": person, "link": request.build_absolute_uri(path)}
    return render(request, "settings/link.html", context)
