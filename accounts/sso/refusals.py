"""The pages that say why somebody was not let in."""

import logging
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason, and what to do about it."""

    status: int
    heading: str
    text: str


CANCELLED = Refusal(
    403, "You were not logged in", "The login was cancelled, or the provider does not let you use ettdash."
)
STALE = Refusal(
    400,
    "This login is too old",
    "It was begun more than ten minutes ago or in another browser, or it was used already. Begin again.",
)
PROVIDER = Refusal(
    502,
    "The login service did not answer as it should",
    "Nothing is wrong with your account. Try again in a moment; if it stays so, an admin finds the reason in"
    " the server’s log.",
)
DEACTIVATED = Refusal(403, "Your account is deactivated", "A fleet admin can activate it again.")


def refuse(request: HttpRequest, refusal: Refusal, why: object) -> HttpResponse:
    """A plain page without anything secret; why is for the log alone."""
    log.warning("A single sign-on was refused: %s (%s)", refusal.heading, str(why)[:300])
    return render(request, "sso/refused.html", {"refusal": refusal}, status=refusal.status)
