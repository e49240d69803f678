"""Does a process still do its work? Health checks run this as a script: standard library alone, so cheap."""

import os
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

# Worker and beat give a sign of life every second or two.
SILENT_S = 30.0


def touch() -> None:
    """Leave a sign of life in the file that ETTDASH_ALIVE_FILE names, if it names one."""
    if path := os.environ.get("ETTDASH_ALIVE_FILE"):
        Path(path).touch()


def _is_fresh(now: float) -> bool:
    """Whether there was a sign of life a short while ago."""
    try:
        return now - Path(os.environ["ETTDASH_ALIVE_FILE"]).stat().st_mtime < SILENT_S
    except (KeyError, FileNotFoundError):
        return False


def web_answers(host: str, port: int) -> bool:
    """Whether a web server of ours answers there."""
    connection = HTTPConnection(host, port, timeout=3)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _is_well(name: str) -> bool:
    """Whether the process of this container is."""
    if name == "web":
        return web_answers("127.0.0.1", int(os.environ.get("ETTDASH_PORT") or 8000))
    return _is_fresh(time.time())


if __name__ == "__main__":
    sys.exit(not _is_well(sys.argv[1]))
