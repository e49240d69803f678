"""People and a team."""

import pytest

from accounts.models import Membership, Team, User

Role = Membership.Role


@pytest.fixture
def team(db: None) -> Team:
    return Team.objects.create(name="vision")


@pytest.fixture
def boss(db: None) -> User:
    """A fleet admin."""
    return User.objects.create_superuser("boss")


@pytest.fixture
def ada(team: Team) -> User:
    """The team's admin."""
    return member_of(team, "ada", Role.ADMIN)


def member_of(team: Team, name: str, role: Role = Role.VIEWER) -> User:
    user = User.objects.create_user(name)
    Membership.objects.create(user=user, team=team, role=role)
    return user
