"""Making teams, and saying who is in them."""

import pytest

from accounts import teams
from accounts.access import Role
from accounts.models import AuditEntry, Membership, Team, User
from accounts.refused import Refused
from tests.accounts.conftest import member_of


def told() -> list[tuple[str, str, str, str]]:
    """The audit list, oldest first."""
    rows = AuditEntry.objects.order_by("pk")
    return [(row.actor_name, row.action, row.subject, row.detail) for row in rows]


def roles(team: Team) -> dict[str, str]:
    return dict(Membership.objects.filter(team=team).values_list("user__username", "role"))


def test_every_change_is_written_down(boss: User) -> None:
    team = teams.make_team("vision", boss)
    ada = User.objects.create_user("ada")
    teams.add_member(team, "ada", Role.VIEWER, boss)
    teams.change_role(team, ada.pk, Role.ADMIN, boss)
    teams.change_role(team, ada.pk, Role.ADMIN, boss)
    teams.remove_member(team, ada.pk, boss)
    teams.rename_team(team, "sight", boss)
    teams.rename_team(team, "sight", boss)
    assert told() == [
        ("boss", "team_made", "vision", ""),
        ("boss", "member_added", "ada", "as viewer"),
        ("boss", "role_changed", "ada", "viewer → admin"),
        ("boss", "member_removed", "ada", "was admin"),
        ("boss", "team_renamed", "sight", "before: vision"),
    ]
    assert {entry.team for entry in AuditEntry.objects.all()} == {team}


def test_the_audit_list_outlives_whom_it_names(team: Team, boss: User, ada: User) -> None:
    teams.add_member(team, "boss", Role.VIEWER, ada)
    ada.delete()
    team.delete()
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.actor_name, entry.team, entry.subject) == (None, "ada", None, "boss")


def test_a_name_is_taken_once(team: Team, boss: User) -> None:
    other = teams.make_team("speech", boss)
    with pytest.raises(Refused, match="of that name"):
        teams.make_team("vision", boss)
    with pytest.raises(Refused, match="of that name"):
        teams.rename_team(other, "vision", boss)
    assert set(Team.objects.values_list("name", flat=True)) == {"vision", "speech"}


def test_only_active_people_join_and_only_once(team: Team, ada: User) -> None:
    User.objects.create_user("gone", is_active=False)
    for name in ("gone", "nobody", "ADA"):
        with pytest.raises(Refused, match="no active person"):
            teams.add_member(team, name, Role.ADMIN, ada)
    with pytest.raises(Refused, match="already, as admin"):
        teams.add_member(team, "ada", Role.VIEWER, ada)
    assert roles(team) == {"ada": "admin"}
    assert told() == []


def test_the_last_admin_stays_unless_a_fleet_admin_says_otherwise(team: Team, ada: User, boss: User) -> None:
    bob = member_of(team, "bob", Role.ADMIN)
    teams.change_role(team, bob.pk, Role.VIEWER, ada)
    with pytest.raises(Refused, match="needs an admin"):
        teams.change_role(team, ada.pk, Role.VIEWER, ada)
    with pytest.raises(Refused, match="needs an admin"):
        teams.remove_member(team, ada.pk, ada)
    assert roles(team) == {"ada": "admin", "bob": "viewer"}
    teams.remove_member(team, ada.pk, boss)
    assert roles(team) == {"bob": "viewer"}


def test_a_deactivated_admin_does_not_count(team: Team, ada: User) -> None:
    bob = member_of(team, "bob", Role.ADMIN)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(Refused, match="needs an admin"):
        teams.remove_member(team, ada.pk, ada)


def test_roles_of_the_directory_are_changed_there(team: Team, ada: User) -> None:
    bob = member_of(team, "bob")
    Membership.objects.filter(user=bob).update(origin=Membership.Origin.SSO)
    with pytest.raises(Refused, match="single sign-on"):
        teams.change_role(team, bob.pk, Role.ADMIN, ada)
    teams.remove_member(team, bob.pk, ada)
    assert roles(team) == {"ada": "admin"}


def test_who_left_in_the_meantime_is_told(team: Team, ada: User, boss: User) -> None:
    with pytest.raises(Refused, match="not in the team"):
        teams.remove_member(team, boss.pk, ada)
    with pytest.raises(Refused, match="not in the team"):
        teams.change_role(team, boss.pk, Role.ADMIN, ada)
