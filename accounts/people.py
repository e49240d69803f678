"""Making people, and saying what they may do in the whole fleet."""

from dataclasses import dataclass

from django.contrib.auth.tokens import default_token_generator
from django.db import IntegrityError, transaction
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.audit import record
from accounts.models import AuditEntry, User
from accounts.refused import Refused

Action = AuditEntry.Action
NAME_TAKEN = "There is a person of that user name, or one that differs only in case."
NOT_YOURSELF = "You cannot take this from yourself: another fleet admin can."
LAST_ADMIN = "There must be at least one active fleet admin."
NOT_ACTIVE = "This person is deactivated: activate them first."


@dataclass(frozen=True, slots=True)
class Link:
    """The two secret parts of an address where a person sets their password, once."""

    uidb64: str
    token: str


@transaction.atomic
def make_person(username: str, email: str, by: User) -> tuple[User, Link]:
    """A new person without a password, and the link to set one."""
    # Log-in tells one case from another; whoever reads a name does not.
    if User.objects.filter(username__iexact=username).exists():
        raise Refused(NAME_TAKEN)
    try:
        with transaction.atomic():
            person = User.objects.create_user(username, email)
    except IntegrityError:
        raise Refused(NAME_TAKEN) from None
    record(by, Action.PERSON_MADE, person.username)
    return person, _link(person)


@transaction.atomic
def make_link(person: User, by: User) -> Link:
    """A link to set a new password; the old one holds until then."""
    if not person.is_active:
        raise Refused(NOT_ACTIVE)
    record(by, Action.LINK_MADE, person.username)
    return _link(person)


@transaction.atomic
def set_fleet_rights(person: User, *, viewer: bool, admin: bool, by: User) -> None:
    """The person as fleet viewer, fleet admin, both or neither."""
    current = _locked(person)
    if current.is_superuser and not admin:
        _let_go(current, by)
    told = _told("fleet viewer", current.is_fleet_viewer, viewer)
    told += _told("fleet admin", current.is_superuser, admin)
    if told:
        User.objects.filter(pk=person.pk).update(is_fleet_viewer=viewer, is_superuser=admin)
        record(by, Action.PERSON_CHANGED, person.username, detail=", ".join(told))


@transaction.atomic
def deactivate(person: User, by: User) -> None:
    """The person shut out at once: no session, password or link of theirs works any more."""
    current = _locked(person)
    if not current.is_active:
        return
    _let_go(current, by)
    current.is_active = False
    # Sessions and links hang on the password: without it, activating later wakes none of them.
    current.set_unusable_password()
    current.save(update_fields=["is_active", "password"])
    record(by, Action.PERSON_CHANGED, current.username, detail="deactivated")


@transaction.atomic
def activate(person: User, by: User) -> None:
    """The person may come in again, once they have set a new password."""
    if User.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
        record(by, Action.PERSON_CHANGED, person.username, detail="activated")


def note_password(person: User) -> None:
    """Keep that a person set their own password."""
    record(person, Action.PASSWORD_SET, person.username)


def _link(person: User) -> Link:
    token = default_token_generator.make_token(person)
    return Link(urlsafe_base64_encode(force_bytes(person.pk)), token)


def _locked(person: User) -> User:
    """The person as they are now; every fleet admin waits for us, so that two cannot remove each other."""
    admins = User.objects.select_for_update().filter(is_superuser=True).order_by("pk")
    known = {admin.pk: admin for admin in admins}
    return known.get(person.pk) or User.objects.select_for_update().get(pk=person.pk)


def _let_go(person: User, by: User) -> None:
    """Refuse to lose oneself, or the last who may manage people."""
    if person.pk == by.pk:
        raise Refused(NOT_YOURSELF)
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=person.pk)
    if person.is_superuser and not others.exists():
        raise Refused(LAST_ADMIN)


def _told(right: str, before: bool, now: bool) -> list[str]:
    return [] if before == now else [right if now else f"no longer {right}"]
