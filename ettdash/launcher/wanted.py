"""What the environment asks of the launcher, checked before anything is started."""

import os
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from ettdash.env import env_secret
from ettdash.launcher import ports
from ettdash.launcher.errors import LauncherError

EVERYWHERE = ("0.0.0.0", "::", "*")  # noqa: S104  compared with, not bound to


@dataclass(frozen=True)
class Wanted:
    """How the product shall run."""

    mode: str  # up or demo
    port: int
    listen: str
    database_url: str | None
    redis_url: str | None

    @property
    def web_url(self) -> str:
        """Where a browser on this machine finds the product."""
        host = "127.0.0.1" if self.listen in EVERYWHERE else self.listen
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def check_port(self) -> None:
        """Say in one sentence why the product could not listen where it should."""
        fault = ports.why_not(self.port, self.listen)
        if fault is ports.Fault.TAKEN:
            other = self.port + 1 if self.port < 65_535 else 8000
            raise LauncherError(
                f"Port {self.port} is taken; choose another with ETTDASH_PORT, "
                f"for example: make {self.mode} ETTDASH_PORT={other}"
            )
        if fault is ports.Fault.FORBIDDEN:
            raise LauncherError(
                f"Port {self.port} needs more rights than yours; choose one from 1024 with ETTDASH_PORT."
            )
        if fault is ports.Fault.NO_SUCH_ADDRESS:
            raise LauncherError(f"ETTDASH_LISTEN is {self.listen}, which is no address of this machine.")


def from_environment(mode: str) -> Wanted:
    """Read the environment; a value that makes no sense is told by its name."""
    text = os.environ.get("ETTDASH_PORT", "").strip() or "8000"
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65_535:
        raise LauncherError(f"ETTDASH_PORT must be a whole number from 1 to 65535, not {text!r}.")
    try:
        database_url, redis_url = env_secret("DATABASE_URL"), env_secret("REDIS_URL")
    except ImproperlyConfigured as error:
        raise LauncherError(str(error)) from error
    return Wanted(mode, int(text), os.environ.get("ETTDASH_LISTEN") or "127.0.0.1", database_url, redis_url)
