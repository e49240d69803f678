"""The product's settings, on a Postgres and a Redis started for this test run as the launcher starts them."""

import atexit
import os
import tempfile
from pathlib import Path

from ettdash.launcher import embedded

_data_dir = Path(tempfile.mkdtemp(prefix="ettdash-test-"))
(_data_dir / "static").mkdir()
_services = embedded.Services(_data_dir)
_services.start()


def _stop() -> None:
    _services.stop()
    embedded.discard(_data_dir)


atexit.register(_stop)
os.environ |= {
    "DATABASE_URL": _services.database_url,
    "REDIS_URL": _services.redis_url,
    "ETTDASH_DATA_DIR": str(_data_dir),
    # Playwright runs a loop in the tests' own thread.
    "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
}

from ettdash.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
