"""POST /api/v1/annotations: a deploy, config change or launched technique that trends are read against."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import msgspec
from django.http import HttpRequest, HttpResponse
from msgspec import Meta, Struct

from accounts.models import Token
from ingest.body import Refused, read_body
from ingest.door import door
from rollup.models import Annotation
from rollup.services import annotate

BODY_BYTES = 64 * 1024
# What cannot be seen: controls, spaces, marks of direction.
_UNSEEN = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
READABLE = rf"^[^\u0000]*[^{_UNSEEN}][^\u0000]*$"
# An address that a browser opens as a page.
LINK = rf"^(https?://(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{{1,5}})?([/?#][^{_UNSEEN}]*)?)?$"
FIRST_S, LAST_S = 946_684_800, 4_102_444_799
EPOCH = {"minimum": FIRST_S, "maximum": LAST_S}

Name = Annotated[str, Meta(min_length=1, max_length=256, extra_json_schema={"pattern": READABLE})]
Instant = (
    Annotated[datetime, Meta(tz=True, extra_json_schema={"pattern": "^20"})]
    | Annotated[int, Meta(extra_json_schema=EPOCH)]
    | Annotated[float, Meta(extra_json_schema=EPOCH)]
)


class AnnotationSent(Struct, kw_only=True):
    """A deploy, config change or launched technique."""

    ts: Instant
    title: Name
    kind: Literal["deploy", "config", "technique"]
    models: Annotated[list[Name], Meta(max_length=64)] | None = None
    link: Annotated[str, Meta(max_length=2048, extra_json_schema={"pattern": LINK})] | None = None
    id: UUID | None = None


class AnnotationKept(Struct, frozen=True):
    """An annotation as it is kept."""

    id: UUID
    ts: Annotated[datetime, Meta(tz=True)]
    title: str
    kind: str
    models: list[str]
    link: str | None


@door("Annotations")
def annotations(request: HttpRequest, token: Token) -> HttpResponse:
    """201 with what was kept; 200 where the team has sent this id before."""
    sent = _decode(_read(request))
    values = _values(sent)
    key = sent.id or uuid4()
    made = annotate(token.team_id, key, values)
    kept = msgspec.json.encode(_kept(token.team_id, key))
    return HttpResponse(kept, status=201 if made else 200, content_type="application/json")


def _read(request: HttpRequest) -> bytes:
    kind = request.content_type or "application/json"
    if kind != "application/json":
        raise Refused(415, f"Send application/json, not {kind!r}.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Refused(415, "Send the annotation as it is, without Content-Encoding.")
    return read_body(request, BODY_BYTES)


def _decode(body: bytes) -> AnnotationSent:
    try:
        return msgspec.json.decode(body, type=AnnotationSent)
    except msgspec.ValidationError as error:
        raise Refused(422, f"{error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"The body is not JSON: {error}.") from None
    except RecursionError:
        raise Refused(400, "The body is nested too deeply.") from None


def _values(sent: AnnotationSent) -> dict[str, Any]:
    """The columns of an annotation that may be kept."""
    models = sent.models or []
    for field, texts in (("title", [sent.title]), ("models", models)):
        if not all(re.fullmatch(READABLE, text) for text in texts):
            raise Refused(422, f"`{field}` must be readable text: not blank, without NUL.")
    ts = _instant(sent.ts)
    return {"ts": ts, "title": sent.title, "kind": sent.kind, "model_names": models, "link": _link(sent.link)}


def _instant(ts: datetime | float) -> datetime:
    """The instant, if it is one of this century's: by the year as written, or by its seconds."""
    good = 2000 <= ts.year < 2100 if isinstance(ts, datetime) else FIRST_S <= ts <= LAST_S
    if not good:
        raise Refused(422, "`ts` must lie between the years 2000 and 2100.")
    return ts.astimezone(UTC) if isinstance(ts, datetime) else datetime.fromtimestamp(ts, UTC)


def _link(link: str | None) -> str:
    if link and not re.fullmatch(LINK, link):
        raise Refused(422, "`link` must be an http or https address.")
    return link or ""


def _kept(team_id: int, key: UUID) -> AnnotationKept:
    """What is kept under the id: of two contents for one id the first counts."""
    row = Annotation.objects.get(team_id=team_id, key=key)
    ts = row.ts.astimezone(UTC)
    return AnnotationKept(row.key, ts, row.title, row.kind, row.model_names, row.link or None)
