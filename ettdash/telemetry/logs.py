"""One line a record, whoever wrote it: Django, gunicorn, Celery or we."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import structlog
from structlog.contextvars import get_contextvars
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor

from ettdash.telemetry.masking import masked_value

FORMATS = ("json", "text")
LEVELS = ("debug", "info", "warning", "error")

# What Celery says of each task, thousands of times a day, when all goes well.
ROUTINE = ("Scheduler: Sending due task", "Task %(name)s[%(id)s] received", "Task %(name)s[%(id)s] succeeded")

structlog.configure(
    processors=[structlog.stdlib.filter_by_level, ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)


class NoRoutine(logging.Filter):
    """Leaves out what Celery says when all goes well."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.INFO or not str(record.msg).startswith(ROUTINE)


class OnlyBroken(logging.Filter):
    """Of Django's words on a request, only a traceback: the request has a line of its own."""

    def filter(self, record: logging.LogRecord) -> bool:
        return bool(record.exc_info) and getattr(record, "status_code", 500) != 503


def config(format: str, level: str) -> dict[str, Any]:
    """Settings for logging.config.dictConfig."""
    quiet = [] if level == "debug" else ["no_routine"]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"no_routine": {"()": NoRoutine}, "only_broken": {"()": OnlyBroken}},
        "formatters": {"line": {"()": ProcessorFormatter, "processors": processors(format)}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": quiet}},
        "root": {"handlers": ["console"], "level": level.upper()},
        "loggers": {
            # Without handlers of their own: all go to the one above.
            "django": {"handlers": [], "level": "INFO"},
            "django.request": {"filters": ["only_broken"]},
            "django.server": {"handlers": [], "propagate": True},
            "gunicorn.error": {"handlers": [], "level": level.upper(), "propagate": True},
            "gunicorn.access": {"handlers": [], "propagate": True},
            # Four lines a login, when all goes well.
            "axes": {"level": "WARNING"},
        },
    }


def processors(format: str) -> list[Processor]:
    """From a record to its line."""
    rendered = as_text if format == "text" else as_json
    return [described, structlog.processors.format_exc_info, without_secrets, rendered]


def described(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """When, how grave, who and what, then what is known of the request or task, then the rest."""
    record: logging.LogRecord = event.pop("_record")
    event.pop("_from_structlog")
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")
    return {
        "at": at.replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": event.pop("event"),
        **get_contextvars(),
        **event,
    }


def without_secrets(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """The same with every secret masked."""
    return {name: masked_value(value, name) for name, value in event.items()}


def as_json(_logger: Any, _method: str, event: EventDict) -> str:
    """All in ASCII: no character within can end the line, for whatever reads it."""
    return json.dumps(event, default=str)


def as_text(_logger: Any, _method: str, event: EventDict) -> str:
    """For people: a line, and below it the traceback, set in so that nothing within passes for a line."""
    rest = dict(event)
    exception = rest.pop("exception", "")
    head = f"{rest.pop('at')} {rest.pop('level').upper()} {rest.pop('logger')}: {_shown(rest.pop('event'))}"
    pairs = [f"{name}={_shown(value)}" for name, value in rest.items()]
    below = [f"    | {_shown(line)}" for line in exception.splitlines()]
    return "\n".join([" ".join([head, *pairs]), *below])


def _shown(value: Any) -> str:
    """A value with every character spelt out that is not printed as one."""
    text = value if isinstance(value, str) else str(value)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
