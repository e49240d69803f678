"""Every address of the product as everybody: who gets in, who is sent away, and with what answer.

An address that is not in the table fails: whoever adds one says here who may use it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver

from tests.world import SECRETS, World, make_world

CALLERS = (
    "nobody", "viewer", "operator", "admin", "stranger", "fleet_viewer", "fleet_admin",
    "write", "read", "admin_token",
)  # fmt: skip

# A caller a column, in the order above: members of the team by role, the admin of another team, viewer and
# admin of the fleet, tokens of the team by scope. `auth` sends to the log-in page, `"` repeats the column
# before. What `/sso/` answers once sign-on is switched on is in tests/accounts/sso.
ACCESS = """
GET  /api/v1/events                                       405  "    "    "    "    "    "    "    "    "
POST /api/v1/events                                       401  "    "    "    "    "    "    400  403  "
GET  /api/v1/openapi.json                                 200  "    "    "    "    "    "    "    "    "
POST /api/v1/openapi.json                                 405  "    "    "    "    "    "    "    "    "
GET  /healthz                                             200  "    "    "    "    "    "    "    "    "
POST /healthz                                             405  "    "    "    "    "    "    "    "    "
GET  /readyz                                              200  "    "    "    "    "    "    "    "    "
POST /readyz                                              405  "    "    "    "    "    "    "    "    "
GET  /metrics                                             200  "    "    "    "    "    "    "    "    "
POST /metrics                                             405  "    "    "    "    "    "    "    "    "
GET  /sso/login/                                          404  "    "    "    "    "    "    "    "    "
POST /sso/login/                                          405  "    "    "    "    "    "    "    "    "
GET  /sso/callback/                                       404  "    "    "    "    "    "    "    "    "
POST /sso/callback/                                       405  "    "    "    "    "    "    "    "    "
GET  /                                                    auth 200  "    "    "    "    "    auth "    "
POST /                                                    405  "    "    "    "    "    "    "    "    "
GET  /fleet/live                                          200  "    "    "    "    "    "    "    "    "
POST /fleet/live                                          405  "    "    "    "    "    "    "    "    "
GET  /login/                                              200  302  "    "    "    "    "    200  "    "
POST /login/                                              200  302  "    "    "    "    "    200  "    "
GET  /logout/                                             405  "    "    "    "    "    "    "    "    "
POST /logout/                                             auth "    "    "    "    "    "    "    "    "
GET  /settings/                                           auth 200  "    "    "    "    "    auth "    "
POST /settings/                                           auth 405  "    "    "    "    "    auth "    "
GET  /settings/password/                                  auth 200  "    "    "    "    "    auth "    "
POST /settings/password/                                  auth 200  "    "    "    "    "    auth "    "
GET  /settings/password/<uidb64>/<token>/                 302  "    "    "    "    "    "    "    "    "
POST /settings/password/<uidb64>/<token>/                 302  "    "    "    "    "    "    "    "    "
GET  /settings/teams/                                     auth 200  "    "    "    "    "    auth "    "
POST /settings/teams/                                     auth 403  "    "    "    "    200  auth "    "
GET  /settings/teams/<team_id>/                           auth 200  "    "    404  200  "    auth "    "
POST /settings/teams/<team_id>/                           auth 405  "    "    404  405  "    auth "    "
GET  /settings/teams/<team_id>/rename/                    auth 403  "    "    404  403  405  auth "    "
POST /settings/teams/<team_id>/rename/                    auth 403  "    "    404  403  302  auth "    "
GET  /settings/teams/<team_id>/members/                   auth 403  "    405  404  403  405  auth "    "
POST /settings/teams/<team_id>/members/                   auth 403  "    200  404  403  200  auth "    "
GET  /settings/teams/<team_id>/members/<user_id>/role/    auth 403  "    405  404  403  405  auth "    "
POST /settings/teams/<team_id>/members/<user_id>/role/    auth 403  "    302  404  403  302  auth "    "
GET  /settings/teams/<team_id>/members/<user_id>/remove/  auth 403  "    200  404  403  200  auth "    "
POST /settings/teams/<team_id>/members/<user_id>/remove/  auth 403  "    302  404  403  302  auth "    "
GET  /settings/teams/<team_id>/tokens/new/                auth 403  "    200  404  403  200  auth "    "
POST /settings/teams/<team_id>/tokens/new/                auth 403  "    200  404  403  200  auth "    "
GET  /settings/teams/<team_id>/tokens/<token_id>/revoke/  auth 403  "    200  404  403  200  auth "    "
POST /settings/teams/<team_id>/tokens/<token_id>/revoke/  auth 403  "    302  404  403  302  auth "    "
GET  /settings/people/                                    auth 403  "    "    "    "    200  auth "    "
POST /settings/people/                                    auth 403  "    "    "    "    200  auth "    "
GET  /settings/people/<user_id>/                          auth 403  "    "    "    "    200  auth "    "
POST /settings/people/<user_id>/                          auth 403  "    "    "    "    302  auth "    "
GET  /settings/people/<user_id>/link/                     auth 403  "    "    "    "    405  auth "    "
POST /settings/people/<user_id>/link/                     auth 403  "    "    "    "    200  auth "    "
GET  /settings/people/<user_id>/deactivate/               auth 403  "    "    "    "    200  auth "    "
POST /settings/people/<user_id>/deactivate/               auth 403  "    "    "    "    302  auth "    "
GET  /settings/people/<user_id>/activate/                 auth 403  "    "    "    "    405  auth "    "
POST /settings/people/<user_id>/activate/                 auth 403  "    "    "    "    302  auth "    "
GET  /settings/audit/                                     auth 403  "    "    "    "    200  auth "    "
POST /settings/audit/                                     auth 403  "    "    "    "    405  auth "    "
GET  /api/v1/annotations                                  405  "    "    "    "    "    "    "    "    "
POST /api/v1/annotations                                  401  "    "    "    "    "    "    400  403  "
"""
Answers = dict[str, str]


def table() -> dict[tuple[str, str], Answers]:
    """What each caller is answered, by method and route."""
    rows = {}
    for line in ACCESS.strip().splitlines():
        method, route, *answers = line.split()
        for n, answer in enumerate(answers):
            answers[n] = answers[n - 1] if answer == '"' else answer
        rows[method, route] = dict(zip(CALLERS, answers, strict=True))
    return rows


def routes() -> list[str]:
    """Every address that the product has."""
    return [re.sub(r"<\w+:", "<", f"/{route}") for route in _routes(get_resolver())]


def _routes(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.pattern)
        else:
            yield from (f"{pattern.pattern}{route}" for route in _routes(pattern))


@pytest.fixture
def world(db: None, t0: float) -> World:
    return make_world(t0)


def path_of(route: str, world: World) -> str:
    """The route with the first team's things in it."""
    return re.sub(r"<(\w+)>", lambda found: world.values[found[1]], route)


