"""Two teams, and everybody who might knock at the door of the first."""

from copy import deepcopy
from dataclasses import dataclass
from typing import cast

from django.contrib.auth.tokens import default_token_generator
from django.http import HttpResponse
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import Membership, Team, Token, User
from accounts.services import create_token
from rollup.services import refresh_marked
from tests.trainer import Trainer, event

# Nobody outside the team may read these anywhere.
SECRETS = ("vision-team", "vision-job", "vision-model", "vision-note", "vision-token", "vision-viewer")
TOKENS = {"write": "write", "read": "read", "admin_token": "admin"}


@dataclass(frozen=True)
class World:
    """A client for each caller, and what the parameters of an address stand for."""

    clients: dict[str, Client]
    values: dict[str, str]

    def ask(self, caller: str, method: str, path: str) -> HttpResponse:
        """The answer to a request with nothing in its body; the caller stays who they are."""
        client = self.clients[caller]
        cookies = deepcopy(client.cookies)
        response = client.generic(method, path)
        client.cookies = cookies
        return cast(HttpResponse, response)


def make_world(ts: float) -> World:
    """The team `vision-team` with a member of each role, a token of each scope and a job; strangers to it."""
    team, other = (Team.objects.create(name=name) for name in ("vision-team", "other-team"))
    members = {role: _member(f"vision-{role}", team, role) for role in Membership.Role.values}
    people = members | {
        "stranger": _member("other-admin", other, Membership.Role.ADMIN),
        "fleet_viewer": User.objects.create_user("fleet-viewer", is_fleet_viewer=True),
        "fleet_admin": User.objects.create_superuser("fleet-admin"),
    }
    clients = {"nobody": Client()} | {name: _logged_in(person) for name, person in people.items()}
    clients |= {name: _with_token(team, scope) for name, scope in TOKENS.items()}
    _leave_traces(team, ts)
    token, _ = create_token("vision-token", team.name, [Token.Scope.READ])
    return World(clients, _values(team, other, members["viewer"], token))


def _member(name: str, team: Team, role: str) -> User:
    person = User.objects.create_user(name)
    Membership.objects.create(user=person, team=team, role=role)
    return person


def _logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _with_token(team: Team, scope: str) -> Client:
    _, secret = create_token(f"vision-{scope}", team.name, [scope])
    return Client(headers={"Authorization": f"Bearer {secret}"})


def _leave_traces(team: Team, ts: float) -> None:
    """A job that runs and an annotation, as the pages show them."""
    trainer = Trainer.of_team(team.name, Client())
    trainer.send(
        event("attempt_start", ts, job="vision-job", model="vision-model", gpus=8),
        event("phase_start", ts, job="vision-job", phase="train"),
        event("heartbeat", ts + 600, job="vision-job"),
    )
    note = {"ts": ts, "title": "vision-note", "kind": "deploy"}
    assert trainer.post(note, path="/api/v1/annotations").status_code == 201
    refresh_marked(10.0)


def _values(team: Team, other: Team, member: User, token: Token) -> dict[str, str]:
    """A value for each parameter that an address may have."""
    return {
        "team_id": str(team.pk),
        "other_team_id": str(other.pk),
        "user_id": str(member.pk),
        "token_id": str(token.pk),
        "uidb64": urlsafe_base64_encode(force_bytes(member.pk)),
        "token": default_token_generator.make_token(member),
    }
