"""People who look at pages."""

import pytest
from django.test import Client

from accounts.models import User

PASSWORD = "correct horse battery"


@pytest.fixture
def admin(db: None) -> User:
    """Somebody who sees every team."""
    return User.objects.create_superuser("admin", password=PASSWORD)


@pytest.fixture
def visitor(client: Client, admin: User) -> Client:
    """The admin, logged in."""
    client.force_login(admin)
    return client
