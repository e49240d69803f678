"""A directory whose people may come in."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests import oidc


@pytest.fixture(scope="session")
def running_provider() -> Iterator[oidc.Provider]:
    with oidc.running() as provider:
        yield provider


@pytest.fixture
def provider(running_provider: oidc.Provider, settings: Settings, db: None) -> oidc.Provider:
    """A provider that knows ada, and that the product trusts."""
    cache.clear()
    running_provider.spoil.clear()
    running_provider.asked.clear()
    running_provider.knows("s-1", preferred_username="ada", name="Ada Lovelace", email="ada@example.com")
    settings.ETTDASH_SSO = running_provider.directory()
    return running_provider
