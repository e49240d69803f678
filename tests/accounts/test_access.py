"""What a person may see and do."""

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts.access import Role, is_fleet_admin, may, role_in, sees_all, visible_teams
from accounts.models import Membership, Team, User
from tests.accounts.conftest import member_of


@pytest.mark.parametrize("role", list(Role))
def test_a_role_holds_in_its_team_alone(team: Team, role: Role) -> None:
    other = Team.objects.create(name="speech")
    user = member_of(team, "ada", role)
    assert list(visible_teams(user)) == [team]
    assert (role_in(user, team), role_in(user, other)) == (role, None)
    allowed = {wanted for wanted in Role if may(user, team, wanted)}
    assert allowed == set(list(Role)[: list(Role).index(role) + 1])
    assert not any(may(user, other, wanted) for wanted in Role)


def test_fleet_viewer_sees_all_and_does_more_only_where_a_role_says_so(team: Team) -> None:
    other = Team.objects.create(name="speech")
    user = member_of(team, "ada", Role.OPERATOR)
    user.is_fleet_viewer = True
    assert set(visible_teams(user)) == {team, other}
    assert (role_in(user, team), role_in(user, other)) == (Role.OPERATOR, Role.VIEWER)
    assert (sees_all(user), is_fleet_admin(user)) == (True, False)


def test_fleet_admin_is_admin_everywhere(team: Team, boss: User) -> None:
    Membership.objects.create(user=boss, team=team, role=Role.VIEWER)
    assert role_in(boss, team) == Role.ADMIN
    assert (sees_all(boss), is_fleet_admin(boss)) == (True, True)


def test_whoever_is_deactivated_or_nobody_has_nothing(team: Team, ada: User, boss: User) -> None:
    viewer = User(username="eve", is_fleet_viewer=True)
    for user in (ada, boss, viewer):
        user.is_active = False
    for nobody in (ada, boss, viewer, AnonymousUser()):
        assert not visible_teams(nobody)
        assert role_in(nobody, team) is None
        assert not may(nobody, team, Role.VIEWER)
        assert not sees_all(nobody)
        assert not is_fleet_admin(nobody)
