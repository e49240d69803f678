"""The id of a request: in its answer, in the lines of the log that it causes, in the tasks it asks for."""

import re
import secrets

from django.http import HttpRequest
from structlog.contextvars import get_contextvars

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")


def id_of(request: HttpRequest) -> str:
    """The caller's own id where it can be written anywhere without harm, else a new one."""
    sent = request.META.get("HTTP_X_REQUEST_ID", "")
    return sent if WELL_FORMED.fullmatch(sent) else secrets.token_hex(16)


def current_id() -> str:
    """The id of the request that is being served; empty where there is none."""
    return str(get_contextvars().get("request_id", ""))
