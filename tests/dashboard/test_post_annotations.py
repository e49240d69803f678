"""POST /api/v1/annotations: what is kept, and how each refusal reads."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.services import create_token
from rollup.models import Annotation

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/annotations"
GOOD = {"ts": "2026-11-14T10:00:00+02:00", "title": "launcher 4.2", "kind": "deploy"}


@pytest.fixture
def token() -> str:
    return create_token("ci", "ranking", ["write"])[1]


def send(token: str, body: Any, **headers: str) -> HttpResponse:
    """A post of some JSON, or of bytes as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = headers.pop("content_type", "application/json")
    # Refusals must hold without the help of the form cookie.
    client = Client(enforce_csrf_checks=True)
    return client.post(  # type: ignore[return-value]
        ADDRESS, content, content_type=kind, headers={"Authorization": f"Bearer {token}"} | headers
    )


def told(response: HttpResponse) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(response.content)
    return answer


def refused(response: HttpResponse, status: int) -> str:
    """The detail of a problem; nothing was kept."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    assert not Annotation.objects.exists()
    return str(told(response)["detail"])


def test_an_annotation_is_kept_for_the_tokens_team_and_told_back(token: str) -> None:
    key = str(uuid4())
    further = {"models": ["ranker-xl"], "link": "https://ci.example/4.2", "id": key}
    response = send(token, GOOD | further)
    assert response.status_code == 201
    assert (
        told(response) == {"ts": "2026-11-14T08:00:00Z", "title": "launcher 4.2", "kind": "deploy"} | further
    )
    row = Annotation.objects.get()
    assert (row.team.name, str(row.key), row.model_names) == ("ranking", key, ["ranker-xl"])


def test_without_id_models_and_link_it_is_the_whole_fleets(token: str) -> None:
    answer = told(send(token, GOOD | {"ts": 1_763_107_200.25}))
    assert answer["ts"] == "2025-11-14T08:00:00.250000Z"
    assert (answer["models"], answer["link"]) == ([], None)
    assert Annotation.objects.get(key=answer["id"]).model_names == []


def test_the_same_id_twice_is_one_annotation_and_the_first_counts(token: str) -> None:
    key = str(uuid4())
    assert send(token, GOOD | {"id": key}).status_code == 201
    again = send(token, GOOD | {"id": key, "title": "something else"})
    assert again.status_code == 200
    assert told(again)["title"] == "launcher 4.2"
    assert Annotation.objects.count() == 1


def test_two_teams_may_use_one_id(token: str) -> None:
    key = str(uuid4())
    other = create_token("ci", "ads", ["write"])[1]
    assert [send(t, GOOD | {"id": key}).status_code for t in (token, other)] == [201, 201]


@pytest.mark.parametrize(
    "change",
    [
        {"ts": "2026-11-14T10:00:00"},
        {"ts": "yesterday"},
        {"ts": 1e300},
        {"ts": -1e18},
        {"ts": 10**30},
        {"ts": None},
        {"title": ""},
        {"title": "   "},
        {"title": "a\0b"},
        {"title": "x" * 257},
        {"title": 7},
        {"kind": "party"},
        {"models": ["m"] * 65},
        {"models": [""]},
        {"models": ["a\0b"]},
        {"models": "ranker"},
        {"link": "javascript:alert(1)"},
        {"link": "ftp://host/file"},
        {"link": "https://"},
        {"link": "https://[::1"},
        {"link": "https://host/\0"},
        {"link": "https://host/" + "x" * 2048},
        {"id": "not-a-uuid"},
    ],
)
def test_a_wrong_field_is_a_422_that_names_it(token: str, change: dict[str, Any]) -> None:
    detail = refused(send(token, GOOD | change), 422)
    assert next(iter(change)) in detail


@pytest.mark.parametrize("missing", ["ts", "title", "kind"])
def test_a_missing_field_is_a_422_that_names_it(token: str, missing: str) -> None:
    body = {name: value for name, value in GOOD.items() if name != missing}
    assert missing in refused(send(token, body), 422)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"title": NaN}'])
def test_a_body_that_is_not_json_is_a_400(token: str, body: bytes) -> None:
    refused(send(token, body), 400)


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"null", b"[" * 10_000])
def test_json_that_is_no_object_is_a_422(token: str, body: bytes) -> None:
    refused(send(token, body), 422)


def test_a_lone_surrogate_is_refused(token: str) -> None:
    response = send(token, b'{"ts": 1763107200, "kind": "deploy", "title": "\\ud800"}')
    assert response.status_code in (400, 422)
    assert not Annotation.objects.exists()


def test_a_large_body_is_a_413_that_names_the_limit(token: str) -> None:
    response = send(token, GOOD | {"further": "x" * 70_000})
    refused(response, 413)
    assert told(response)["limit"] == 65_536


def test_another_content_type_is_a_415(token: str) -> None:
    refused(send(token, b"title=x", content_type="application/x-www-form-urlencoded"), 415)
    refused(send(token, GOOD, **{"Content-Encoding": "gzip"}), 415)


def test_no_or_a_wrong_token_is_a_401_and_one_without_the_scope_a_403() -> None:
    reader = create_token("grafana", "ranking", ["read"])[1]
    refused(Client().post(ADDRESS, GOOD, content_type="application/json"), 401)  # type: ignore[arg-type]
    refused(send("ett_unknown", GOOD), 401)
    refused(send(reader, GOOD), 403)


def test_another_method_is_a_405_that_names_post(client: Client) -> None:
    response = client.get(ADDRESS)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
