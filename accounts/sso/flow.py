"""The two steps of a login: the browser goes to the provider, and comes back with an answer."""

from typing import Any

from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.http import url_has_allowed_host_and_scheme
from requests import RequestException

from accounts.sso import id_token, refusals
from accounts.sso.adapter import DirectoryLogin
from accounts.sso.directory import Directory
from accounts.sso.discovery import Endpoints, endpoints, fetch


def begin(request: HttpRequest, directory: Directory) -> HttpResponse:
    """To the provider's login."""
    return _step(OAuth2LoginView, request, directory)


def finish(request: HttpRequest, directory: Directory) -> HttpResponse:
    """To the page that was asked for, as the person whom the provider names."""
    return _step(OAuth2CallbackView, request, directory)


def _step(view: Any, request: HttpRequest, directory: Directory) -> HttpResponse:
    try:
        response: HttpResponse = view.adapter_view(Conversation(request, directory))(request)
    except (RequestException, OAuth2Error) as error:
        return refusals.refuse(request, refusals.PROVIDER, repr(error))
    return response


class Provider(OpenIDConnectProvider):  # type: ignore[misc]  # allauth has no types
    """Asks for a login alone, whatever else the address that began it may ask for."""

    pkce_enabled_default = True

    def __init__(self, request: HttpRequest, directory: Directory) -> None:
        self.directory = directory
        app = SocialApp(provider_id=directory.issuer, name=directory.name)
        app.client_id, app.secret = directory.client_id, directory.secret
        app.settings = {"scope": directory.scopes}
        super().__init__(request, app=app)

    def get_redirect_from_request_kwargs(self, request: HttpRequest) -> dict[str, Any]:
        # What is not a parameter of the provider's is kept in the session until the answer comes.
        nonce = get_random_string(32)
        asked = {"auth_params": {"nonce": nonce}, "nonce": nonce, "next_url": _local(request)}
        return asked | {"process": AuthProcess.LOGIN}

    def get_oauth2_adapter(self, request: HttpRequest) -> "Conversation":
        return Conversation(request, self.directory)


class Conversation(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    """What we and the provider say to each other without the browser."""

    def __init__(self, request: HttpRequest, directory: Directory) -> None:
        self.directory = directory
        super().__init__(request, directory.issuer)

    @property
    def openid_config(self) -> Endpoints:
        return endpoints(self.directory.issuer)

    def get_provider(self) -> Provider:
        return Provider(self.request, self.directory)

    def get_callback_url(self, request: HttpRequest, _app: SocialApp) -> str:
        return request.build_absolute_uri(reverse("sso_callback"))

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = super().get_access_token_data(*args, **kwargs)
        except KeyError as error:
            raise OAuth2Error(f"The provider's answer lacks {error}.") from error
        return answer

    def parse_token(self, data: dict[str, Any]) -> SocialToken:
        # It is used once, below, and not kept: when it expires does not matter.
        return SocialToken(token=data["access_token"])

    def complete_login(
        self, _request: HttpRequest, app: SocialApp, token: SocialToken, *, response: dict[str, Any]
    ) -> DirectoryLogin:
        at, signed = self.openid_config, response.get("id_token")
        # allauth itself would trust the connection; here the signature counts, whatever way the token came.
        keys = fetch(at["jwks_uri"])
        claims = id_token.check(signed, keys, issuer=at["issuer"], client_id=app.client_id)
        further = self._userinfo(claims["sub"], token.token)
        account = SocialAccount(provider=self.directory.issuer, uid=claims["sub"])
        return DirectoryLogin(self.directory, further | claims, account=account, provider=self.get_provider())

    def _userinfo(self, subject: str, access_token: str) -> dict[str, Any]:
        """What the provider says only when asked apart: some keep names or groups out of the ID token."""
        if "userinfo_endpoint" not in self.openid_config:
            return {}
        claims = fetch(self.openid_config["userinfo_endpoint"], {"Authorization": f"Bearer {access_token}"})
        if claims.get("sub") != subject:
            raise OAuth2Error("The provider's user info is about somebody else.")
        return claims


def _local(request: HttpRequest) -> str:
    """Where the person wanted to go, if that is a page of ours."""
    wanted = request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else ""
