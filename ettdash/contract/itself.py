"""The calls that tell about the product itself."""

from http import HTTPStatus

from ettdash.contract import examples
from ettdash.contract.operation import TEXT, Answer, Operation
from ettdash.contract.refusals import UNREADABLE
from ettdash.contract.shapes import Alive, NotReady, Ready

GET_OPENAPI = Operation(
    id="getContract",
    method="get",
    path="/api/v1/openapi.json",
    tag="the product itself",
    summary="This contract",
    description="OpenAPI 3.1.",
    curl='curl -sS "$URL/api/v1/openapi.json"',
    answers=(Answer(HTTPStatus.OK, "The contract", dict, headers=("Cache-Control",)), UNREADABLE),
)

GET_HEALTHZ = Operation(
    id="getHealth",
    method="get",
    path="/healthz",
    tag="the product itself",
    summary="Is the web process alive",
    description="Asks nothing but the process itself.",
    curl='curl -sS "$URL/healthz"',
    answers=(Answer(HTTPStatus.OK, "It is", Alive, example={"status": "ok"}),),
)

GET_READYZ = Operation(
    id="getReadiness",
    method="get",
    path="/readyz",
    tag="the product itself",
    summary="Can events be taken in",
    description=(
        "200 while the database answers and is migrated. A broker that is away, or totals that lag behind, "
        "do not stop ingest, so they only degrade."
    ),
    curl='curl -sS "$URL/readyz"',
    answers=(
        Answer(HTTPStatus.OK, "They can", Ready, example=examples.READY),
        Answer(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "They cannot",
            NotReady,
            headers=("Retry-After",),
            example={"status": "unavailable", "detail": "the database does not answer"},
        ),
    ),
)

GET_METRICS = Operation(
    id="getMetrics",
    method="get",
    path="/metrics",
    tag="the product itself",
    summary="What the product counts of itself",
    description="Prometheus' text format; docs/telemetry.md lists every metric.",
    curl='curl -sS "$URL/metrics"',
    answers=(Answer(HTTPStatus.OK, "The metrics", str, TEXT),),
)
