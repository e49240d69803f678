"""What a person may see and do, and the doors of pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from accounts.models import Membership, Team, User

Role = Membership.Role
Person = User | AnonymousUser
View = Callable[..., HttpResponse]
# From the least to the most.
ROLES = (Role.VIEWER, Role.OPERATOR, Role.ADMIN)


def visible_teams(user: Person) -> QuerySet[Team]:
    """The teams whose data a person may see."""
    if not user.is_active:
        return Team.objects.none()
    return Team.objects.all() if sees_all(user) else Team.objects.filter(members=user.pk)


def sees_all(user: Person) -> bool:
    """Whether a person sees every team, those to come included."""
    return isinstance(user, User) and user.is_active and (user.is_superuser or user.is_fleet_viewer)


def is_fleet_admin(user: Person) -> bool:
    """Whether a person manages people and every team."""
    return user.is_active and user.is_superuser


def caller(request: HttpRequest) -> User:
    """The person whom one of the doors below has let in."""
    return cast(User, request.user)


def role_in(user: Person, team: Team) -> Role | None:
    """The most that a person may do in a team; None where they may not even see it."""
    if is_fleet_admin(user):
        return Role.ADMIN
    if not user.is_active:
        return None
    held = Membership.objects.filter(user=user.pk, team=team).values_list("role", flat=True).first()
    return Role(held) if held else Role.VIEWER if sees_all(user) else None


def may(user: Person, team: Team, role: Role) -> bool:
    """Whether a person has at least this role in a team."""
    held = role_in(user, team)
    return held is not None and ROLES.index(held) >= ROLES.index(role)


def needs_role(role: Role) -> Callable[[View], View]:
    """Hands the view the team of `team_id`; 404 where the caller does not see it, 403 for too low a role."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, team_id: int, *args: Any, **kwargs: Any) -> HttpResponse:
            team = get_object_or_404(visible_teams(request.user), pk=team_id)
            if not may(request.user, team, role):
                raise PermissionDenied(f"This needs the role {role} in the team {team}.")
            return view(request, team, *args, **kwargs)

        return guarded

    return decorate


def fleet_admin_only(view: View) -> View:
    """403 for everybody who is not fleet admin."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_fleet_admin(request.user):
            raise PermissionDenied("This is for fleet admins.")
        return view(request, *args, **kwargs)

    return guarded
