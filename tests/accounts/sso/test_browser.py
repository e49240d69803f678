"""Single sign-on in a real browser, with the provider on a site of its own."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from accounts.models import Team, User
from accounts.sso.directory import Grant
from tests.oidc import Provider

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer, provider: Provider) -> str:
    """The product under another host than the provider's: a browser takes them for two sites."""
    assert urlsplit(provider.issuer).hostname == "localhost"
    return f"http://127.0.0.1:{urlsplit(live_server.url).port}"


def log_in(page: Page, sub: str) -> None:
    """From the login page by the provider's own form."""
    page.get_by_role("link", name="Log in with Example ID").click()
    page.locator("input[name=sub]").fill(sub)
    page.get_by_role("button", name="Authorize", exact=True).click()


def test_person_comes_in_leaves_and_comes_again(
    page: Page, address: str, provider: Provider, settings: Settings
) -> None:
    settings.ETTDASH_SSO = provider.directory(Grant("ml-infra", "vision", "viewer"))
    provider.knows("s-1", preferred_username="ada", groups=["ml-infra"])
    page.goto(f"{address}/?weight=wall")
    expect(page).to_have_url(re.compile(r"/login/\?next="))
    log_in(page, "s-1")
    expect(page).to_have_url(f"{address}/?weight=wall")
    expect(page.locator(".user")).to_have_text("ada")
    assert list(Team.objects.filter(members__username="ada").values_list("name", flat=True)) == ["vision"]

    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(f"{address}/login/")
    page.goto(address)
    expect(page).to_have_url(re.compile("/login/"))
    log_in(page, "s-1")
    expect(page.locator(".user")).to_have_text("ada")
    assert User.objects.count() == 1


def test_person_who_says_no_gets_a_plain_page(page: Page, address: str) -> None:
    page.goto(f"{address}/login/")
    page.get_by_role("link", name="Log in with Example ID").click()
    page.locator("button[name=action][value=deny]").click()
    expect(page.get_by_role("heading")).to_have_text("You were not logged in")
    page.get_by_role("link", name="Go to the login").click()
    expect(page).to_have_url(f"{address}/login/")
