"""Plotly's script out of its installed package, as vendor/plotly.min.js."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import plotly
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage


class PlotlyFinder(BaseFinder):
    """Finds the one file, and nothing else of the package."""

    name = "plotly.min.js"

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self.storage = FileSystemStorage(Path(plotly.__file__).parent / "package_data")
        self.storage.prefix = "vendor"  # type: ignore[attr-defined]

    def find(self, path: str, find_all: bool = False, **_kwargs: Any) -> Any:
        found = self.storage.path(self.name) if path == f"vendor/{self.name}" else None
        return ([found] if found else []) if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:  # noqa: ARG002
        yield self.name, self.storage
