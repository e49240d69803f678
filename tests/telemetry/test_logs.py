"""A record is one line, whoever wrote it and whatever is in it."""

import json
import logging
import logging.config
from io import StringIO

import pytest
from celery import signals
from celery.app.task import Context
from structlog.contextvars import bind_contextvars, clear_contextvars
from structlog.stdlib import ProcessorFormatter

from ettdash.telemetry import logs
from rollup.tasks import mark_silent
from tests.telemetry.conftest import Lines

FORGED = "a\n2026-01-01T00:00:00Z ERROR forged: \r\u2028\x85\x1b[31m it"


def formatted(format: str, message: str, *args: object, exc_info: BaseException | None = None) -> str:
    """How a record of the standard library comes out."""
    trace = (type(exc_info), exc_info, exc_info.__traceback__) if exc_info else None
    record = logging.LogRecord("room", logging.INFO, "f.py", 1, message, args, trace)
    return ProcessorFormatter(processors=logs.processors(format)).format(record)


@pytest.mark.parametrize("format", logs.FORMATS)
def test_nothing_within_makes_a_line(format: str) -> None:
    assert len(formatted(format, "job %s", FORGED).splitlines()) == 1


def test_json_gives_back_what_was_said() -> None:
    line = json.loads(formatted("json", "job %s", FORGED))
    assert (line["event"], line["level"], line["logger"]) == (f"job {FORGED}", "info", "room")


def test_a_traceback_as_text_stands_below_its_line_and_forges_none() -> None:
    head, *below = formatted("text", "broke", exc_info=ValueError(FORGED)).splitlines()
    assert head.endswith("INFO room: broke")
    assert below
    assert all(line.startswith("    | ") for line in below)


def test_a_traceback_is_text_and_shows_no_variables() -> None:
    def breaks(secret: str) -> None:
        raise ValueError("no luck")

    with pytest.raises(ValueError) as raised:
        breaks("swordfish-swordfish")
    for format in logs.FORMATS:
        text = formatted(format, "broke", exc_info=raised.value)
        assert "ValueError: no luck" in text
        assert "swordfish-swordfish" not in text.replace('breaks("swordfish-swordfish")', "").replace(
            'breaks(\\"swordfish-swordfish\\")', ""
        )


def test_every_writer_comes_out_the_same() -> None:
    config = logs.config("json", "info")
    handler = config["handlers"]["console"] | {"stream": (text := StringIO())}
    kept = logging.getLogger().handlers[:]
    try:
        logging.config.dictConfig(config | {"handlers": {"console": handler}})
        names = ["gunicorn.error", "django.security.DisallowedHost", "celery.worker", "rollup.services"]
        for name in names:
            logging.getLogger(name).warning("hello")
        logging.getLogger("celery.beat").info("Scheduler: Sending due task %s (%s)", "a", "b")
        logging.getLogger("django.request").warning("Not Found: /x")
    finally:
        logging.getLogger().handlers = kept
    found = [json.loads(line) for line in text.getvalue().splitlines()]
    assert [line["logger"] for line in found] == names
    assert {line["event"] for line in found} == {"hello"}


def test_a_task_names_itself_and_its_request(lines: Lines) -> None:
    log = logging.getLogger("a.room")
    mark_silent.request_stack.push(Context(id="t1", request_id="r1"))
    try:
        signals.task_prerun.send(sender=mark_silent, task=mark_silent, task_id="t1")
        log.warning("at work")
        signals.task_postrun.send(sender=mark_silent, task=mark_silent, task_id="t1")
    finally:
        mark_silent.request_stack.pop()
    log.warning("after")
    first, last = lines()
    assert (first["task"], first["task_id"], first["request_id"]) == ("rollup.tasks.mark_silent", "t1", "r1")
    assert not {"task", "task_id", "request_id"} & set(last)


def test_a_message_carries_its_age_and_the_request_that_it_comes_from() -> None:
    headers: dict[str, object] = {}
    bind_contextvars(request_id="r1")
    try:
        signals.before_task_publish.send(sender=mark_silent.name, headers=headers)
    finally:
        clear_contextvars()
    assert (headers["request_id"], set(headers)) == ("r1", {"request_id", "published_at"})


def test_what_is_bound_is_in_every_line(lines: Lines) -> None:
    bind_contextvars(request_id="r1")
    try:
        logging.getLogger("a.room").warning("hello")
    finally:
        clear_contextvars()
    assert [line["request_id"] for line in lines()] == ["r1"]
