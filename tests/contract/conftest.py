"""The real product, started once for the tests that need it behind gunicorn."""

from collections.abc import Iterator

import pytest

from tests.launcher.running import Launcher, discard, launched


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """The whole product."""
    data_dir = tmp_path_factory.mktemp("contract") / "data"
    try:
        with launched(data_dir) as launcher:
            yield launcher.up()
    finally:
        discard(data_dir)
