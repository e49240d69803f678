"""POST /api/v1/annotations: a deploy, config change or launched technique that trends are read against."""

import math
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from msgspec import Meta, Struct

from accounts.models import Token
from ingest.body import Refused, read_body
from ingest.door import door
from rollup.models import Annotation
from rollup.services import annotate

BODY_BYTES = 64 * 1024
FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)

Name = Annotated[str, Meta(min_length=1, max_length=256)]


class Sent(Struct, kw_only=True):
    """What a sender may say."""

    ts: Annotated[datetime, Meta(tz=True)] | int | float
    title: Name
    kind: Literal["deploy", "config", "technique"]
    models: Annotated[list[Name], Meta(max_length=64)] | None = None
    link: Annotated[str, Meta(max_length=2048)] | None = None
    id: UUID | None = None


@door("Annotations")
def annotations(request: HttpRequest, token: Token) -> HttpResponse:
    """201 with what was kept; 200 where the team has sent this id before."""
    sent = _decode(_read(request))
    values = _values(sent)
    key = sent.id or uuid4()
    made = annotate(token.team_id, key, values)
    return JsonResponse(_answer(token.team_id, key), status=201 if made else 200)


def _read(request: HttpRequest) -> bytes:
    kind = request.content_type or "application/json"
    if kind != "application/json":
        raise Refused(415, f"Send application/json, not {kind!r}.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Refused(415, "Send the annotation as it is, without Content-Encoding.")
    return read_body(request, BODY_BYTES)


def _decode(body: bytes) -> Sent:
    try:
        return msgspec.json.decode(body, type=Sent)
    except msgspec.ValidationError as error:
        raise Refused(422, f"{error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"The body is not JSON: {error}.") from None
    except RecursionError:
        raise Refused(400, "The body is nested too deeply.") from None


def _values(sent: Sent) -> dict[str, Any]:
    """The columns of an annotation that may be kept."""
    models = sent.models or []
    for field, texts in (("title", [sent.title]), ("models", models)):
        if any("\0" in text or not text.strip() for text in texts):
            raise Refused(422, f"`{field}` must be readable text: not blank, without NUL.")
    ts = _instant(sent.ts)
    return {"ts": ts, "title": sent.title, "kind": sent.kind, "model_names": models, "link": _link(sent.link)}


def _instant(ts: datetime | float) -> datetime:
    try:
        when = ts.astimezone(UTC) if isinstance(ts, datetime) else _from_epoch(ts)
    except (OverflowError, ValueError, OSError):
        when = None
    if when is None or not FIRST <= when < LAST:
        raise Refused(422, "`ts` must lie between the years 2000 and 2100.")
    return when


def _from_epoch(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if math.isfinite(seconds) else None


def _link(link: str | None) -> str:
    """The address, if it is one that a browser opens as a page."""
    if not link:
        return ""
    try:
        parts = urlsplit(link)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good or not link.isprintable() or " " in link:
        raise Refused(422, "`link` must be an http or https address.")
    return link


def _answer(team_id: int, key: UUID) -> dict[str, Any]:
    """What is kept under the id: of two contents for one id the first counts."""
    row = Annotation.objects.get(team_id=team_id, key=key)
    ts = row.ts.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return {
        "id": str(row.key),
        "ts": ts,
        "title": row.title,
        "kind": row.kind,
        "models": row.model_names,
        "link": row.link or None,
    }
