"""Data directories that leave nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.launcher import running


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data directory that does not exist yet."""
    path = tmp_path / "data"
    yield path
    running.discard(path)


@pytest.fixture
def other_data_dir(tmp_path: Path) -> Iterator[Path]:
    """A second one."""
    path = tmp_path / "other"
    yield path
    running.discard(path)
