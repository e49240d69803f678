"""Reading the log as it is written."""

import json
import logging
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from structlog.stdlib import ProcessorFormatter

from ettdash.telemetry.logs import processors

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def written() -> Iterator[StringIO]:
    """What the log holds as JSON, from here on."""
    text = StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(ProcessorFormatter(processors=processors("json")))
    logging.getLogger().addHandler(handler)
    yield text
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def lines(written: StringIO) -> Lines:
    """The objects of these lines."""
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]
