"""From a new team to a revoked token, in a real browser."""

import re
import time
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Error, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import Token, User
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.test_browser import Witness, no_sideways_scroll
from tests.trainer import event

pytestmark = pytest.mark.django_db(transaction=True)

HERS = "a password of her own"


def log_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("link", name="Settings")).to_be_visible()


def post_event(page: Page, server: LiveServer, secret: str) -> int:
    told = [event("heartbeat", time.time(), job="first")]
    headers = {"Authorization": f"Bearer {secret}"}
    return page.request.post(f"{server.url}/api/v1/events", data=told, headers=headers).status


def make_team_and_person(page: Page) -> str:
    """As the fleet admin: the team `vision`, and the link with which ada sets her password."""
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Teams", exact=True).click()
    page.get_by_label("Name of the team").fill("vision")
    page.get_by_role("button", name="Make team").click()
    expect(page.get_by_text("The team vision is made")).to_be_visible()
    page.get_by_role("link", name="People", exact=True).click()
    page.locator("#id_username").fill("ada")
    page.get_by_role("button", name="Make person").click()
    return page.locator("#link").inner_text()


def set_password(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(HERS)
    page.get_by_label("New password confirmation").fill(HERS)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("Your password is set")).to_be_visible()


def make_her_admin(page: Page) -> None:
    page.get_by_role("link", name="Teams", exact=True).click()
    page.get_by_role("link", name="vision", exact=True).click()
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Role", exact=True).select_option("viewer")
    page.get_by_role("button", name="Add member").click()
    page.get_by_label("Role of ada").select_option("admin")
    page.get_by_role("button", name="Set role").click()
    expect(page.get_by_text("ada is admin now")).to_be_visible()


def make_token(page: Page) -> str:
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="vision", exact=True).click()
    page.get_by_role("link", name="Make a token").click()
    page.get_by_label("Name").fill("her-trainer")
    page.get_by_role("button", name="Make token").click()
    secret = page.locator("#secret").inner_text()
    assert secret.startswith("ett_")
    return secret


def revoke(page: Page) -> None:
    page.get_by_role("link", name="Revoke her-trainer").click()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("1 token revoked or expired")).to_be_visible()


def test_from_a_new_team_to_a_revoked_token(
    live_server: LiveServer, browser: Browser, page: Page, admin: User
) -> None:
    witness = Witness(page)
    page.goto(live_server.url)
    log_in(page, "admin", PASSWORD)
    link = make_team_and_person(page)
    with browser.new_context(viewport={"width": 360, "height": 740}) as context:
        hers = context.new_page()
        set_password(hers, link)
        make_her_admin(page)
        log_in(hers, "ada", HERS)
        secret = make_token(hers)
        assert no_sideways_scroll(hers)
        assert post_event(hers, live_server, secret) == 200
        hers.get_by_role("link", name="back to the team").click()
        expect(hers.get_by_text("her-trainer").first).to_be_visible()
        # Chromium may ask whether to send the form again, which is an error here.
        with suppress(Error):
            hers.go_back()
        expect(hers.get_by_text(secret)).to_have_count(0)
        hers.goto(f"{live_server.url}/settings/teams/{Token.objects.get().team_id}/")
        assert secret not in hers.content()
        assert no_sideways_scroll(hers)
        revoke(hers)
        assert post_event(hers, live_server, secret) == 401
    page.get_by_role("link", name="Audit", exact=True).click()
    expect(page.get_by_role("row", name=re.compile("ada.*revoked token.*her-trainer"))).to_be_visible()
    witness.is_content(live_server)
