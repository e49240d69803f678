"""One launcher per data directory: a lock that its holder's death frees."""

import fcntl
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from ettdash.launcher import guard
from ettdash.launcher.errors import LauncherError

WAIT_S = 30.0


@dataclass
class Lock:
    """A lock that we hold; the guard inherits it, so it is free only once everything is stopped."""

    file: IO[str]

    @classmethod
    def take(cls, path: Path, web_url: str = "", pause: Callable[[float], None] = time.sleep) -> Self:
        """Take the lock, waiting while the guard of a dead launcher still stops things."""
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
        deadline = time.monotonic() + WAIT_S
        while not _try(file):
            holder = _read(file)
            if holder and guard.identity(holder["pid"]) == holder["identity"]:
                where = f" at {holder['web_url']}" if holder["web_url"] else ""
                raise LauncherError(f"{path.parent} is in use: process {holder['pid']} runs with it{where}.")
            if time.monotonic() > deadline:
                raise LauncherError(
                    f"{path} stays locked although its launcher is gone; try again in a moment."
                )
            pause(0.1)
        lock = cls(file)
        lock._write({"pid": os.getpid(), "identity": guard.identity(os.getpid()), "web_url": web_url})
        return lock

    def release(self) -> None:
        """Give the lock back."""
        self._write({})
        self.file.close()

    def _write(self, content: dict[str, Any]) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.file.write(json.dumps(content))
        self.file.flush()


def _try(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(file: IO[str]) -> dict[str, Any]:
    """Who holds the lock; nothing if it is just being taken or given back."""
    file.seek(0)
    try:
        content = json.loads(file.read())
    except ValueError:
        return {}
    return content if isinstance(content, dict) and "pid" in content else {}
