"""docs/api.md, made from the document."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from accounts.problems import title
from ettdash.contract.kinds import kind

HEAD = Path(__file__).with_name("head.md")


def page(contract: dict[str, Any]) -> str:
    """The whole page: its head as written by hand, each call, then each shape."""
    parts = [HEAD.read_text(encoding="utf-8").strip()]
    for path, methods in contract["paths"].items():
        for method, operation in methods.items():
            parts += [f"## {method.upper()} {path}", *_call(operation)]
    parts.append("## Shapes")
    shapes = contract["components"]["schemas"]
    for name, schema in shapes.items():
        parts += [f"### {name}", *_shape(schema, shapes)]
    return "\n\n".join(parts) + "\n"


def _call(operation: dict[str, Any]) -> Iterator[str]:
    yield f"{operation['summary']}. {_caller(operation['security'])}"
    yield operation["description"]
    yield _block("sh", operation["x-codeSamples"][0]["source"])
    if parameters := operation.get("parameters"):
        rows = [(f"`{one['name']}`", one["in"], one["description"]) for one in parameters]
        yield _table(("parameter", "in", "meaning"), rows)
    if body := operation.get("requestBody"):
        schemas = {media: one["schema"] for media, one in body["content"].items()}
        kinds = [(f"`{media}`", one.get("description") or kind(one)) for media, one in schemas.items()]
        yield _table(("Content-Type", "body"), kinds)
    answers = [_answer(*one) for one in operation["responses"].items()]
    yield _table(("status", "when", "answer", "headers"), answers)
    if example := _example(operation["responses"]):
        yield _block("json", json.dumps(example, ensure_ascii=False))


def _caller(security: list[dict[str, list[str]]]) -> str:
    if not security:
        return "Open to everybody."
    return f"Needs a token with the scope `{security[0]['bearer'][0]}`."


def _answer(status: str, answer: dict[str, Any]) -> tuple[str, ...]:
    ((media, content),) = answer["content"].items()
    headers = ", ".join(f"`{name}`" for name in answer["headers"] if name != "X-Request-ID")
    told = f"{status} {title(int(status))}"
    return told, answer["description"], f"`{media}`: {kind(content['schema'])}", headers


def _example(answers: dict[str, Any]) -> Any:
    """The example of the first answer that has one."""
    contents = (content for answer in answers.values() for content in answer["content"].values())
    return next((content["example"] for content in contents if "example" in content), None)


def _shape(schema: dict[str, Any], shapes: dict[str, Any]) -> Iterator[str]:
    common, fields = _common(shapes), schema.get("properties", {})
    if "discriminator" in schema:
        yield f"By `type`: {kind(schema)}. Each carries, besides its `type`:"
        yield _fields(common, shapes["Heartbeat"]["required"])
    elif not fields:
        yield f"{schema['description']} It is {kind(schema)}."
    elif set(common) <= set(fields):
        yield f"{schema['description']} An [Event](#event), and further:"
        further = {name: field for name, field in fields.items() if name not in common}
        yield _fields(further, schema["required"])
    else:
        yield schema["description"]
        yield _fields(fields, schema["required"])


def _common(shapes: dict[str, Any]) -> dict[str, Any]:
    """The fields that every event has, but for `type`."""
    names = [one["$ref"].rpartition("/")[2] for one in shapes["Event"]["anyOf"]]
    first, *others = (shapes[name]["properties"] for name in names)
    shared = set(first).intersection(*others) - {"type"}
    return {name: field for name, field in first.items() if name in shared}


def _fields(fields: dict[str, Any], needed: list[str]) -> str:
    """A table of fields. That one which is not needed may be null is said once, at the head of the page."""
    rows = []
    for name, field in fields.items():
        what = kind(field) if name in needed else kind(field).removesuffix(", or null")
        rows.append((f"`{name}`", "needed" if name in needed else "", what, field["description"]))
    return _table(("field", "", "kind", "meaning"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line).replace("  ", " ") + " |" for line in lines)


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"
