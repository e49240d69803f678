"""The calls that take something in."""

from http import HTTPStatus

from dashboard.api import BODY_BYTES as ANNOTATION_BYTES
from dashboard.api import AnnotationKept, AnnotationSent
from ettdash.contract import examples
from ettdash.contract.operation import JSON, NDJSON, Answer, Body, Operation, Parameter
from ettdash.contract.refusals import DATABASE_AWAY, of_body, of_token, refusal
from ettdash.contract.shapes import Batch, Lines
from ingest.answers import BatchAnswer
from ingest.body import EVENTS

POST_EVENTS = Operation(
    id="postEvents",
    method="post",
    path="/api/v1/events",
    tag="sending",
    summary="Take events in",
    description=(
        'An array of events, an object `{"events": [...]}`, or one event a line (NDJSON), in UTF-8, as it is '
        "or with `Content-Encoding: gzip` or `zstd`. A missing `Content-Type` is taken for JSON.\n\n"
        "Good events are kept when others are bad: the answer names the fault of each bad one, up to 100 of "
        "them, and is 200 unless every event is bad. Accepted events are committed: a crash right after the "
        "answer loses none. The same event sent twice, by `job` and `id`, is a success, counted under "
        "`duplicates`; if it comes with other content, the first one received counts.\n\n"
        "Limits that a schema cannot say: `ts`, `ts + duration_s` and `snapshot_ts` lie at most 1 hour ahead "
        "of the server and are not older than the retention (90 days by default; with 0: not before the "
        "year 2000); an event has at most 64 KiB, a body 5,000 events, 5 MiB as sent and 20 MiB unpacked. "
        "docs/events.md says what each type means and lists the codes of faults."
    ),
    scope="write",
    parameters=(
        Parameter(
            "Ettdash-Sent-At",
            "header",
            "The sender's clock when it sends (RFC 3339 or epoch seconds), to tell a wrong clock from a late "
            "message. One that cannot be read is ignored",
        ),
    ),
    bodies=(
        Body(JSON, Batch, {"array": examples.EVENTS, "object": {"events": examples.EVENTS[:1]}, "empty": []}),
        Body(NDJSON, Lines, {}),
    ),
    curl=examples.POST_EVENTS,
    answers=(
        Answer(
            HTTPStatus.OK,
            "Good events are committed; bad ones, if any, are named",
            BatchAnswer,
            example=examples.SOME_BAD,
        ),
        *of_body(
            "The body is not JSON (in NDJSON: no line is), not in one of the shapes above, nested too "
            "deeply, cut short, or not what its encoding says",
            f"5 MiB as sent, 20 MiB unpacked, {EVENTS:,} events",
            "Another content type, charset or encoding",
            EVENTS,
            f"The body holds 5001 events; the limit is {EVENTS}.",
        ),
        *of_token("write"),
        Answer(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "Every event is bad; nothing was kept",
            BatchAnswer,
            example=examples.ALL_BAD,
        ),
        refusal(
            HTTPStatus.TOO_MANY_REQUESTS,
            "The token is over its rate: send the same again after `Retry-After` seconds",
            "Retry-After",
            detail="The token is over its rate; wait 1.2 s and send the same again.",
        ),
        DATABASE_AWAY,
    ),
)

POST_ANNOTATIONS = Operation(
    id="postAnnotation",
    method="post",
    path="/api/v1/annotations",
    tag="sending",
    summary="Note a deploy, a config change or a launched technique",
    description=(
        "Trends are read against it. It belongs to the token's team and is drawn on the fleet page of those "
        "who may see that team. The same `id` twice in a team is one annotation: the first content counts."
    ),
    scope="write",
    bodies=(Body(JSON, AnnotationSent, {"deploy": examples.ANNOTATION}),),
    curl=examples.POST_ANNOTATION,
    answers=(
        Answer(HTTPStatus.CREATED, "Kept", AnnotationKept, example=examples.ANNOTATION_KEPT),
        Answer(HTTPStatus.OK, "The team has sent this id before; this is what is kept", AnnotationKept),
        *of_body(
            "The body is not JSON",
            f"{ANNOTATION_BYTES:,} bytes",
            "Another content type, or a Content-Encoding",
            ANNOTATION_BYTES,
            f"The body is over the limit of {ANNOTATION_BYTES} bytes (64 KiB).",
        ),
        *of_token("write"),
        refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "A field is missing or wrong",
            detail="`link` must be an http or https address.",
        ),
        DATABASE_AWAY,
    ),
)
