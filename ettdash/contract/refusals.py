"""The refusals that calls share; all are problem JSON."""

from http import HTTPStatus
from typing import Any

from accounts.problems import title
from ettdash.contract.operation import PROBLEM, Answer
from ettdash.contract.shapes import Problem


def refusal(status: HTTPStatus, why: str, *headers: str, detail: str, **members: Any) -> Answer:
    """An answer in problem JSON, with an example of its detail."""
    example = {"type": "about:blank", "title": title(status), "status": status.value, "detail": detail}
    return Answer(status, why, Problem, PROBLEM, headers, example | members)


UNREADABLE = refusal(
    HTTPStatus.BAD_REQUEST,
    "The request names a host that is not served here, or cannot be read at all",
    detail="The request cannot be read, or names a host that is not served here.",
)
DATABASE_AWAY = refusal(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The database does not answer; nothing was stored: send the same again after `Retry-After` seconds",
    "Retry-After",
    detail="The database does not answer; send the same again.",
)


def of_token(scope: str) -> tuple[Answer, ...]:
    """The refusals of a caller whose token is missing, wrong, or lacks the scope."""
    return (
        refusal(
            HTTPStatus.UNAUTHORIZED,
            "There is no token, or it is unknown, revoked or expired",
            "WWW-Authenticate",
            detail="The token is unknown, revoked or expired.",
        ),
        refusal(
            HTTPStatus.FORBIDDEN,
            f"The token lacks the scope `{scope}`",
            detail=f"The token lacks the scope `{scope}`.",
        ),
    )


def of_body(not_json: str, limits: str, not_taken: str, limit: int, detail: str) -> tuple[Answer, ...]:
    """The refusals of a body that cannot be read: not JSON, too large, of another type."""
    return (
        refusal(HTTPStatus.BAD_REQUEST, not_json, detail="The body is not JSON: it ends too early."),
        refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"Over a limit, which `limit` names: {limits}",
            detail=detail,
            limit=limit,
        ),
        refusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, not_taken, detail="Send application/json, not 'text/plain'."
        ),
    )
