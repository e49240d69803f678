"""Reading the environment: a wrong value stops the start with the variable's name."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import ProgrammingError

# A server that is gone without a word (its machine died, a network fell apart) is noticed within seconds, not
# after the quarter of an hour that TCP would go on trying. The time-out of TCP is in ms, the others in s.
PATIENCE = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


def env_int(name: str, default: int, least: int = 0) -> int:
    """A whole number, not below `least`."""
    text = os.environ.get(name, "").strip() or str(default)
    try:
        value = int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {text!r}.") from None
    if value < least:
        raise ImproperlyConfigured(f"{name} must be at least {least}, not {value}.")
    return value


def env_bool(name: str, default: bool = False) -> bool:
    """`1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`."""
    text = os.environ.get(name, "").strip().lower()
    if text in ("", "1", "true", "yes", "on", "0", "false", "no", "off"):
        return text in ("1", "true", "yes", "on") if text else default
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {text!r}.")


def env_choice(name: str, choices: Sequence[str], default: str) -> str:
    """One of a few words."""
    text = os.environ.get(name, "").strip().lower() or default
    if text not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {text!r}.")
    return text


def env_list(name: str) -> list[str]:
    """Values between commas."""
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]


def env_secret(name: str) -> str | None:
    """A secret, straight or from the file that NAME_FILE names; None where neither is set."""
    if path := os.environ.get(f"{name}_FILE"):
        try:
            return Path(path).read_text().strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE cannot be read: {error}.") from None
    return os.environ.get(name) or None


def database(url: str) -> dict[str, Any]:
    """Django's description of the Postgres database at `url`."""
    try:
        parts: dict[str, Any] = conninfo_to_dict(url)
    except ProgrammingError:
        # Postgres' own words would quote the address, and with it the password.
        like = "postgresql://user:password@host:5432/name"
        raise ImproperlyConfigured(f"DATABASE_URL is not a Postgres address like {like}.") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", "ettdash"),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": parts.pop("port", ""),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"application_name": "ettdash", **PATIENCE, **parts},
    }
