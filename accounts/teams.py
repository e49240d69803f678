"""Making teams, and saying who is in them."""

from django.db import IntegrityError, transaction

from accounts.access import Role, is_fleet_admin
from accounts.audit import record
from accounts.models import AuditEntry, Membership, Team, User
from accounts.refused import Refused

Action = AuditEntry.Action
NAME_TAKEN = "There is a team of that name."
NOBODY = "There is no active person of that user name. A fleet admin can make one."
LAST_ADMIN = "A team needs an admin: make somebody else admin first, or ask a fleet admin."
NOT_A_MEMBER = "That person is not in the team any more."
FROM_SIGN_ON = "This role comes from single sign-on: change it in the directory."


@transaction.atomic
def make_team(name: str, by: User) -> Team:
    """A new team, still without members."""
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name)
    except IntegrityError:
        raise Refused(NAME_TAKEN) from None
    record(by, Action.TEAM_MADE, team.name, team=team)
    return team


@transaction.atomic
def rename_team(team: Team, name: str, by: User) -> None:
    """The team under another name; its jobs, members and tokens stay."""
    old = _locked(team).name
    if old == name:
        return
    try:
        with transaction.atomic():
            Team.objects.filter(pk=team.pk).update(name=name)
    except IntegrityError:
        raise Refused(NAME_TAKEN) from None
    record(by, Action.TEAM_RENAMED, name, team=team, detail=f"before: {old}")


@transaction.atomic
def add_member(team: Team, username: str, role: Role, by: User) -> Membership:
    """A person who exists already, now in the team."""
    _locked(team)
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise Refused(NOBODY)
    member, is_new = Membership.objects.get_or_create(user=user, team=team, defaults={"role": role})
    if not is_new:
        raise Refused(f"{user} is in the team already, as {member.role}.")
    record(by, Action.MEMBER_ADDED, user.username, team=team, detail=f"as {role.value}")
    return member


@transaction.atomic
def change_role(team: Team, user_id: int, role: Role, by: User) -> None:
    """The member with another role."""
    member = _member(team, user_id)
    if member.origin == Membership.Origin.SSO:
        raise Refused(FROM_SIGN_ON)
    if member.role == role:
        return
    _keep_an_admin(member, by)
    record(by, Action.ROLE_CHANGED, member.user.username, team=team, detail=f"{member.role} → {role.value}")
    Membership.objects.filter(pk=member.pk).update(role=role)


@transaction.atomic
def remove_member(team: Team, user_id: int, by: User) -> None:
    """The team without that person."""
    member = _member(team, user_id)
    _keep_an_admin(member, by)
    record(by, Action.MEMBER_REMOVED, member.user.username, team=team, detail=f"was {member.role}")
    member.delete()


def _locked(team: Team) -> Team:
    # Changes to one team come one after the other: two could else each take the other's last admin.
    return Team.objects.select_for_update().get(pk=team.pk)


def _member(team: Team, user_id: int) -> Membership:
    _locked(team)
    member = Membership.objects.select_related("user").filter(team=team, user=user_id).first()
    if member is None:
        raise Refused(NOT_A_MEMBER)
    return member


def _keep_an_admin(member: Membership, by: User) -> None:
    """Refuse to take a team its last admin; a fleet admin may, being one everywhere."""
    if member.role != Role.ADMIN or is_fleet_admin(by):
        return
    others = Membership.objects.filter(team=member.team_id, role=Role.ADMIN, user__is_active=True)
    if not others.exclude(pk=member.pk).exists():
        raise Refused(LAST_ADMIN)
