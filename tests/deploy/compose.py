"""docker-compose.yml as compose reads it: variables filled in from an .env file."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

import yaml

from ettdash.launcher.data_dir import PROJECT

FILE = PROJECT / "docker-compose.yml"
VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<rest>[^}]*))?\}")
OURS = ("migrate", "web", "worker", "beat")


def sample() -> dict[str, str]:
    """What .env.example says."""
    lines = (PROJECT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def filled() -> dict[str, str]:
    """The same with secrets made as it says."""
    return {
        name: secrets.token_hex(32) if "change-me" in value else value for name, value in sample().items()
    }


def services(values: Mapping[str, str]) -> dict[str, Any]:
    """The services with every variable filled in."""
    found = yaml.safe_load(FILE.read_text())["services"]
    return {name: _filled_in(service, values) for name, service in found.items()}


def environment(service: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    """A service's environment; what has no value there is passed on where the .env file has it."""
    given = {
        name: values.get(name) if value is None else value for name, value in service["environment"].items()
    }
    return {name: value for name, value in given.items() if value is not None}


def variables() -> dict[str, str | None]:
    """Every variable that the file asks for; where it is required, without a default."""
    found = [match for match in VARIABLE.finditer(FILE.read_text()) if match["name"]]
    return {match["name"]: match["rest"] if match["kind"] == "-" else None for match in found}


def seconds(text: str) -> float:
    """How long `90s` is."""
    return float(text.removesuffix("s"))


def _filled_in(node: Any, values: Mapping[str, str]) -> Any:
    match node:
        case str():
            return VARIABLE.sub(lambda match: _value(match, values), node)
        case dict():
            return {name: _filled_in(value, values) for name, value in node.items()}
        case list():
            return [_filled_in(value, values) for value in node]
    return node


def _value(match: re.Match[str], values: Mapping[str, str]) -> str:
    if match[0] == "$$":
        return "$"
    value = values.get(match["name"], "")
    if value or match["kind"] == "-":
        return value or match["rest"]
    raise KeyError(f"{match['name']}: {match['rest']}")
