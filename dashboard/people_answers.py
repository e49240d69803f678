"""How the pages under /settings/ answer to a change."""

from collections.abc import Callable
from typing import TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from accounts.refused import Refused

Change = TypeVar("Change")


def tried(request: HttpRequest, change: Callable[[], object], done: str) -> None:
    """Make a change; the next page says that it is done, or why not."""
    try:
        change()
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, done)


def accepted(form: forms.Form, change: Callable[[], Change]) -> Change | None:
    """What a change gives; None where it is refused, and then the form says why."""
    try:
        return change()
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return None
