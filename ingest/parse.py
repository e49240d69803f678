"""From JSON to a row: an event that may be kept, or what is wrong with one that may not."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import Struct, structs

from ingest.copying import Stamp, pack
from ingest.models import EventType
from ingest.wire import PHASE_NAME, VALUE_CHARS, AnyEvent, Checkpoint, Sent

EVENT_BYTES = 64 * 1024
SECOND = 1_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_decode: Callable[[bytes], AnyEvent] = msgspec.json.Decoder(AnyEvent).decode
_encode = msgspec.json.Encoder(order="deterministic").encode


class Fault(Exception):
    """Why an event was not kept."""

    def __init__(self, code: str, field: str, message: str) -> None:
        super().__init__(message)
        self.code, self.field, self.message = code, field, message


class Incoming(Struct, frozen=True, gc=False):
    """An event that may be kept: its identity (job and id), attempt, and row but for the job's number."""

    job: str
    id: bytes
    attempt: int
    row: bytes


class Window(NamedTuple):
    """The instants that are taken, in µs since 1970."""

    earliest: int
    latest: int
    too_old: str


def parse(raw: bytes, window: Window, stamp: Stamp) -> Incoming:
    """The event in `raw`; raises the fault of one that may not be kept."""
    if len(raw) > EVENT_BYTES:
        raise Fault("too_large", "", f"the event is larger than the limit of {EVENT_BYTES} bytes (64 KiB)")
    sent = _decoded(raw)
    job, phase, ts = sent.job, getattr(sent, "phase", None), micros(sent.ts)
    _check_job(job)
    if phase is not None:
        _check_phase(phase)
    if not window.earliest <= ts <= window.latest:
        raise _time_fault("ts", ts, window)
    duration = body = None
    if not sent.PLAIN or sent.attrs is not None:
        duration, body = _further(sent, ts, window)
    id = sent.id.bytes
    row = pack(id, sent.attempt, sent.rank or 0, sent.seq, sent.TYPE, ts, stamp, phase, duration, body)
    return Incoming(job, id, sent.attempt, row)


def _decoded(raw: bytes) -> AnyEvent:
    """The event as its type; in JSON 7.0 is a whole number too, which msgspec does not think."""
    try:
        return _decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        fault = _decode_fault(error, raw)
        if "got `float`" not in str(error):
            raise fault from None
    try:
        return _decode(_with_whole_numbers(raw))
    except (ValueError, RecursionError):
        raise fault from None


def _with_whole_numbers(raw: bytes) -> bytes:
    return json.dumps(json.loads(raw, parse_float=_number), allow_nan=False).encode()


def _number(text: str) -> float:
    value = float(text)
    # Beyond what any whole number of an event may be, only an attr would change, into a long text.
    return int(value) if value.is_integer() and abs(value) < 2**63 else value


def _further(sent: AnyEvent, ts: int, window: Window) -> tuple[int | None, bytes | None]:
    """What only some events have: a duration in µs, and the body."""
    duration = snapshot = None
    if (sent_s := getattr(sent, "duration_s", None)) is not None:
        duration = seconds(sent_s)
        if not window.earliest <= ts + duration <= window.latest:
            raise _time_fault("duration_s", ts + duration, window)
    if isinstance(sent, Checkpoint):
        snapshot = ts if sent.snapshot_ts is None else micros(sent.snapshot_ts)
        if not window.earliest <= snapshot <= window.latest:
            raise _time_fault("snapshot_ts", snapshot, window)
    if sent.attrs:
        _check_attrs(sent.attrs)
    body = _encode(_BODIES[sent.__class__](sent, snapshot))
    if b"\\u0000" in body:
        _check_nul(sent)
    return duration, None if body == b"{}" else body


def _body_of(type: type[Sent]) -> Callable[[AnyEvent, int | None], Struct]:
    """Makes the bodies of a type: the fields that have no column, but for those not sent."""
    columns = {field.name for field in structs.fields(Sent)} - {"attrs"} | {"phase", "duration_s"}
    kept = [field for field in structs.fields(type) if field.name not in columns]
    fields = [(one.name, Any, msgspec.field(default=None, name=one.encode_name)) for one in kept]
    body = msgspec.defstruct(f"{type.__name__}Body", fields, omit_defaults=True, gc=False)
    # One name alone would be got without a tuple around it.
    values = attrgetter(*(one.name for one in kept), "attrs")

    def make(sent: AnyEvent, snapshot: int | None) -> Struct:
        made = body(*values(sent)[: len(kept)])
        if snapshot is not None:
            made.snapshot_ts = snapshot  # type: ignore[attr-defined]
        return made

    return make


