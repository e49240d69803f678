"""The words in which a call is declared."""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

JSON, PROBLEM = "application/json", "application/problem+json"
NDJSON, TEXT = "application/x-ndjson", "text/plain"


@dataclass(frozen=True)
class Answer:
    """One status that a call may answer with."""

    status: HTTPStatus
    why: str
    type: Any
    media: str = JSON
    headers: tuple[str, ...] = ()
    example: Any = None


@dataclass(frozen=True)
class Body:
    """What may be sent in one media type."""

    media: str
    type: Any
    examples: dict[str, Any]


@dataclass(frozen=True)
class Parameter:
    """What may be said besides the body."""

    name: str
    place: Literal["query", "header", "path"]
    why: str
    type: Any = str
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """One call: who may make it, what it takes, what it answers, and how it is made with curl."""

    id: str
    method: Literal["get", "post"]
    path: str
    tag: str
    summary: str
    description: str
    curl: str
    answers: tuple[Answer, ...]
    # Of the token; a call without one is open to everybody.
    scope: Literal["read", "write", "admin"] | None = None
    bodies: tuple[Body, ...] = ()
    parameters: tuple[Parameter, ...] = field(default=())
