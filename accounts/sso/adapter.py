"""What happens here once the provider has answered."""

from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest
from django.shortcuts import redirect

from accounts.sso import id_token, people, profile, refusals
from accounts.sso.directory import Directory

BACKEND = "django.contrib.auth.backends.ModelBackend"


class DirectoryLogin(SocialLogin):  # type: ignore[misc]  # allauth has no types
    """A login with all that the provider said of the person; none of it is stored as such."""

    def __init__(self, directory: Directory, claims: dict[str, Any], **known: Any) -> None:
        super().__init__(**known)
        self.directory, self.claims = directory, claims


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Our part of allauth's course."""

    def pre_social_login(self, request: HttpRequest, sociallogin: DirectoryLogin) -> None:
        """Log the person in and stop there: allauth's own sign-up, by forms and e-mail, is not for us."""
        id_token.check_nonce(sociallogin.claims, sociallogin.state.get("nonce", ""))
        directory, account = sociallogin.directory, sociallogin.account
        told = profile.read(sociallogin.claims, directory.groups_claim)
        person = people.welcome(account.provider, account.uid, told, directory.grants)
        if not person.is_active:
            raise ImmediateHttpResponse(refusals.refuse(request, refusals.DEACTIVATED, person))
        login(request, person, backend=BACKEND)
        raise ImmediateHttpResponse(redirect(sociallogin.state.get("next") or settings.LOGIN_REDIRECT_URL))

    def on_authentication_error(
        self, request: HttpRequest, _provider: Any, exception: Exception | None = None, **_context: Any
    ) -> None:
        """A page of ours instead of allauth's."""
        refusal, why = _reason(request, exception)
        raise ImmediateHttpResponse(refusals.refuse(request, refusal, why))


def _reason(request: HttpRequest, exception: Exception | None) -> tuple[refusals.Refusal, str]:
    """Why there was no login: the provider or the person said no, or nobody here had asked."""
    error = request.GET.get("error")
    if exception is not None:
        return refusals.PROVIDER, repr(exception)
    if error == "access_denied":
        return refusals.CANCELLED, error
    return (refusals.PROVIDER, error) if error else (refusals.STALE, "no such state, or no code")
