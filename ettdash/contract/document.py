"""The contract as an OpenAPI 3.1 document, worked out from the operations and the types of the rooms."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from ettdash.contract.operation import Answer, Body, Operation, Parameter
from ettdash.contract.operations import OPERATIONS
from ettdash.contract.schemas import Schema, schemas_of
from ettdash.contract.words import HEADERS, TAGS
from ettdash.version import version

DESCRIPTION = (
    "Effective Training Time for fleets that train large models: what trainers send, and what the product "
    "answers.\n\nRefusals are problem JSON (RFC 9457) with `detail` in one sentence. A method that an "
    "address does not list is 405 with `Allow`, an address that does not exist is 404."
)
SECURITY = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "ett_…",
        "description": "A token of a team, with the scope that the call needs: `write`, `read` or `admin`",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "ettdash_session",
        "description": "The login of a person, for calls that read; the cookie's name may be longer",
    },
}

SchemaOf = Callable[[Any], Schema]


def document() -> dict[str, Any]:
    """The whole contract."""
    types = list(_types())
    schemas, components = schemas_of(types)

    def schema_of(type: Any) -> Schema:
        return schemas[types.index(type)]

    return {
        "openapi": "3.1.0",
        "info": {"title": "ettdash", "version": version(), "description": DESCRIPTION},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": why} for name, why in TAGS.items()],
        "paths": _paths(schema_of),
        "components": {"schemas": components, "headers": _headers(), "securitySchemes": SECURITY},
    }


def encoded(contract: dict[str, Any]) -> bytes:
    """The document as it is served and kept in the docs."""
    return json.dumps(contract, indent=2, ensure_ascii=False).encode() + b"\n"


def _types() -> Iterator[Any]:
    for operation in OPERATIONS:
        yield from (body.type for body in operation.bodies)
        yield from (answer.type for answer in operation.answers)
        yield from (parameter.type for parameter in operation.parameters)


def _paths(schema_of: SchemaOf) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation, schema_of)
    return paths


def _operation(operation: Operation, schema_of: SchemaOf) -> dict[str, Any]:
    answers = sorted(operation.answers, key=lambda answer: answer.status)
    told: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        "security": [{"bearer": [operation.scope]}] if operation.scope else [],
    }
    if operation.parameters:
        told["parameters"] = [_parameter(one, schema_of) for one in operation.parameters]
    if operation.bodies:
        content = {body.media: _body(body, schema_of) for body in operation.bodies}
        told["requestBody"] = {"required": True, "content": content}
    told["responses"] = {str(one.status.value): _answer(one, schema_of) for one in answers}
    return told | {"x-codeSamples": [{"lang": "Shell", "source": operation.curl}]}


def _parameter(parameter: Parameter, schema_of: SchemaOf) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "description": parameter.why,
        "schema": schema_of(parameter.type),
    }


def _body(body: Body, schema_of: SchemaOf) -> dict[str, Any]:
    examples = {name: {"value": value} for name, value in body.examples.items()}
    return {"schema": schema_of(body.type), "examples": examples}


def _answer(answer: Answer, schema_of: SchemaOf) -> dict[str, Any]:
    content = {"schema": schema_of(answer.type)}
    if answer.example is not None:
        content["example"] = answer.example
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-ID", *answer.headers)}
    return {"description": answer.why, "headers": headers, "content": {answer.media: content}}


def _headers() -> dict[str, Any]:
    return {
        name: {
            "description": why,
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if name == "Retry-After" else {"type": "string"},
        }
        for name, why in HEADERS.items()
    }
