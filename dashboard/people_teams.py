"""Pages of teams: who is in them, and as what."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import teams
from accounts.access import Role, caller, fleet_admin_only, is_fleet_admin, needs_role, visible_teams
from accounts.models import Membership, Team
from dashboard import people_rows as rows
from dashboard.people_answers import accepted, tried
from dashboard.people_forms import NewMember, NewRole, TeamName


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_list(request: HttpRequest) -> HttpResponse:
    """The teams that I see; a fleet admin makes new ones."""
    user = caller(request)
    form = TeamName(request.POST or None)
    if request.method == "POST":
        if not is_fleet_admin(user):
            raise PermissionDenied("Teams are made by fleet admins.")
        if form.is_valid() and (
            team := accepted(form, lambda: teams.make_team(form.cleaned_data["name"], user))
        ):
            messages.success(request, f"The team {team} is made. Add its first admin.")
            return redirect("team", team.pk)
    return render(request, "settings/teams.html", {"teams": rows.teams_of(user), "form": form})


@needs_role(Role.VIEWER)
@require_safe
def team_page(request: HttpRequest, team: Team) -> HttpResponse:
    """Who is in a team, its tokens, and what changed lately."""
    return _team_page(request, team)


@needs_role(Role.VIEWER)
@fleet_admin_only
@require_POST
def rename(request: HttpRequest, team: Team) -> HttpResponse:
    """The team under another name."""
    form, user = TeamName(request.POST), caller(request)
    if form.is_valid():
        name = form.cleaned_data["name"]
        tried(request, lambda: teams.rename_team(team, name, user), f"The team is called {name} now.")
    else:
        messages.error(request, "A team's name has 1 to 255 characters.")
    return redirect("team", team.pk)


@needs_role(Role.ADMIN)
@require_POST
def add_member(request: HttpRequest, team: Team) -> HttpResponse:
    """A person who exists already joins the team."""
    form, user = NewMember(request.POST), caller(request)
    if form.is_valid():
        name, role = form.cleaned_data["username"], Role(form.cleaned_data["role"])
        if accepted(form, lambda: teams.add_member(team, name, role, user)):
            messages.success(request, f"{name} is in the team now, as {role.value}.")
            return redirect("team", team.pk)
    return _team_page(request, team, form)


@needs_role(Role.ADMIN)
@require_POST
def change_role(request: HttpRequest, team: Team, user_id: int) -> HttpResponse:
    """A member gets another role."""
    member = get_object_or_404(Membership.objects.select_related("user"), team=team, user=user_id)
    form, user = NewRole(request.POST), caller(request)
    if form.is_valid():
        role = Role(form.cleaned_data["role"])
        done = f"{member.user} is {role.value} now."
        tried(request, lambda: teams.change_role(team, user_id, role, user), done)
    return redirect("team", team.pk)


@needs_role(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def remove_member(request: HttpRequest, team: Team, user_id: int) -> HttpResponse:
    """Asks, then takes a member out."""
    member = get_object_or_404(Membership.objects.select_related("user"), team=team, user=user_id)
    user = caller(request)
    if request.method != "POST":
        return render(request, "settings/member_remove.html", {"team": team, "member": member})
    done = f"{member.user} is not in the team {team} any more."
    tried(request, lambda: teams.remove_member(team, user_id, user), done)
    # Whoever left the team themselves may not see it now.
    stays = visible_teams(user).filter(pk=team.pk).exists()
    return redirect("team", team.pk) if stays else redirect("settings")


def _team_page(request: HttpRequest, team: Team, add: NewMember | None = None) -> HttpResponse:
    context: dict[str, Any] = {
        "team": team,
        "manages": rows.may_manage(caller(request), team),
        "members": rows.members(team),
        "roles": [role.value for role in Role],
        "add": add or NewMember(),
        "rename": TeamName(initial={"name": team.name}),
        "tokens": rows.tokens(team, timezone.now()),
        "entries": rows.entries_of(team),
    }
    return render(request, "settings/team.html", context)
