"""The main journeys in a real browser."""

import re
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from ett.events import HOUR, SECOND
from rollup.models import Annotation
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.fleet import add_day, add_job, fill, make_team

pytestmark = pytest.mark.django_db(transaction=True)

HOSTILE = (
    '<img src=x onerror="window.hacked=1">',
    '<a href="https://evil.test">click</a>',
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd",
    "quote\"'` & <b>bold</b>",
    "👩‍👩‍👧‍👦" * 20,
    "x" * 255,
)


# Of the page and of ETT's line, as static/css/colours.css has them.
LIGHT = ("rgb(252, 252, 251)", "rgb(31, 158, 120)")
DARK = ("rgb(20, 23, 27)", "rgb(63, 191, 151)")


class Witness:
    """What a page complained about and whom it asked."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        self.hosts: set[str | None] = set()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._note(request.url))

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(said.text)

    def _note(self, url: str) -> None:
        if not url.startswith(("data:", "blob:")):
            self.hosts.add(urlsplit(url).hostname)

    def is_content(self, server: LiveServer) -> None:
        assert self.complaints == []
        assert self.hosts <= {urlsplit(server.url).hostname}


@pytest.fixture
def witness(page: Page) -> Witness:
    return Witness(page)


def log_in(page: Page, server: LiveServer, address: str = "/") -> None:
    """Through the form, as a person does."""
    page.goto(server.url + address)
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Fleet")).to_be_visible()


def no_sideways_scroll(page: Page) -> bool:
    # Text can be found before the style sheet is there, and is laid out otherwise then.
    page.wait_for_load_state("load")
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_after_log_in_the_fleet_shows_its_trend(
    live_server: LiveServer, page: Page, witness: Witness, admin: User
) -> None:
    fill()
    log_in(page, live_server)
    expect(page.locator(".number")).to_contain_text("ETT")
    expect(page.locator("#trend .scatterlayer .trace")).to_have_count(2)
    expect(page.locator("#shares .barlayer .trace")).to_have_count(11)
    expect(page.get_by_role("heading", name="Down now: 4 jobs")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    witness.is_content(live_server)


def test_a_wrong_password_is_told(live_server: LiveServer, page: Page, admin: User) -> None:
    page.goto(live_server.url)
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not match")


def test_range_and_weight_stay_in_the_url(
    live_server: LiveServer, page: Page, witness: Witness, admin: User
) -> None:
    fill()
    log_in(page, live_server, "/?range=7d")
    expect(page).to_have_url(re.compile("range=7d"))
    page.get_by_role("link", name="wall").click()
    expect(page).to_have_url(re.compile("range=7d&weight=wall"))
    page.get_by_role("link", name="60 d").click()
    expect(page).to_have_url(re.compile("range=60d&weight=wall"))
    expect(page.locator("#trend-title")).to_contain_text("of 59 days")
    page.go_back()
    expect(page).to_have_url(re.compile("range=7d&weight=wall"))
    expect(page.locator("#trend-title")).to_contain_text("of 7 days")
    witness.is_content(live_server)


def test_the_theme_follows_the_system_until_it_is_switched(
    live_server: LiveServer, page: Page, witness: Witness, admin: User
) -> None:
    fill()
    log_in(page, live_server)

    def shows(paper: str, line: str) -> None:
        expect(page.locator("body")).to_have_css("background-color", paper)
        expect(page.locator("#trend .lines path").last).to_have_css("stroke", line)

    shows(*LIGHT)
    page.emulate_media(color_scheme="dark")
    shows(*DARK)
    page.get_by_role("button", name="Switch between light and dark").click()
    shows(*LIGHT)
    page.reload()
    shows(*LIGHT)
    witness.is_content(live_server)


def test_the_page_fits_a_phone(live_server: LiveServer, browser: Browser, admin: User) -> None:
    fill()
    with browser.new_context(viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        log_in(page, live_server)
        expect(page.locator("#shares .barlayer .trace")).to_have_count(11)
        assert no_sideways_scroll(page)


def test_the_live_part_refreshes_and_keeps_charts_and_open_tables(
    live_server: LiveServer, page: Page, witness: Witness, admin: User
) -> None:
    team = fill(days=3)
    log_in(page, live_server)
    expect(page.locator("#trend .scatterlayer .trace")).to_have_count(1)
    page.locator("#trend-data summary").click()
    page.evaluate("document.getElementById('trend').marked = true")
    add_job(team, "brand-new-job", gpus=9999)
    page.evaluate("htmx.trigger('#live', 'refresh')")
    expect(page.get_by_text("brand-new-job")).to_be_visible()
    assert page.evaluate("document.getElementById('trend').marked")
    expect(page.locator("#trend .scatterlayer .trace")).to_have_count(1)
    expect(page.locator("#trend-data table")).to_be_visible()
    witness.is_content(live_server)


def test_an_empty_product_teaches_and_turns_by_itself(
    live_server: LiveServer, page: Page, witness: Witness, admin: User
) -> None:
    log_in(page, live_server)
    expect(page.get_by_text("Waiting for the first event")).to_be_visible()
    expect(page.locator("#lesson-event")).to_contain_text(f"{live_server.url}/api/v1/events")
    assert no_sideways_scroll(page)
    job = add_job(make_team(), "first-job")
    add_day(job, timezone.now().date(), {"effective": 9 * HOUR, "launcher_init": HOUR})
    expect(page.get_by_role("heading", name="Running now: 1 job")).to_be_visible()
    expect(page.locator("#trend .scatterlayer .trace")).to_have_count(1)
    witness.is_content(live_server)


def test_hostile_names_are_shown_as_they_are(
    live_server: LiveServer, page: Page, witness: Witness, admin: User
) -> None:
    today, now = timezone.now(), int(timezone.now().timestamp() * SECOND)
    for name in HOSTILE:
        team = make_team(name)
        job = add_job(team, name, model=name[:256], cluster=name)
        add_job(team, f"{name[:250]}-down", model=name, cluster=name, state="failed", down_since=now - HOUR)
        add_day(job, today.date(), {"effective": HOUR, "stalled": HOUR}, model=name)
        Annotation.objects.create(team=team, ts=today, title=name[:256], kind="config", model_names=[name])
    log_in(page, live_server)
    expect(page.locator("#trend .annotation")).to_have_count(3)
    page.locator("#trend .annotation-text", has_text="A B C").hover(force=True)
    assert page.get_by_text(HOSTILE[0], exact=True).count() >= 3
    assert page.evaluate("window.hacked") is None
    assert page.locator("main a[href*=evil], main img[src=x], svg a").count() == 0
    assert no_sideways_scroll(page)
    witness.is_content(live_server)
