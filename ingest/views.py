"""The door for events: says yes, or names the fault of each bad one."""

import math

import msgspec
from django.http import HttpRequest, HttpResponse

from accounts.models import Token
from ingest import services
from ingest.answers import BatchAnswer, EventError
from ingest.body import Refused, read_events
from ingest.door import door
from ingest.parse import micros
from ingest.rate import limiter
from ingest.wire import Instant


@door("Events")
def post_events(request: HttpRequest, token: Token) -> HttpResponse:
    """POST /api/v1/events."""
    batch = read_events(request)
    if wait := limiter.wait_s(token.pk, len(batch)):
        detail = f"The token is over its rate; wait {wait:.1f} s and send the same again."
        raise Refused(429, detail, {"Retry-After": str(math.ceil(wait))})
    receipt = services.take_in(token.team_id, batch, services.now_us(), _sent_at(request))
    return _answer(receipt, len(batch))


def _answer(receipt: services.Receipt, sent: int) -> HttpResponse:
    rejected = len(receipt.rejections)
    errors = [_error(rejection) for rejection in receipt.rejections[: services.ERRORS_LISTED]]
    answer = BatchAnswer(receipt.accepted, receipt.duplicates, rejected, errors)
    status = 422 if sent and rejected == sent else 200
    return HttpResponse(msgspec.json.encode(answer), status=status, content_type="application/json")


def _error(rejection: services.Rejection) -> EventError:
    fault = rejection.fault
    return EventError(rejection.index, rejection.id, fault.code, fault.field, fault.message)


def _sent_at(request: HttpRequest) -> int | None:
    """The sender's clock when it sent; a header that cannot be read tells nothing and costs nothing."""
    text = request.headers.get("Ettdash-Sent-At", "").strip()
    try:
        instant = micros(msgspec.convert(text, Instant, strict=False))
    except (msgspec.ValidationError, OverflowError, ValueError):
        return None
    return instant if 0 <= instant < 2**63 else None
