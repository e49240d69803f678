"""What the groups of a directory give, and take."""

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import AuditEntry, Membership, Team, User
from accounts.sso.directory import Grant
from tests.oidc import Provider, sign_on

MAPPING = (
    Grant("ml-infra", "vision", "admin"),
    Grant("everyone", "vision", "viewer"),
    Grant("speech", "speech", "operator"),
)


def come_in(provider: Provider, *groups: str) -> None:
    """Ada logs in, a member of these groups."""
    provider.knows("s-1", preferred_username="ada", groups=list(groups))
    assert sign_on(Client(), provider, "s-1").status_code == 302


def roles() -> dict[str, tuple[str, str]]:
    return {row.team.name: (row.role, row.origin) for row in Membership.objects.select_related("team")}


def told() -> list[tuple[str, str, str]]:
    """What was written down beyond that the person was made, first to last."""
    entries = AuditEntry.objects.exclude(action="person_made").order_by("pk")
    return [(entry.action, entry.team.name if entry.team else "", entry.detail) for entry in entries]


@pytest.fixture
def mapped(provider: Provider, settings: Settings) -> Provider:
    settings.ETTDASH_SSO = provider.directory(*MAPPING)
    return provider


def test_groups_give_the_highest_role_and_make_the_team(mapped: Provider) -> None:
    come_in(mapped, "everyone", "ml-infra", "others")
    assert roles() == {"vision": ("admin", "sso")}
    assert told() == [("team_made", "vision", ""), ("member_added", "vision", "as admin")]


def test_memberships_follow_the_groups(mapped: Provider) -> None:
    come_in(mapped, "ml-infra", "speech")
    come_in(mapped, "everyone", "speech")
    assert roles() == {"vision": ("viewer", "sso"), "speech": ("operator", "sso")}
    come_in(mapped, "speech")
    assert roles() == {"speech": ("operator", "sso")}
    assert told()[4:] == [
        ("role_changed", "vision", "admin → viewer"),
        ("member_removed", "vision", "was viewer"),
    ]


def test_login_without_a_change_writes_nothing_down(mapped: Provider) -> None:
    come_in(mapped, "speech")
    before = AuditEntry.objects.count()
    come_in(mapped, "speech")
    assert AuditEntry.objects.count() == before


def test_memberships_made_by_hand_stay_as_they_are(mapped: Provider) -> None:
    come_in(mapped)
    ada = User.objects.get()
    Membership.objects.create(user=ada, team=Team.objects.create(name="vision"), role="viewer")
    Membership.objects.create(user=ada, team=Team.objects.create(name="ranking"), role="operator")
    come_in(mapped, "ml-infra", "speech")
    assert roles() == {
        "vision": ("viewer", "hand"),
        "ranking": ("operator", "hand"),
        "speech": ("operator", "sso"),
    }


def test_others_keep_their_memberships(mapped: Provider) -> None:
    grace = User.objects.create_user("grace")
    Membership.objects.create(user=grace, team=Team.objects.create(name="vision"), role="admin", origin="sso")
    come_in(mapped)
    assert roles() == {"vision": ("admin", "sso")}


def test_no_claim_is_no_group(mapped: Provider) -> None:
    come_in(mapped, "speech")
    mapped.knows("s-1", preferred_username="ada")
    sign_on(Client(), mapped, "s-1")
    assert roles() == {}


def test_one_group_may_come_as_text(mapped: Provider) -> None:
    mapped.knows("s-1", groups="speech")
    sign_on(Client(), mapped, "s-1")
    assert roles() == {"speech": ("operator", "sso")}


def test_fleet_rights_follow_the_groups(provider: Provider, settings: Settings) -> None:
    settings.ETTDASH_SSO = provider.directory(Grant("sre", None, "viewer"), Grant("platform", None, "admin"))
    come_in(provider, "sre", "platform")
    ada = User.objects.get()
    assert (ada.is_fleet_viewer, ada.is_superuser) == (True, True)
    come_in(provider, "sre")
    ada.refresh_from_db()
    assert (ada.is_fleet_viewer, ada.is_superuser) == (True, False)
    assert [detail for _, _, detail in told()] == ["fleet viewer", "fleet admin", "no longer fleet admin"]


def test_fleet_right_that_no_group_gives_is_left_alone(provider: Provider, settings: Settings) -> None:
    settings.ETTDASH_SSO = provider.directory(Grant("sre", None, "viewer"))
    come_in(provider)
    User.objects.update(is_superuser=True)
    come_in(provider)
    assert User.objects.get().is_superuser
