"""The way to single sign-on, on the login page."""

from typing import Any

from django import template
from django.conf import settings

register = template.Library()


@register.inclusion_tag("sso/_button.html", takes_context=True)
def sso_button(context: dict[str, Any]) -> dict[str, Any]:
    """A link to the directory's login and from there to `next`; nothing where there is no directory."""
    return {"directory": settings.ETTDASH_SSO, "next": context.get("next")}
