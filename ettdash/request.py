"""Requests as anybody may send them: what is malformed is the sender's fault, never a 500."""

from typing import Any

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http.response import HttpResponseBase
from django.utils.http import parse_header_parameters
from gunicorn.http.errors import ParseException


class Request(WSGIRequest):
    """A request that is read as UTF-8, and whose content type may be anything."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        # Django would take any codec that the header names, also one that is none for text.
        sent = meta.get("CONTENT_TYPE", "")
        try:
            self.content_type, self.content_params = parse_header_parameters(sent)
        except ValueError:
            self.content_type, self.content_params = sent, {}


class Input:
    """A body whose chunks may be garbage, which is then no more than a body that ends too early."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, *size: int) -> bytes:
        return self._told(self._stream.read, *size)

    def readline(self, *size: int) -> bytes:
        return self._told(self._stream.readline, *size)

    def _told(self, reader: Any, *size: int) -> bytes:
        try:
            data: bytes = reader(*size)
        except ParseException as error:
            raise OSError("the body cannot be read") from error
        return data


class Handler(WSGIHandler):
    """Django, handed such requests."""

    request_class = Request

    def __call__(self, environ: dict[str, Any], start_response: Any) -> HttpResponseBase:
        environ["wsgi.input"] = Input(environ["wsgi.input"])
        return super().__call__(environ, start_response)
