"""What all tests share. Imports wait until they are needed: the core's tests run without any of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Browser, Page

    from tests.trainer import Trainer


@pytest.fixture
def trainer(db: None, client: Client) -> Trainer:
    """A trainer of the team `vision` that posts through the test client."""
    from tests.trainer import Trainer

    return Trainer.of_team("vision", client)


@pytest.fixture
def t0() -> float:
    """A whole second some time ago, within every limit."""
    return float(int(time.time()) - 6 * 3600)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium, one for all tests."""
    from playwright.sync_api import sync_playwright

    from tests.browser import launch

    with sync_playwright() as playwright, launch(playwright) as chromium:
        yield chromium


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page at desktop width, of nobody yet."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()