_BODIES = {type: _body_of(type) for type in get_args(AnyEvent)}


def micros(instant: datetime | float) -> int:
    """Whole µs since 1970."""
    if isinstance(instant, datetime):
        since = instant - EPOCH
        return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds
    return seconds(instant)


def seconds(value: float) -> int:
    """Seconds as whole µs; beyond what a float can hold, only the size matters."""
    return round(value * SECOND) if -1e15 < value < 1e15 else int(value) * SECOND


_SLASHES = re.compile(r"(?:[^/]+/)*[^/]+")
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@lru_cache(maxsize=8192)
def _check_job(name: str) -> None:
    if not 1 <= len(name) <= 255:
        raise Fault("bad_job", "job", "job must have 1 to 255 characters")
    if _FORBIDDEN.search(name):
        raise Fault("bad_job", "job", "job holds a control character or line separator")
    if not _SLASHES.fullmatch(name):
        raise Fault("bad_job", "job", "job has a leading, trailing or doubled slash")
    if any(segment in (".", "..") for segment in name.split("/")):
        raise Fault("bad_job", "job", "job has a segment that is . or ..")


@lru_cache(maxsize=8192)
def _check_phase(name: str) -> None:
    if not re.fullmatch(PHASE_NAME, name):
        raise Fault("bad_phase", "phase", "phase must be [a-z0-9_]{1,64}, or two of these with a dot")


def _check_attrs(attrs: Mapping[str, Any]) -> None:
    """A value is text, or anything else whose JSON is as short."""
    for key, value in attrs.items():
        size = len(value) if isinstance(value, str) else len(_encode(value).decode())
        if size > VALUE_CHARS:
            why = f"the attr {key!r} is longer than the limit of {VALUE_CHARS} characters"
            raise Fault("bad_attrs", "attrs", why)


def _check_nul(sent: AnyEvent) -> None:
    """Postgres cannot hold NUL, neither in text nor in JSON."""
    for field, value in msgspec.to_builtins(sent).items():
        if _has_nul(value):
            raise Fault("bad_text", field, f"{field} holds the character NUL")


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(_has_nul, value))


def _time_fault(field: str, instant: int, window: Window) -> Fault:
    name = "ts + duration_s" if field == "duration_s" else field
    if instant > window.latest:
        return Fault("too_far_ahead", field, f"{name} is more than 1 hour ahead of the server")
    return Fault("too_old", field, f"{name} {window.too_old}")


def _decode_fault(error: Exception, raw: bytes) -> Fault:
    if isinstance(error, msgspec.ValidationError):
        return _explain(str(error))
    if isinstance(error, RecursionError):
        return Fault("too_deep", "", "the event is nested too deeply")
    if not _is_json(raw):
        return Fault("not_json", "", "the event is not JSON")
    return Fault("bad_text", "", "the event holds text that is not valid Unicode")


def _is_json(raw: bytes) -> bool:
    """Whether it is JSON but for its text: the standard library takes lone surrogates, msgspec does not."""
    try:
        json.loads(raw.decode(errors="surrogateescape"))
    except (ValueError, RecursionError):
        return False
    return True


def _explain(error: str) -> Fault:
    """msgspec's complaint in the words of the wire format."""
    complaint, _, path = error.partition(" - at `")
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", complaint):
        outer = _top(path)
        field = outer or missing[1]
        return Fault(f"bad_{field}", field, f"{outer + ': ' if outer else ''}{missing[1]} is missing")
    field = _top(path)
    if not field:
        return Fault("not_an_object", "", "an event must be a JSON object")
    if field == "type":
        return Fault("bad_type", "type", "type is not one of " + ", ".join(EventType.labels))
    if "timezone" in complaint:
        return Fault(f"bad_{field}", field, f"{field} has no time zone")
    return Fault(f"bad_{field}", field, f"{field}: {complaint[0].lower()}{complaint[1:]}")


def _top(path: str) -> str:
    """`labels` of the path `$.labels[...]`, also where a key there is at fault; nothing of `$`."""
    found = re.search(r"\$\.(\w+)", path)
    return found[1] if found else ""
