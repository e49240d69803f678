"""Which version of the product this is."""

import tomllib
from functools import cache
from pathlib import Path


@cache
def version() -> str:
    """The version that pyproject.toml names; `unknown` where the file is not beside the code."""
    try:
        project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    except OSError:
        return "unknown"
    return str(project["version"])
