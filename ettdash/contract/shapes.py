"""Shapes of the contract that no room has a type for."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ingest.wire import NO_NUL, VALUE_CHARS, AnyEvent


class Envelope(Struct):
    """Events in an object."""

    # How many there may be is a limit of the body, as its bytes are: 413 and words, no schema.
    events: list[AnyEvent]


Batch = list[AnyEvent] | Envelope
Lines = Annotated[str, Meta(description="One [Event](#event) a line")]


class Problem(Struct):
    """Why a request was refused (RFC 9457)."""

    type: Literal["about:blank"]
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    limit: int | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class Alive(Struct):
    """The process answers."""

    status: Literal["ok"]


class Ready(Struct):
    """The database answers and is migrated; what is degraded does not stop ingest."""

    status: Literal["ok", "degraded"]
    degraded: list[Literal["redis", "rollup"]]
    rollup_lag_s: Annotated[float, Meta(ge=0)]
    last_pass_s: Annotated[float, Meta(ge=0)] | None


class NotReady(Struct):
    """Nothing can be taken in now."""

    status: Literal["unavailable"]
    detail: str


_TEXT = {"type": "string", "maxLength": VALUE_CHARS} | NO_NUL
_ATTR = {"$ref": "#/components/schemas/Attr"}

# msgspec has no words for a type that contains itself.
ATTR: dict[str, Any] = {
    "title": "Attr",
    "description": f"Any value whose JSON, or text, has at most {VALUE_CHARS} characters.",
    "anyOf": [
        _TEXT,
        {"type": ["number", "boolean", "null"]},
        {"type": "array", "items": _ATTR},
        {"type": "object", "propertyNames": NO_NUL, "additionalProperties": _ATTR},
    ],
}
