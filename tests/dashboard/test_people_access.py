"""Who gets into the pages of people, teams and tokens."""

import pytest
from django.test import Client

from accounts import teams
from accounts.access import Role
from accounts.models import AuditEntry, Membership, Team, Token, User
from accounts.services import create_token

# What each asks of a team, with what it posts.
CHANGES = {
    "members/": {"username": "newcomer", "role": "admin"},
    "members/{member}/role/": {"role": "admin"},
    "members/{member}/remove/": {},
    "tokens/new/": {"name": "x", "scopes": ["write"], "form_key": "6f1e0f8e-4d5c-4a8e-9a44-1f6f3d2a7b10"},
    "tokens/{token}/revoke/": {},
}
FLEET_PAGES = ("people/", "people/{member}/", "people/{member}/deactivate/", "audit/")
FLEET_CHANGES = (
    "people/{member}/link/",
    "people/{member}/activate/",
    "people/{member}/deactivate/",
    "people/",
)


@pytest.fixture
def places(db: None) -> dict[str, int]:
    """A team with a member, a token and somebody who might join."""
    team = Team.objects.create(name="vision")
    User.objects.create_user("newcomer")
    member = person("member", team, Role.VIEWER)
    token, _ = create_token("trainer", team, ["write"])
    return {"team": team.pk, "member": member.pk, "token": token.pk}


def person(name: str, team: Team | None, role: Role | None, **rights: bool) -> User:
    user = User.objects.create(username=name, **rights)
    if team and role:
        Membership.objects.create(user=user, team=team, role=role)
    return user


def as_role(kind: str, team_id: int) -> Client:
    """Somebody of that kind, logged in."""
    team, client = Team.objects.get(pk=team_id), Client()
    if kind == "other admin":
        user = person("x", Team.objects.create(name="speech"), Role.ADMIN)
    elif kind.startswith("fleet"):
        rights = {"is_superuser": True} if kind == "fleet admin" else {"is_fleet_viewer": True}
        user = person("x", None, None, **rights)
    else:
        user = person("x", team, Role(kind))
    client.force_login(user)
    return client


def statuses(client: Client, places: dict[str, int]) -> dict[str, int]:
    base = f"/settings/teams/{places['team']}/"
    return {
        change: client.post(base + change.format(**places), data).status_code
        for change, data in CHANGES.items()
    }


@pytest.mark.parametrize(
    ("kind", "page", "change"),
    [
        ("viewer", 200, 403),
        ("operator", 200, 403),
        ("fleet viewer", 200, 403),
        ("other admin", 404, 404),
    ],
)
def test_only_admins_change_a_team(places: dict[str, int], kind: str, page: int, change: int) -> None:
    before = AuditEntry.objects.count()
    client = as_role(kind, places["team"])
    assert client.get(f"/settings/teams/{places['team']}/").status_code == page
    assert set(statuses(client, places).values()) == {change}
    rename = f"/settings/teams/{places['team']}/rename/"
    assert client.post(rename, {"name": "mine"}).status_code == change
    assert AuditEntry.objects.count() == before
    assert Token.objects.filter(revoked_at=None).count() == 1


@pytest.mark.parametrize("kind", ["admin", "fleet admin"])
def test_admins_change_their_team(places: dict[str, int], kind: str) -> None:
    found = statuses(as_role(kind, places["team"]), places)
    assert found.pop("tokens/new/") == 200
    assert set(found.values()) == {302}
    names = set(Membership.objects.values_list("user__username", flat=True))
    assert names == ({"newcomer", "x"} if kind == "admin" else {"newcomer"})


def test_an_admin_cannot_reach_into_another_team_by_way_of_their_own(places: dict[str, int]) -> None:
    client = as_role("other admin", places["team"])
    own = f"/settings/teams/{Team.objects.get(name='speech').pk}/"
    for path in ("members/{member}/role/", "members/{member}/remove/", "tokens/{token}/revoke/"):
        assert client.post(own + path.format(**places), {"role": "admin"}).status_code == 404
    assert Membership.objects.get(user=places["member"]).role == "viewer"


@pytest.mark.parametrize("kind", ["viewer", "operator", "admin", "other admin", "fleet viewer"])
def test_people_and_teams_are_made_by_fleet_admins_alone(places: dict[str, int], kind: str) -> None:
    client, people = as_role(kind, places["team"]), User.objects.count()
    for path in FLEET_PAGES:
        assert client.get(f"/settings/{path.format(**places)}").status_code == 403
    for path in FLEET_CHANGES:
        sent = client.post(f"/settings/{path.format(**places)}", {"username": "another"})
        assert sent.status_code == 403
    me = User.objects.get(username="x")
    assert client.post(f"/settings/people/{me.pk}/", {"admin": "on"}).status_code == 403
    assert client.post("/settings/teams/", {"name": "mine"}).status_code == 403
    me.refresh_from_db()
    assert (me.is_superuser, User.objects.count(), Team.objects.filter(name="mine").count()) == (
        False,
        people,
        0,
    )


def test_nobody_is_asked_to_log_in(client: Client, places: dict[str, int]) -> None:
    paths = ["", "password/", "teams/", "teams/{team}/", *FLEET_PAGES, *FLEET_CHANGES]
    for path in [*paths, *(f"teams/{{team}}/{change}" for change in CHANGES)]:
        address = f"/settings/{path.format(**places)}"
        for response in (client.get(address), client.post(address)):
            assert response.status_code == 302, address
            assert response["Location"] == f"/login/?next={address}"


def test_a_refusal_says_what_is_needed(places: dict[str, int]) -> None:
    client = as_role("viewer", places["team"])
    page = client.get(f"/settings/teams/{places['team']}/tokens/new/").content.decode()
    assert "This needs the role admin in the team vision." in page
    assert "This is for fleet admins." in client.get("/settings/people/").content.decode()


def test_members_see_members_and_tokens_without_a_way_to_change_them(places: dict[str, int]) -> None:
    page = as_role("viewer", places["team"]).get(f"/settings/teams/{places['team']}/").content.decode()
    assert "trainer" in page
    assert "member" in page
    for way in ("Revoke", "Remove", "Add member", "Make a token", "Set role", "Rename"):
        assert way not in page


def test_ids_beyond_all_bounds_are_not_found(places: dict[str, int]) -> None:
    client, far = as_role("fleet admin", places["team"]), 10**30
    for path in (f"teams/{far}/", f"people/{far}/", f"teams/{places['team']}/members/{far}/remove/"):
        assert client.get(f"/settings/{path}").status_code == 404


def test_who_leaves_the_team_is_not_sent_to_its_page(places: dict[str, int]) -> None:
    client = as_role("admin", places["team"])
    boss = User.objects.create_superuser("boss")
    teams.add_member(Team.objects.get(pk=places["team"]), "boss", Role.ADMIN, boss)
    me = User.objects.get(username="x")
    left = client.post(f"/settings/teams/{places['team']}/members/{me.pk}/remove/", follow=True)
    assert left.redirect_chain == [("/settings/", 302)]
    assert "x is not in the team vision any more" in left.content.decode()
    assert "You are in no team yet" in left.content.decode()
    assert "boss" in left.content.decode()
