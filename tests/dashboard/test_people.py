"""The pages of people, teams, tokens and passwords."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Membership, Team, Token, User
from accounts.people import make_link
from accounts.services import create_token, find_token, revoke_token
from tests.dashboard.conftest import PASSWORD

OTHER = "staple battery horse"


@pytest.fixture
def team(admin: User) -> Team:
    return Team.objects.create(name="vision")


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def token_form(client: Client, team: Team, **changes: object) -> dict[str, object]:
    """What the form would send, with its own key."""
    page = text_of(client, f"/settings/teams/{team.pk}/tokens/new/")
    found = re.search(r'name="form_key" value="([0-9a-f-]{36})"', page)
    assert found
    return {"name": "trainer", "scopes": ["write"], "expires_on": "", "form_key": found[1]} | changes


def log_in(name: str, password: str = PASSWORD) -> Client:
    client = Client()
    assert client.post("/login/", {"username": name, "password": password}).status_code == 302
    return client


def test_a_token_is_shown_once(visitor: Client, team: Team, admin: User) -> None:
    address, form = f"/settings/teams/{team.pk}/tokens/new/", token_form(visitor, team)
    made = visitor.post(address, form)
    secret = re.findall(r"ett_[\w-]{43}", made.content.decode())[0]
    assert "no-store" in made["Cache-Control"]
    assert f"TOKEN={secret}" in made.content.decode()
    assert "curl http://testserver/api/v1/events" in made.content.decode()
    again = visitor.post(address, form)
    assert "This form has made its token already" in again.content.decode()
    assert secret not in again.content.decode()
    assert secret not in text_of(visitor, f"/settings/teams/{team.pk}/") + text_of(
        visitor, "/settings/audit/"
    )
    assert secret not in str(dict(visitor.session.items()))
    assert Token.objects.get().created_by == admin


def test_the_form_of_a_token_is_heeded(visitor: Client, team: Team) -> None:
    tomorrow = timezone.now().date() + timedelta(days=1)
    form = token_form(visitor, team, scopes=["read", "admin"], expires_on=str(tomorrow))
    made = visitor.post(f"/settings/teams/{team.pk}/tokens/new/", form).content.decode()
    token = Token.objects.get()
    assert token.scopes == ["admin", "read"]
    assert token.expires_at
    assert token.expires_at.date() == tomorrow + timedelta(days=1)
    assert "curl" not in made


@pytest.mark.parametrize(
    "change",
    [
        {"name": " "},
        {"name": "x" * 256},
        {"scopes": []},
        {"scopes": ["root"]},
        {"expires_on": "2020-01-01"},
        {"expires_on": "9999-12-31"},
        {"expires_on": "soon"},
        {"form_key": "mine"},
        {"name": "a\0b"},
    ],
)
def test_a_wrong_form_makes_no_token(visitor: Client, team: Team, change: dict[str, object]) -> None:
    response = visitor.post(f"/settings/teams/{team.pk}/tokens/new/", token_form(visitor, team, **change))
    assert response.status_code == 200
    assert not Token.objects.exists()


def test_revoking_is_asked_before_and_seen_after(visitor: Client, team: Team) -> None:
    token, secret = create_token("old-trainer", team, ["write"])
    address = f"/settings/teams/{team.pk}/tokens/{token.pk}/revoke/"
    assert "Revoke the token" in text_of(visitor, address)
    assert find_token(secret, timezone.now())
    page = visitor.post(address, follow=True).content.decode()
    assert find_token(secret, timezone.now()) is None
    assert "The token old-trainer is revoked" in page
    assert "1 token revoked or expired" in page


def test_a_person_is_made_and_sets_their_password_once(visitor: Client, admin: User) -> None:
    made = visitor.post("/settings/people/", {"username": "ada", "email": "ada@example.com"})
    assert "no-store" in made["Cache-Control"]
    (link,) = re.findall(r"http://testserver(/settings/password/[^<]+)", made.content.decode())
    theirs = Client()
    form = theirs.get(link, follow=True)
    assert "For the user name" in form.content.decode()
    assert link not in form.request["PATH_INFO"]
    path = form.request["PATH_INFO"]
    weak = theirs.post(path, {"new_password1": "short", "new_password2": "short"})
    assert "too short" in weak.content.decode()
    done = theirs.post(path, {"new_password1": OTHER, "new_password2": OTHER}, follow=True)
    assert "Your password is set" in done.content.decode()
    assert log_in("ada", OTHER).get("/settings/").status_code == 200
    assert "This link works no more" in Client().get(link, follow=True).content.decode()
    made_by = list(AuditEntry.objects.order_by("pk").values_list("actor_name", "action"))
    assert made_by == [("admin", "person_made"), ("ada", "password_set")]


@pytest.mark.parametrize("name", ["", "two words", "x" * 151, "ADMIN", "a/b"])
def test_a_wrong_name_makes_nobody(visitor: Client, name: str) -> None:
    assert visitor.post("/settings/people/", {"username": name}).status_code == 200
    assert User.objects.count() == 1


def test_changing_the_password_ends_the_other_sessions(admin: User) -> None:
    here, there = log_in("admin"), log_in("admin")
    wrong = {"old_password": "wrong", "new_password1": OTHER, "new_password2": OTHER}
    assert here.post("/settings/password/", wrong).status_code == 200
    assert there.get("/settings/").status_code == 200
    here.post("/settings/password/", wrong | {"old_password": PASSWORD})
    assert "Your password is changed" in text_of(here, "/settings/")
    assert there.get("/settings/").status_code == 302
    assert AuditEntry.objects.get().action == "password_set"


def test_deactivating_ends_sessions_at_once_and_for_good(visitor: Client) -> None:
    ada = User.objects.create_user("ada", password=PASSWORD)
    theirs = log_in("ada")
    page = visitor.post(f"/settings/people/{ada.pk}/deactivate/", follow=True).content.decode()
    assert "ada is deactivated and logged out everywhere" in page
    assert theirs.get("/").status_code == 302
    assert Client().post("/login/", {"username": "ada", "password": PASSWORD}).status_code == 200
    visitor.post(f"/settings/people/{ada.pk}/activate/")
    assert theirs.get("/").status_code == 302
    made = visitor.post(f"/settings/people/{ada.pk}/link/").content.decode()
    assert "/settings/password/" in made


def test_deactivating_names_the_tokens_that_somebody_may_have_kept(visitor: Client, team: Team) -> None:
    ada = User.objects.create_user("ada", password=PASSWORD)
    kept, _ = create_token("ada-laptop", team, ["write"], by=ada)
    revoked, _ = create_token("ada-old", team, ["write"], by=ada)
    revoke_token(revoked, timezone.now())
    create_token("trainer", team, ["write"])
    page = text_of(visitor, f"/settings/people/{ada.pk}/deactivate/")
    assert f"/settings/teams/{team.pk}/tokens/{kept.pk}/revoke/" in page
    assert "ada-old" not in page
    assert "trainer</bdi>" not in page


def test_a_link_is_nothing_to_who_is_deactivated_by_other_means(visitor: Client, admin: User) -> None:
    ada = User.objects.create_user("ada", password=PASSWORD)
    link = make_link(ada, admin)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    page = Client().get(f"/settings/password/{link.uidb64}/{link.token}/", follow=True).content.decode()
    assert "This link works no more" in page


def test_fleet_admins_cannot_shut_themselves_out(visitor: Client, admin: User) -> None:
    me = f"/settings/people/{admin.pk}/"
    visitor.post(me, {"viewer": "on"})
    said = visitor.post(f"{me}deactivate/", follow=True).content.decode()
    assert "You cannot take this from yourself" in said
    admin.refresh_from_db()
    assert (admin.is_superuser, admin.is_fleet_viewer, admin.is_active) == (True, True, True)


def test_what_a_person_may_do_is_set_by_a_form(visitor: Client) -> None:
    ada = User.objects.create_user("ada")
    page = visitor.post(f"/settings/people/{ada.pk}/", {"viewer": "on"}, follow=True).content.decode()
    assert "Saved what ada may do in the fleet" in page
    ada.refresh_from_db()
    assert (ada.is_fleet_viewer, ada.is_superuser) == (True, False)


def test_refusals_are_said_on_the_page(client: Client, team: Team) -> None:
    ada = User.objects.create_user("ada", password=PASSWORD)
    Membership.objects.create(user=ada, team=team, role="admin")
    client.force_login(ada)
    base = f"/settings/teams/{team.pk}/"
    demoted = client.post(f"{base}members/{ada.pk}/role/", {"role": "viewer"}, follow=True)
    assert "A team needs an admin" in demoted.content.decode()
    unknown = client.post(f"{base}members/", {"username": "nobody", "role": "viewer"})
    assert "There is no active person of that user name" in unknown.content.decode()
    assert Membership.objects.get().role == "admin"


def test_a_team_is_made_and_renamed(visitor: Client) -> None:
    page = visitor.post("/settings/teams/", {"name": " vision "}, follow=True).content.decode()
    assert "The team vision is made" in page
    team = Team.objects.get()
    visitor.post(f"/settings/teams/{team.pk}/rename/", {"name": "sight"})
    visitor.post(f"/settings/teams/{team.pk}/rename/", {"name": ""})
    team.refresh_from_db()
    assert team.name == "sight"
    assert (
        "There is a team of that name" in visitor.post("/settings/teams/", {"name": "sight"}).content.decode()
    )


def test_the_audit_list_has_pages(visitor: Client, admin: User) -> None:
    assert "Nothing yet" in text_of(visitor, "/settings/audit/")
    entries = [AuditEntry(actor_name="admin", action="team_made", subject=f"team-{n:03}") for n in range(51)]
    AuditEntry.objects.bulk_create(entries)
    first, second = text_of(visitor, "/settings/audit/"), text_of(visitor, "/settings/audit/?page=2")
    assert "page 1 of 2" in first
    assert first.count(">team-0") + second.count(">team-0") == 51
    assert "page 2 of 2" in text_of(visitor, "/settings/audit/?page=99")
    assert "page 1 of 2" in text_of(visitor, "/settings/audit/?page=x")


def test_people_are_found_by_name_and_email(visitor: Client) -> None:
    User.objects.create_user("ada", "countess@example.com")
    User.objects.create_user("grace")
    assert "1 person with" in text_of(visitor, "/settings/people/?q=COUNTESS")
    assert "Nobody." in text_of(visitor, "/settings/people/?q=%00<b>")


def test_names_from_outside_are_text(visitor: Client, admin: User) -> None:
    hostile = '<img src=x onerror="hacked()">'
    team = Team.objects.create(name=hostile)
    token, _ = create_token(hostile, team, ["write"], by=admin)
    addresses = ["teams/", f"teams/{team.pk}/", f"teams/{team.pk}/tokens/{token.pk}/revoke/", "audit/"]
    for address in addresses:
        assert "<img src=x" not in text_of(visitor, f"/settings/{address}")


def test_who_logs_in_elsewhere_is_told_how_to_get_a_password(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("ada"))
    assert "you log in by single sign-on" in text_of(client, "/settings/password/")


def test_the_team_page_asks_as_many_questions_of_many_members_as_of_few(
    visitor: Client, team: Team, django_assert_max_num_queries: object
) -> None:
    for n in range(30):
        Membership.objects.create(user=User.objects.create_user(f"user-{n}"), team=team)
        create_token(f"token-{n}", team, ["write"])
    with django_assert_max_num_queries(9):  # type: ignore[operator]
        text_of(visitor, f"/settings/teams/{team.pk}/")
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        text_of(visitor, "/settings/teams/")
