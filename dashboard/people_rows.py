"""What the pages under /settings/ list."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch, Q, QuerySet

from accounts.access import Role, role_in, visible_teams
from accounts.models import AuditEntry, Membership, Team, Token, User

PEOPLE_A_PAGE, ENTRIES_A_PAGE, ENTRIES_OF_A_TEAM = 50, 50, 10


@dataclass(frozen=True, slots=True)
class Tokens:
    """A team's tokens, newest first: those that open something, and those that did."""

    working: QuerySet[Token]
    ended: QuerySet[Token]


def teams_of(user: User) -> QuerySet[Team]:
    """The teams that a person may see, with what is in them and the person's own membership."""
    own = Prefetch("membership_set", Membership.objects.filter(user=user), to_attr="own")
    return (
        visible_teams(user)
        .order_by("name")
        .prefetch_related(own)
        .annotate(people=Count("membership", Q(membership__user__is_active=True)))
    )


def memberships(user: User) -> QuerySet[Membership]:
    """The teams that a person is in."""
    return Membership.objects.filter(user=user).select_related("team").order_by("team__name")


def members(team: Team) -> QuerySet[Membership]:
    """Who is in a team."""
    return Membership.objects.filter(team=team).select_related("user").order_by("user__username")


def tokens(team: Team, now: datetime) -> Tokens:
    """A team's tokens by whether they still work."""
    rows = Token.objects.filter(team=team).select_related("created_by").order_by("-created_at", "-pk")
    return Tokens(rows.filter(_working(now)), rows.exclude(_working(now)))


def tokens_by(person: User, now: datetime) -> QuerySet[Token]:
    """The tokens that a person made, and so may know, that still work."""
    made = Token.objects.filter(_working(now), created_by=person)
    return made.select_related("team").order_by("team__name", "name")


def _working(now: datetime) -> Q:
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))


def people(wanted: str, page: str | None) -> Page[Any]:
    """People whose user name or e-mail holds `wanted`, a page of them."""
    rows = User.objects.annotate(team_count=Count("membership")).order_by("username")
    if wanted:
        rows = rows.filter(Q(username__icontains=wanted) | Q(email__icontains=wanted))
    return Paginator(rows, PEOPLE_A_PAGE).get_page(page)


def fleet_admins() -> QuerySet[User]:
    """Whom to ask for a team."""
    return User.objects.filter(is_superuser=True, is_active=True).order_by("username")[:3]


def entries(page: str | None) -> Page[AuditEntry]:
    """The latest changes anywhere, a page of them."""
    return Paginator(AuditEntry.objects.select_related("team"), ENTRIES_A_PAGE).get_page(page)


def entries_of(team: Team) -> QuerySet[AuditEntry]:
    """The latest changes in a team."""
    return AuditEntry.objects.filter(team=team)[:ENTRIES_OF_A_TEAM]


def may_manage(user: User, team: Team) -> bool:
    """Whether a person is admin of a team."""
    return role_in(user, team) == Role.ADMIN
