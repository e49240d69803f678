"""The whole product: which processes it has, in which order they start, and what its user is told."""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict

from ettdash import alive, programs
from ettdash.launcher import data_dir as places
from ettdash.launcher import embedded, files, services_file
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.hold import Hold
from ettdash.launcher.postgres import PostgresServer
from ettdash.launcher.processes import Program
from ettdash.launcher.supervisor import Supervisor
from ettdash.launcher.valkey import ValkeyServer
from ettdash.launcher.wanted import Wanted

# When stopping, lower stages go first; the servers come last (their own stages).
DEMO_STAGE, WEB_STAGE, WORKER_STAGE = 1, 2, 3


class Product:
    """The running product on a data directory that it holds."""

    def __init__(
        self, wanted: Wanted, hold: Hold, say: Callable[[str], None], interrupted: Callable[[], None]
    ) -> None:
        self._wanted = wanted
        self._hold = hold
        self._data = hold.data
        self._say = say
        self._interrupted = interrupted  # raises once a stop was asked for
        self._supervisor = Supervisor(hold.children, say)
        self._secrets = hold.data.secrets()
        self._password_stands = True

    def run(self) -> None:
        """Start everything, tell the user where it is, and watch over it until a stop is asked for."""
        self._start_services()
        self._set_up()
        self._start_web_and_workers()
        if self._wanted.mode == "demo":
            self._say("Filling in the demo fleet (later starts only add what is new) …")
            self._run_once("demo-fill", self._demo("--once"), on_our_terminal=True)
            self._supervisor.start(self._program("demo", self._demo(), DEMO_STAGE, grace_s=5.0))
        self._say(self._banner())
        while True:
            self._pause(0.1)

    def _start_services(self) -> None:
        """Start the servers that are not given, and write down where to find both."""
        database_url, redis_url = self._wanted.database_url, self._wanted.redis_url
        if not database_url:
            postgres = PostgresServer(self._data, embedded.configured_listen())
            self._start_server(postgres)
            database_url = postgres.url()
        if not redis_url:
            valkey = ValkeyServer(self._data)
            self._start_server(valkey)
            redis_url = valkey.url()
        path = self._data.root / services_file.NAME
        self._hold.children.remove_at_end(path)
        files.write_private_json(path, self._services(database_url, redis_url))

    def _start_server(self, server: embedded.Server) -> None:
        began = time.monotonic()
        child = embedded.start_server(server, self._data, self._hold.children, self._pause)
        self._supervisor.adopt(child.program, child)
        self._say(f"{server.name}: 127.0.0.1:{server.port}, ready after {time.monotonic() - began:.1f} s")

    def _services(self, database_url: str, redis_url: str) -> dict[str, object]:
        database = conninfo_to_dict(database_url)
        broker = urlsplit(redis_url)
        return {
            "database_url": database_url,
            "redis_url": redis_url,
            "secret_key": self._secrets.secret_key,
            "web_url": self._wanted.web_url,
            "pid": os.getpid(),
            "database": {name: database.get(name) for name in ("host", "port", "user", "password", "dbname")},
            "redis": {"host": broker.hostname, "port": broker.port, "password": broker.password},
        }

    def _set_up(self) -> None:
        """Bring database, static files and the first user up to date."""
        shutil.rmtree(self._data.metrics, ignore_errors=True)
        self._data.metrics.mkdir(mode=0o700)
        self._say("Bringing the database up to date …")
        self._run_once("migrate", programs.command(*programs.MIGRATE))
        # The last word of ensure_admin: whether admin still has the password that we keep.
        self._password_stands = files.tail(self._data.log("migrate"), 1) == "kept"
        stamp, content = self._data.root / "static-stamp", _static_content()
        manifest = self._data.root / "static" / "staticfiles.json"
        if not manifest.exists() or not stamp.exists() or stamp.read_text(encoding="ascii") != content:
            self._say("Collecting static files …")
            self._run_once("collectstatic", _manage("collectstatic", "--noinput", "--clear"))
            files.write_private(stamp, content)

    def _start_web_and_workers(self) -> None:
        web_server, worker, beat = (programs.command(*words) for words in programs.SERVERS.values())
        self._say("Starting web, worker and beat …")
        web = self._supervisor.start(
            self._program("web", web_server, WEB_STAGE, ready=self._web_answers, grace_s=12.0)
        )
        self._supervisor.start(self._program("worker", worker, WORKER_STAGE))
        self._supervisor.start(self._program("beat", beat, WEB_STAGE, grace_s=5.0))
        while web.up_since is None:
            self._pause(0.1)

    def _web_answers(self) -> bool:
        address = urlsplit(self._wanted.web_url)
        return alive.web_answers(address.hostname or "", address.port or 80)

    def _demo(self, *options: str) -> list[str]:
        where = ["--data-dir", str(self._data.root), "--url", self._wanted.web_url]
        return programs.command("ettdash.demo", *where, *options)

    def _program(
        self,
        name: str,
        command: list[str],
        stage: int,
        *,
        grace_s: float = 10.0,
        ready: Callable[[], bool] | None = None,
        on_our_terminal: bool = False,
    ) -> Program:
        return Program(
            name,
            command,
            self._data.log(name),
            self._environment(),
            stage,
            cwd=places.PROJECT,
            grace_s=grace_s,
            on_our_terminal=on_our_terminal,
            ready=ready,
        )

    def _environment(self) -> dict[str, str]:
        return os.environ | {
            "DJANGO_SETTINGS_MODULE": "ettdash.settings",
            "ETTDASH_ADMIN_PASSWORD": self._secrets.admin_password,
            "ETTDASH_DATA_DIR": str(self._data.root),
            "ETTDASH_LISTEN": self._wanted.listen,
            "ETTDASH_PORT": str(self._wanted.port),
            "PROMETHEUS_MULTIPROC_DIR": str(self._data.metrics),
            "PYTHONUNBUFFERED": "1",
        }

    def _run_once(self, name: str, command: list[str], on_our_terminal: bool = False) -> None:
        """Run a program to its end, the others watched meanwhile."""
        program = self._program(name, command, DEMO_STAGE, on_our_terminal=on_our_terminal, grace_s=5.0)
        child = self._hold.children.start(program)
        while child.exit_code is None:
            self._pause(0.05)
        self._hold.children.forget(child)
        if child.exit_code != 0:
            last_words = "" if on_our_terminal else f"; the end of {program.log}:\n{files.tail(program.log)}"
            raise LauncherError(f"{name} failed (exit code {child.exit_code}){last_words}")

    def _pause(self, seconds: float) -> None:
        """Wait a little: stop if that was asked for, else look after everybody."""
        self._interrupted()
        self._supervisor.look()
        time.sleep(seconds)

    def _banner(self) -> str:
        password = self._secrets.admin_password if self._password_stands else "the one that was set since"
        lines = [
            f"ettdash runs at  {self._wanted.web_url}",
            "user             admin",
            f"password         {password}",
        ]
        return "\n".join(["", *lines, "", f"Logs are in {self._data.logs}. Ctrl-C stops everything.", ""])


def _manage(*arguments: str) -> list[str]:
    return [sys.executable, str(places.PROJECT / "manage.py"), *arguments]


def _static_content() -> str:
    """A word that changes when the static files may have: ours, or those of an installed package."""
    digest = hashlib.sha256()
    sources = [*places.PROJECT.glob("requirements/*.txt"), *places.PROJECT.glob("ettdash/s*.py")]
    for path in sorted([*sources, *places.PROJECT.glob("static/**/*")]):
        if path.is_file():
            digest.update(f"{path.relative_to(places.PROJECT)}\0".encode() + Path(path).read_bytes())
    return digest.hexdigest()
