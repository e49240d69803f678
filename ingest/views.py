"""The door for events: says yes, or names the fault of each bad one."""

import math

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from accounts.bearer import needs_scope
from accounts.models import Token
from accounts.problems import problem
from ingest import services
from ingest.body import Refused, drain, read_events
from ingest.parse import micros
from ingest.rate import limiter
from ingest.wire import Instant


@csrf_exempt
def post_events(request: HttpRequest) -> HttpResponse:
    """POST /api/v1/events."""
    if request.method != "POST":
        return problem(405, "Events are sent by POST.", {"Allow": "POST"})
    response = _take_in(request)
    if response.status_code >= 400:
        drain(request)
    return response


@needs_scope(Token.Scope.WRITE)
def _take_in(request: HttpRequest, token: Token) -> HttpResponse:
    try:
        batch = read_events(request)
    except Refused as refusal:
        return problem(refusal.status, refusal.detail, **refusal.members)
    if wait := limiter.wait_s(token.pk, len(batch)):
        detail = f"The token is over its rate; wait {wait:.1f} s and send the same again."
        return problem(429, detail, {"Retry-After": str(math.ceil(wait))})
    receipt = services.take_in(token.team_id, batch, services.now_us(), _sent_at(request))
    return _answer(receipt, len(batch))


def _answer(receipt: services.Receipt, sent: int) -> HttpResponse:
    body = {
        "accepted": receipt.accepted,
        "duplicates": receipt.duplicates,
        "rejected": len(receipt.rejections),
        "errors": [_error(rejection) for rejection in receipt.rejections[: services.ERRORS_LISTED]],
    }
    status = 422 if sent and len(receipt.rejections) == sent else 200
    return HttpResponse(msgspec.json.encode(body), status=status, content_type="application/json")


def _error(rejection: services.Rejection) -> dict[str, object]:
    fault = rejection.fault
    return {
        "index": rejection.index,
        "id": rejection.id,
        "code": fault.code,
        "field": fault.field,
        "message": fault.message,
    }


def _sent_at(request: HttpRequest) -> int | None:
    """The sender's clock when it sent; a header that cannot be read tells nothing and costs nothing."""
    text = request.headers.get("Ettdash-Sent-At", "").strip()
    try:
        instant = micros(msgspec.convert(text, Instant, strict=False))
    except (msgspec.ValidationError, OverflowError, ValueError):
        return None
    return instant if 0 <= instant < 2**63 else None
