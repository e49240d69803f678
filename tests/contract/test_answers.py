"""Every answer that can be provoked is one that the contract describes: status, type, headers and shape."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import jsonschema_rs
import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from ettdash.contract.document import document
from tests.trainer import EVENTS, Trainer, event

ANNOTATIONS = "/api/v1/annotations"
GOOD = {"ts": "2026-11-14T10:00:00Z", "title": "launcher 4.2", "kind": "deploy"}

contract = document()


def described(response: Any, method: str, path: str, status: int) -> None:
    """See that a response is as the contract says."""
    assert response.status_code == status, response.content
    answer = contract["paths"][path][method]["responses"][str(status)]
    ((media, content),) = answer["content"].items()
    assert response["Content-Type"].split(";")[0] == media
    assert all(name in response.headers for name in answer["headers"])
    body = json.loads(response.content) if media.endswith("json") else response.content.decode()
    validator = jsonschema_rs.validator_for(content["schema"] | {"components": contract["components"]})
    assert [error.message for error in validator.iter_errors(body)] == []


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/api/v1/openapi.json"])
def test_what_is_open(client: Client, db: None, path: str) -> None:
    described(client.get(path), "get", path, 200)


@pytest.fixture
def database_away(transactional_db: None) -> Iterator[None]:
    """Nobody answers where the database was."""
    port = connection.settings_dict["PORT"]
    connection.close()
    connection.settings_dict["PORT"] = "1"
    yield
    connection.settings_dict["PORT"] = port
    connection.close()


def test_database_away(client: Client, database_away: None) -> None:
    described(client.get("/readyz"), "get", "/readyz", 503)
    described(client.get("/metrics"), "get", "/metrics", 200)
    for path in (EVENTS, ANNOTATIONS):
        headers = {"Authorization": "Bearer ett_any"}
        response = client.post(path, b"[]", content_type="application/json", headers=headers)
        described(response, "post", path, 503)


@pytest.mark.parametrize("path", [EVENTS, ANNOTATIONS])
def test_refusals_at_the_door(client: Client, db: None, path: str) -> None:
    trainer, reader = Trainer.of_team("vision", client), Trainer.of_team("vision", client, "read")
    described(trainer.post(b"nonsense", path=path), "post", path, 400)
    described(trainer.post([], path=path, Authorization="Bearer x"), "post", path, 401)
    described(reader.post([], path=path), "post", path, 403)
    described(trainer.post(b" " * (5 * 1024 * 1024 + 1), path=path), "post", path, 413)
    described(trainer.post([], "text/plain", path), "post", path, 415)


def test_events(trainer: Trainer, t0: float, settings: Settings) -> None:
    good, bad = event("heartbeat", t0), event("heartbeat", "noon")
    described(trainer.post([good, bad, 7]), "post", EVENTS, 200)
    described(trainer.post([bad, {}, None]), "post", EVENTS, 422)
    settings.ETTDASH_RATE = 1
    hasty = Trainer.of_team("vision", trainer.client)
    hasty.post([good] * 50)
    described(hasty.post([good]), "post", EVENTS, 429)


def test_annotations(trainer: Trainer) -> None:
    body = GOOD | {"id": str(uuid4())}
    described(trainer.post(body, path=ANNOTATIONS), "post", ANNOTATIONS, 201)
    described(trainer.post(body, path=ANNOTATIONS), "post", ANNOTATIONS, 200)
    described(trainer.post({}, path=ANNOTATIONS), "post", ANNOTATIONS, 422)


def test_a_host_that_is_not_ours(client: Client, db: None) -> None:
    path = "/api/v1/openapi.json"
    described(client.get(path, headers={"Host": "elsewhere.example"}), "get", path, 400)


@pytest.mark.parametrize("path", list(contract["paths"]))
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_405_and_told_which_are_not(db: None, path: str, method: str) -> None:
    known = [name.upper() for name in contract["paths"][path]]
    response = Client(enforce_csrf_checks=True).generic(method, path)
    if method not in known:
        assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json")
        assert set(response["Allow"].split(", ")) - {"HEAD"} == set(known)
