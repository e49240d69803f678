"""Postgres and Valkey without the rest of the product: what starts first, and what tests need."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, Self

from ettdash.env import env_secret
from ettdash.launcher import files, placement, ports
from ettdash.launcher.data_dir import DataDir
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.hold import Hold
from ettdash.launcher.postgres import PostgresServer
from ettdash.launcher.processes import Child, Children, Program
from ettdash.launcher.valkey import ValkeyServer

READY_WITHIN_S = 600.0  # A crash recovery may be long; a server that cannot start ends by itself.
TRIES = 5
LOOPBACK = "127.0.0.1"

discard = placement.discard


class Server(Protocol):
    """What both servers are: files that are prepared, and a program that becomes ready."""

    name: str
    port: int

    def prepare(self, port: int) -> Program: ...

    def is_ready(self) -> bool: ...


def start_server(
    server: Server, data: DataDir, children: Children, pause: Callable[[float], None] = time.sleep
) -> Child:
    """Start a server on its last port, or a free one, and wait until it answers."""
    for _ in range(TRIES):
        child = children.start(server.prepare(ports.choose(data.last_port(server.name))))
        deadline = time.monotonic() + READY_WITHIN_S
        while child.exit_code is None and time.monotonic() < deadline:
            if server.is_ready() and child.exit_code is None:
                data.keep_port(server.name, server.port)
                return child
            pause(0.03)
        children.forget(child)
        # Somebody may have taken the port between our look and the start; the next look finds another.
    raise LauncherError(f"{server.name} does not start:\n{files.tail(data.log(server.name))}")


class Embedded(ABC):
    """Servers on a data directory of their own: started with its lock and a guard, stopped together."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._hold: Hold | None = None

    @abstractmethod
    def _start_on(self, hold: Hold) -> None: ...

    def start(self) -> None:
        """Start, and return when everything answers."""
        hold = self._hold = Hold.take(self._data_dir)
        try:
            self._start_on(hold)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop what was started; the data stay."""
        if self._hold:
            self._hold.close()
            self._hold = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Postgres(Embedded):
    """A Postgres by itself; `url` is known once it is started."""

    def __init__(self, data_dir: Path, listen: str = LOOPBACK) -> None:
        super().__init__(data_dir)
        self._listen = listen
        self.url = ""

    def _start_on(self, hold: Hold) -> None:
        server = PostgresServer(hold.data, self._listen)
        start_server(server, hold.data, hold.children)
        self.url = server.url()


class Valkey(Embedded):
    """A Valkey by itself; `url` is known once it is started."""

    url = ""

    def _start_on(self, hold: Hold) -> None:
        server = ValkeyServer(hold.data)
        start_server(server, hold.data, hold.children)
        self.url = server.url()


class Services(Embedded):
    """The database and the broker; one that is given is left alone."""

    def __init__(self, data_dir: Path, database_url: str | None = None, redis_url: str | None = None) -> None:
        super().__init__(data_dir)
        self.database_url = database_url or ""
        self.redis_url = redis_url or ""

    def _start_on(self, hold: Hold) -> None:
        if not self.database_url:
            postgres = PostgresServer(hold.data, configured_listen())
            start_server(postgres, hold.data, hold.children)
            self.database_url = postgres.url()
        if not self.redis_url:
            valkey = ValkeyServer(hold.data)
            start_server(valkey, hold.data, hold.children)
            self.redis_url = valkey.url()


def start_services(data_dir: Path) -> Services:
    """Start both servers, but none that `DATABASE_URL` or `REDIS_URL` gives."""
    services = Services(data_dir, env_secret("DATABASE_URL"), env_secret("REDIS_URL"))
    services.start()
    return services


def configured_listen() -> str:
    """The address that the embedded Postgres listens on besides loopback."""
    return os.environ.get("ETTDASH_PG_LISTEN") or LOOPBACK
