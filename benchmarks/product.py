"""The part of the product that a benchmark needs: Postgres, Redis and the web server, with a token."""

import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ettdash.launcher import embedded, ports

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Web:
    """Where the web server listens, its database, and a token that may write."""

    host: str
    port: int
    database_url: str
    token: str


@contextmanager
def web() -> Iterator[Web]:
    """A web server on a new database, served as the launcher serves it."""
    data_dir = Path(tempfile.mkdtemp(prefix="ettdash-bench-"))
    services = embedded.Services(data_dir)
    services.start()
    port = ports.choose(None)
    env = os.environ | {
        "DATABASE_URL": services.database_url,
        "REDIS_URL": services.redis_url,
        "ETTDASH_DATA_DIR": str(data_dir),
        "ETTDASH_PORT": str(port),
        "ETTDASH_RATE": "1000000",
    }
    try:
        _manage(env, "migrate", "--verbosity", "0")
        token = _manage(env, "create_token", "bench", "--team", "bench", "--scope", "write")
        server = _serve(env, data_dir / "web.log")
        try:
            _wait(f"http://127.0.0.1:{port}/healthz")
            yield Web("127.0.0.1", port, services.database_url, token)
        finally:
            server.terminate()
            server.wait()
    finally:
        services.stop()
        embedded.discard(data_dir)


def _manage(env: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def _serve(env: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gunicorn", "ettdash.wsgi", "-c", "ettdash/gunicorn.py"]
    with log.open("wb") as file:
        return subprocess.Popen(command, env=env, cwd=ROOT, stdout=file, stderr=file)


def _wait(url: str, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
