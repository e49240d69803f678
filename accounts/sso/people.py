"""What a directory's person becomes here."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count

from allauth.socialaccount.models import SocialAccount
from django.db import connection, transaction

from accounts.audit import record
from accounts.models import AuditEntry, Membership, Team, User
from accounts.sso.directory import Grant, fleet_right, team_roles
from accounts.sso.profile import Profile

Action = AuditEntry.Action
DOOR = "single sign-on"
# Any number that no other lock of the product uses.
LOCK = 0x6574_7402


@transaction.atomic
def welcome(issuer: str, subject: str, profile: Profile, grants: Sequence[Grant]) -> User:
    """The person of that subject, as their directory knows them now; made when first seen."""
    person = _known(issuer, subject) or _made(issuer, subject, profile)
    if person.is_active:
        _refresh(person, profile)
        _follow_fleet(person, profile, grants)
        _follow_teams(person, team_roles(grants, profile.groups))
    return person


def _known(issuer: str, subject: str) -> User | None:
    """Who came as that subject before, whatever their name or e-mail; of two logins one waits."""
    account = SocialAccount.objects.filter(provider=issuer, uid=subject).first()
    return User.objects.select_for_update(no_key=True).get(pk=account.user_id) if account else None


def _made(issuer: str, subject: str, profile: Profile) -> User:
    with connection.cursor() as cursor:
        # Newcomers come one at a time: two could else take one name, or one of them come in twice.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if known := _known(issuer, subject):
        return known
    person = User.objects.create_user(_free_name(profile.username))
    SocialAccount.objects.create(user=person, provider=issuer, uid=subject)
    record(None, Action.PERSON_MADE, person.username, detail=f"from {issuer}", door=DOOR)
    return person


def _free_name(wanted: str) -> str:
    """The name, with a number behind it where somebody has it, in whatever case."""
    names = chain([wanted], (f"{wanted}-{n}" for n in count(2)))
    return next(name for name in names if not User.objects.filter(username__iexact=name).exists())


def _refresh(person: User, profile: Profile) -> None:
    person.first_name, person.last_name = profile.first_name, profile.last_name
    person.email = profile.email
    person.save(update_fields=["first_name", "last_name", "email"])


def _follow_fleet(person: User, profile: Profile, grants: Sequence[Grant]) -> None:
    """The person's rights in the whole fleet, where the mapping says who has them."""
    _set_right(person, "is_fleet_viewer", "fleet viewer", fleet_right(grants, "viewer", profile.groups))
    _set_right(person, "is_superuser", "fleet admin", fleet_right(grants, "admin", profile.groups))


def _set_right(person: User, field: str, word: str, given: bool | None) -> None:
    if given is None or getattr(person, field) == given:
        return
    setattr(person, field, given)
    person.save(update_fields=[field])
    detail = word if given else f"no longer {word}"
    record(None, Action.PERSON_CHANGED, person.username, detail=detail, door=DOOR)


def _follow_teams(person: User, roles: Mapping[str, str]) -> None:
    """Memberships by sign-on are those that the groups give; what was made by hand stays as it is."""
    held = {member.team.name: member for member in _memberships(person)}
    for name in sorted(roles.keys() - held.keys()):
        _join(person, _team(name), roles[name])
    for name, member in held.items():
        if member.origin == Membership.Origin.SSO:
            _keep(member, roles.get(name))


def _memberships(person: User) -> Iterable[Membership]:
    return Membership.objects.filter(user=person).select_related("team", "user").order_by("team")


def _team(name: str) -> Team:
    """The team of that name, made on first use."""
    team, is_new = Team.objects.get_or_create(name=name)
    if is_new:
        record(None, Action.TEAM_MADE, name, team=team, door=DOOR)
    return team


def _join(person: User, team: Team, role: str) -> None:
    given = {"role": role, "origin": Membership.Origin.SSO}
    # An admin may add the same person at this instant: then theirs is a membership by hand.
    _, is_new = Membership.objects.get_or_create(user=person, team=team, defaults=given)
    if is_new:
        record(None, Action.MEMBER_ADDED, person.username, team=team, detail=f"as {role}", door=DOOR)


def _keep(member: Membership, role: str | None) -> None:
    """The membership with the role that the groups give now; gone where they give none."""
    name, team, before = member.user.username, member.team, member.role
    if role is None:
        member.delete()
        record(None, Action.MEMBER_REMOVED, name, team=team, detail=f"was {before}", door=DOOR)
    elif role != before:
        Membership.objects.filter(pk=member.pk).update(role=role)
        record(None, Action.ROLE_CHANGED, name, team=team, detail=f"{before} → {role}", door=DOOR)
