"""From a request to the events in it: size, encoding and shape of the body."""

import json
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import msgspec
from django.http import HttpRequest
from msgspec import Raw

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIB = 1024 * 1024
SENT_BYTES = 5 * MIB
UNPACKED_BYTES = 20 * MIB
EVENTS = 5_000
# A refused body is read to its end up to here, so that the sender sees the answer and not a reset.
DRAINED_BYTES = 64 * MIB
CHUNK = MIB
ZSTD_WINDOW_LOG = 25


class Refused(Exception):
    """The request as a whole cannot be taken."""

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.members = status, detail, headers, members


class Envelope(msgspec.Struct):
    events: list[Raw]


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read_events(request: HttpRequest) -> list[bytes]:
    """The events of a request, each still as JSON."""
    ndjson = _is_ndjson(request)
    encoding = _encoding(request)
    body = _unpack(read_body(request, SENT_BYTES), encoding)
    events = _split_lines(body) if ndjson else _split_json(body)
    if len(events) > EVENTS:
        raise Refused(413, f"The body holds {len(events)} events; the limit is {EVENTS}.", limit=EVENTS)
    return events


def drain(request: HttpRequest) -> None:
    """Read what is left of a body that was refused."""
    stream, left = _stream(request), DRAINED_BYTES
    with suppress(OSError):
        while left > 0 and (chunk := stream.read(CHUNK)):
            left -= len(chunk)


def _is_ndjson(request: HttpRequest) -> bool:
    kind = request.content_type or "application/json"
    if kind not in ("application/json", "application/x-ndjson"):
        raise Refused(415, f"Send application/json or application/x-ndjson, not {kind!r}.")
    charset = request.content_params.get("charset", "utf-8") if request.content_params else "utf-8"
    if charset.lower() not in ("utf-8", "utf8", "us-ascii"):
        raise Refused(415, f"Send UTF-8, not {charset!r}.")
    return kind == "application/x-ndjson"


def _encoding(request: HttpRequest) -> str:
    encoding = request.headers.get("Content-Encoding", "").strip().lower() or "identity"
    if encoding not in ("identity", "gzip", "x-gzip", "zstd"):
        raise Refused(415, f"Send Content-Encoding gzip or zstd, or none, not {encoding!r}.")
    return encoding


def _stream(request: HttpRequest) -> Readable:
    """The body's bytes, also where it comes in chunks and tells no length, which Django takes for empty."""
    if not request.META.get("CONTENT_LENGTH") and request.META.get("wsgi.input_terminated"):
        stream: Readable = request.META["wsgi.input"]
        return stream
    return request


def read_body(request: HttpRequest, limit: int) -> bytes:
    """The body as it was sent, up to a number of bytes."""
    stream, parts, size = _stream(request), [], 0
    try:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if size > limit:
                raise Refused(413, f"The body is over the limit of {_told(limit)}.", limit=limit)
            parts.append(chunk)
    except OSError:
        raise Refused(400, "The body ended too early.") from None
    return b"".join(parts)


def _told(limit: int) -> str:
    return f"{limit} bytes ({limit // MIB} MiB)" if limit >= MIB else f"{limit} bytes ({limit // 1024} KiB)"


def _unpack(body: bytes, encoding: str) -> bytes:
    if encoding == "identity":
        return body
    try:
        unpacked = _inflate(body, _unzstd if encoding == "zstd" else _gunzip)
    except (zlib.error, zstd.ZstdError, EOFError) as error:
        raise Refused(400, f"The body is not {encoding}: {error}.") from None
    if len(unpacked) > UNPACKED_BYTES:
        detail = f"The unpacked body is over the limit of {_told(UNPACKED_BYTES)}."
        raise Refused(413, detail, limit=UNPACKED_BYTES)
    return unpacked


def _inflate(body: bytes, unpacker: Callable[[], Any]) -> bytes:
    """At most one byte more than may be unpacked; packed pieces one after another are one text."""
    unpacked, rest = bytearray(), body
    while rest and len(unpacked) <= UNPACKED_BYTES:
        piece = unpacker()
        unpacked += piece.decompress(rest, UNPACKED_BYTES + 1 - len(unpacked))
        if not piece.eof and len(unpacked) <= UNPACKED_BYTES:
            raise EOFError("it ends too early")
        rest = piece.unused_data
    return bytes(unpacked)


def _gunzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _unzstd() -> Any:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})


_decode_list = msgspec.json.Decoder(list[Raw]).decode
_decode_envelope = msgspec.json.Decoder(Envelope).decode
_decode_line = msgspec.json.Decoder(Raw).decode


def _split_json(body: bytes) -> list[bytes]:
    try:
        if body.lstrip(b" \t\r\n")[:1] == b"{":
            return list(map(bytes, _decode_envelope(body).events))
        return list(map(bytes, _decode_list(body)))
    except msgspec.ValidationError:
        raise Refused(400, 'The body must be a JSON array of events or {"events": [...]}.') from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _split_text(body)
    except RecursionError:
        raise Refused(400, "The body is nested too deeply.") from None


def _split_text(body: bytes) -> list[bytes]:
    """As above where a text is not valid Unicode: that is the fault of its event, not of the others."""
    try:
        whole = json.loads(body.decode(errors="surrogateescape"), parse_constant=_no_constant)
        events = whole["events"] if isinstance(whole, dict) else whole
        return [json.dumps(one, ensure_ascii=False).encode(errors="surrogatepass") for one in events]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refused(400, f"The body is not JSON: {error}.") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _split_lines(body: bytes) -> list[bytes]:
    """One event a line; a line that is not JSON is the fault of that event, unless none is."""
    lines = [line for part in body.split(b"\n") if (line := part.strip())]
    if lines and not any(map(_is_json, lines[: EVENTS + 1])):
        raise Refused(400, "No line of the body is JSON.")
    return lines


def _is_json(line: bytes) -> bool:
    try:
        _decode_line(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
