"""A schema in a few words, for tables."""

from typing import Any

FORMATS = {"uuid": "a UUID", "date-time": "RFC 3339 with a zone"}
PLAIN = {"boolean": "true or false", "number": "a number", "null": "null", "string": "text"}


def kind(schema: dict[str, Any]) -> str:
    """What a value may be."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return ", or ".join(map(kind, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    match schema.get("type"):
        case [*types]:
            return ", ".join(PLAIN[type] for type in types)
        case "array":
            return f"a list{_at_most(schema, 'maxItems')}: {kind(schema.get('items', {}))}"
        case "object":
            values = kind(schema.get("additionalProperties", {}))
            return f"an object{_at_most(schema, 'maxProperties')}: {values}"
        case "integer":
            return f"a whole number{_range(schema)}"
        case "string":
            name = FORMATS.get(schema.get("format", ""), "text")
            return name + _at_most(schema, "maxLength", " characters")
        case other:
            return PLAIN.get(str(other), "anything") + _range(schema)


def _at_most(schema: dict[str, Any], key: str, unit: str = "") -> str:
    return f", at most {schema[key]:,}{unit}" if key in schema else ""


def _range(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is None:
        return "" if low is None else f" from {low:,}"
    return f" from {low:,} to {high:,}"
