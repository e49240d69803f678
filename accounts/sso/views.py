"""The addresses of single sign-on; without a directory there is nothing at them."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.sso.directory import Directory


@never_cache
@require_GET
def sso_login(request: HttpRequest) -> HttpResponse:
    """To the directory's login. By a link, not a form: form-action 'self' would stop it on the way."""
    directory = _directory()
    # Loaded here, as below: where nobody signs on, nothing that speaks to a provider is.
    from accounts.sso import flow

    return flow.begin(request, directory)


@never_cache
@require_GET
def sso_callback(request: HttpRequest) -> HttpResponse:
    """Back from it."""
    directory = _directory()
    from accounts.sso import flow

    return flow.finish(request, directory)


def _directory() -> Directory:
    if settings.ETTDASH_SSO is None:
        raise Http404
    return settings.ETTDASH_SSO
