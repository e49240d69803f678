"""From the types of the rooms to JSON Schema 2020-12, which is what OpenAPI 3.1 speaks."""

from collections.abc import Iterable
from typing import Any

import msgspec

from ettdash.contract.shapes import ATTR
from ettdash.contract.words import FIELDS
from ingest.wire import AnyEvent

REF = "#/components/schemas/{name}"
Schema = dict[str, Any]


def schemas_of(types: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """The schema of each type, and the components that they refer to."""
    schemas, components = msgspec.json.schema_components([AnyEvent, *types], ref_template=REF)
    event, *given = (_plain(schema) for schema in schemas)
    told = {name: _described(name, _plain(schema)) for name, schema in components.items()}
    named = _with_events(told, event) | {"Event": {"title": "Event", **event}, "Attr": ATTR}
    return _with_events(given, event), dict(sorted(named.items()))


def _plain(schema: Any) -> Any:
    """Without what msgspec says twice: defaults of null, and integers beside numbers."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items() if (key, value) != ("default", None)}
    if "anyOf" in plain:
        kinds = [one for one in plain.pop("anyOf") if not _is_said_by_number(one, schema["anyOf"])]
        return kinds[0] | plain if len(kinds) == 1 else {"anyOf": kinds} | plain
    return plain


def _is_said_by_number(kind: Schema, kinds: list[Schema]) -> bool:
    return kind.get("type") == "integer" and kind | {"type": "number"} in kinds


def _described(shape: str, schema: Schema) -> Schema:
    """With what each field means."""
    told = {
        name: {"description": FIELDS.get(f"{shape}.{name}") or FIELDS[name], **field}
        for name, field in schema["properties"].items()
    }
    return schema | {"properties": told}


def _with_events(schema: Any, event: Schema) -> Any:
    """With a reference instead of the ten types wherever an event may stand."""
    if schema == event:
        return {"$ref": REF.format(name="Event")}
    if isinstance(schema, dict):
        return {key: _with_events(value, event) for key, value in schema.items()}
    if isinstance(schema, list):
        return [_with_events(value, event) for value in schema]
    return schema
