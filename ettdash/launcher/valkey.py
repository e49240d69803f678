"""An embedded Valkey: a real Redis-protocol server on loopback that keeps its queue through a crash."""

import os
import shutil
import socket
from pathlib import Path

from ettdash.launcher import binaries, files
from ettdash.launcher.data_dir import DataDir
from ettdash.launcher.processes import Program

DAMAGED_AFTER = 3  # starts that failed one after the other
STAGE = 8  # stopped after all that use it

SETTINGS = """\
# Written at every start.
bind 127.0.0.1
port {port}
dir "{folder}"
requirepass {password}
daemonize no
logfile ""
save ""
appendonly yes
appendfsync everysec
aof-load-truncated yes
maxmemory-policy noeviction
"""


class ValkeyServer:
    """The broker of one data directory, as files and as a program to run."""

    name = "valkey"

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._program = binaries.find_valkey()
        self._password = data.secrets().redis_password
        self._starts = 0
        self.port = 0

    def url(self) -> str:
        """The address with its password."""
        return f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    def prepare(self, port: int) -> Program:
        """Write its settings, the password among them, into a private file, and say what to run."""
        self.port = port
        folder = self._data.root / "valkey"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._starts += 1
        if self._starts == DAMAGED_AFTER:
            _set_queue_aside(folder)
        settings = SETTINGS.format(port=port, folder=_escaped(str(folder)), password=self._password)
        files.write_private(folder / "valkey.conf", settings)
        return Program(
            self.name,
            [str(self._program), str(folder / "valkey.conf")],
            self._data.log(self.name),
            {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
            STAGE,
            ready=self.is_ready,
        )

    def is_ready(self) -> bool:
        """Whether it answers; while it still loads its file it does not."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                connection.sendall(f"AUTH {self._password}\r\nPING\r\n".encode())
                answer = connection.makefile("rb")
                return (answer.readline(), answer.readline()) == (b"+OK\r\n", b"+PONG\r\n")
        except OSError:
            return False


def _set_queue_aside(folder: Path) -> None:
    """Start with an empty queue where the old one cannot be loaded: the truth is in the database."""
    queue, damaged = folder / "appendonlydir", folder / "damaged"
    if queue.exists():
        shutil.rmtree(damaged, ignore_errors=True)
        queue.rename(damaged)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
