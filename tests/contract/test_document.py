"""The contract, the addresses, the types and the docs say the same."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from ettdash.contract.__main__ import DOCS
from ettdash.contract.document import document, encoded
from ettdash.contract.markdown import page
from ettdash.contract.words import FIELDS
from ingest.models import EventType
from ingest.parse import Fault, _check_job, _check_phase
from ingest.wire import JOB_NAME, PHASE_NAME
from tests.trainer import EVENTS, Trainer

PROBES = {"/healthz", "/readyz", "/metrics"}


@pytest.fixture(scope="module")
def contract() -> dict[str, Any]:
    return document()


def test_the_files_in_the_docs_are_what_make_contract_writes(contract: dict[str, Any]) -> None:
    assert (DOCS / "openapi.json").read_bytes() == encoded(contract)
    assert (DOCS / "api.md").read_text(encoding="utf-8") == page(contract)


def test_it_is_served_to_everybody(client: Client, contract: dict[str, Any]) -> None:
    response = client.get("/api/v1/openapi.json")
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response.content == encoded(contract)


def test_it_is_openapi_3_1(contract: dict[str, Any]) -> None:
    assert contract["openapi"] == "3.1.0"
    OPENAPI_31_VALIDATOR.validate(contract)


def test_every_reference_leads_somewhere(contract: dict[str, Any]) -> None:
    references = set(re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(contract)))
    assert references
    for reference in references:
        found: Any = contract
        for name in reference.split("/"):
            found = found[name]
    assert set(contract["components"]["schemas"]) == {
        name.rpartition("/")[2] for name in references if "schemas" in name
    }


def test_every_address_for_programs_is_in_it_and_no_other(contract: dict[str, Any]) -> None:
    served = {path for path in addresses(get_resolver()) if path.startswith("/api/") or path in PROBES}
    assert set(contract["paths"]) == served


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    """Every address there is, with its parameters in braces."""
    for entry in resolver.url_patterns:
        path = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(entry.pattern))
        if isinstance(entry, URLPattern):
            yield path
        else:
            yield from addresses(entry, path)


def test_operations_have_ids_of_their_own(contract: dict[str, Any]) -> None:
    ids = [one["operationId"] for methods in contract["paths"].values() for one in methods.values()]
    assert len(ids) == len(set(ids))


def test_every_word_is_used(contract: dict[str, Any]) -> None:
    shapes = contract["components"]["schemas"]
    used = {(shape, name) for shape in shapes for name in shapes[shape].get("properties", ())}
    assert set(FIELDS) <= {f"{shape}.{name}" for shape, name in used} | {name for _, name in used}


# What the schema says of events is what the product does.


def test_every_example_is_accepted(trainer: Trainer, settings: Settings, contract: dict[str, Any]) -> None:
    settings.ETTDASH_RETENTION_DAYS = 0  # the examples' times stand still
    for path, methods in contract["paths"].items():
        for media, body in methods.get("post", {}).get("requestBody", {}).get("content", {}).items():
            for example in body.get("examples", {}).values():
                response = trainer.post(example["value"], media, path)
                assert response.status_code in (200, 201), response.content
                assert not json.loads(response.content).get("rejected"), response.content


def test_an_example_of_every_type(contract: dict[str, Any]) -> None:
    content = contract["paths"][EVENTS]["post"]["requestBody"]["content"]["application/json"]
    events = content["examples"]["array"]["value"]
    assert sorted(event["type"] for event in events) == sorted(EventType.labels)
    validator = jsonschema_rs.validator_for(
        {"$ref": "#/components/schemas/Event", "components": contract["components"]}
    )
    assert [error.message for event in events for error in validator.iter_errors(event)] == []


@pytest.mark.parametrize(
    ("pattern", "check", "letters"),
    [(JOB_NAME, _check_job, "aé./ \n\x00\x85\u2028🚀"), (PHASE_NAME, _check_phase, "az09_.-A\n")],
)
def test_the_patterns_of_names_are_what_is_checked(pattern: str, check: Any, letters: str) -> None:
    rng = random.Random(1)
    names = {"".join(rng.choices(letters, k=rng.randrange(1, 7))) for _ in range(5_000)}
    assert {name for name in names if re.fullmatch(pattern, name)} == {
        name for name in names if taken(check, name)
    }


def taken(check: Any, name: str) -> bool:
    """Whether the product takes a name."""
    try:
        check(name)
    except Fault:
        return False
    return True