def answer(world: World, caller: str, method: str, route: str) -> HttpResponse:
    """What a caller is answered; what the request changed is taken back."""
    with transaction.atomic():
        response = world.ask(caller, method, path_of(route, world))
        transaction.set_rollback(True)
    return response


def told(response: HttpResponse) -> str:
    """The answer in the words of the table."""
    sent_to_login = response.status_code == 302 and response["Location"].startswith("/login/")
    return "auth" if sent_to_login else str(response.status_code)


def test_every_address_has_an_expectation() -> None:
    expected = {(method, route) for route in routes() for method in ("GET", "POST")}
    assert set(table()) == expected


def test_everybody_gets_the_answer_that_the_table_gives(world: World) -> None:
    rows = table()
    found = {row: {caller: told(answer(world, caller, *row)) for caller in CALLERS} for row in rows}
    assert found == rows


def test_things_of_another_team_are_not_found_under_ones_own(world: World) -> None:
    own = replace(world, values=world.values | {"team_id": world.values["other_team_id"]})
    inner = [row for row in table() if "<team_id>" in row[1] and row[1].count("<") == 2]
    found = {row: told(answer(own, "stranger", *row)) for row in inner}
    assert inner
    assert {row: status for row, status in found.items() if status not in ("404", "405")} == {}


def test_no_address_takes_another_method(world: World) -> None:
    refused = {
        (method, route, caller): answer(world, caller, method, route).status_code
        for method in ("PUT", "PATCH", "DELETE")
        for route in routes()
        for caller in ("nobody", "stranger", "fleet_admin", "write")
    }
    assert {ask: status for ask, status in refused.items() if status < 300} == {}


def test_strangers_read_nothing_of_the_team_anywhere(world: World) -> None:
    """Not the name of its jobs, models, members or tokens, on any page that they may open."""
    for route in routes():
        for caller in ("nobody", "stranger"):
            text = answer(world, caller, "GET", route).content.decode()
            assert [secret for secret in SECRETS if secret in text] == [], (caller, route)


def test_scripts_of_every_page_are_files_of_this_host(world: World) -> None:
    """The policy allows no inline script, and no page has one: only data blocks, which are not run."""
    for route in (*routes(), "/nothing-here"):
        for caller in ("nobody", "viewer", "fleet_admin"):
            response = answer(world, caller, "GET", route)
            _check_policy(response["Content-Security-Policy"])
            if response["Content-Type"].startswith("text/html"):
                _check_scripts(response.content.decode(), route)


def _check_policy(policy: str) -> None:
    scripts = dict(part.strip().split(" ", 1) for part in policy.split(";"))["script-src"]
    assert scripts == "'self'"


def _check_scripts(page: str, route: str) -> None:
    for attributes, content in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL):
        assert ('src="/static/' in attributes and not content) or 'type="application/json"' in attributes, (
            route
        )
    assert not re.search(r"<[^>]*\son\w+\s*=", page), route
    assert "javascript:" not in page, route


def test_forms_of_pages_need_their_key(world: World) -> None:
    """A form sent from elsewhere changes nothing, whoever is logged in."""
    for client in world.clients.values():
        client.handler.enforce_csrf_checks = True
    taken = [
        route
        for (method, route), answers in table().items()
        if method == "POST"
        and answers["fleet_admin"] in ("200", "302")
        and answer(world, "fleet_admin", method, route).status_code != 403
    ]
    assert taken == []
