"""Starting real launchers in tests, and looking at what they run."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from ettdash.launcher import embedded, guard, ports
from ettdash.launcher.data_dir import PROJECT
from ettdash.launcher.guard import Entry

PATIENCE_S = 90.0


def wait_until(what: Callable[[], Any], why: str) -> None:
    """Wait for something that must come; how long it takes is not what is tested."""
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline, f"in vain: {why}"
        time.sleep(0.05)


class Launcher:
    """A launcher in a process of its own, on a data directory and a port."""

    def __init__(self, data_dir: Path, port: int | None = None, mode: str = "up", **more: str) -> None:
        self.data_dir = data_dir
        self.port = port or ports.choose()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ettdash.launcher", mode],
            cwd=PROJECT,
            env=clean_environment()
            | {"ETTDASH_DATA_DIR": str(data_dir), "ETTDASH_PORT": str(self.port)}
            | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.pid = self._process.pid

    def up(self) -> Self:
        """Wait until the banner is there."""
        return self.says("password")

    def says(self, word: str) -> Self:
        """Wait until it says a line that begins so."""
        assert self._process.stdout
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.startswith(word):
                return self
        raise AssertionError("".join(lines))

    def answers(self, path: str = "/healthz") -> bool:
        """Whether the web answers with 200."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def send(self, number: signal.Signals) -> None:
        """Send the launcher a signal."""
        self._process.send_signal(number)

    def ended(self) -> tuple[int, str]:
        """Its exit code and what it said in the end."""
        output, _ = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, output

    def stop(self) -> None:
        """Stop it, whatever state it is in."""
        if self._process.poll() is None:
            self._process.terminate()
        self.ended()


@contextmanager
def launched(data_dir: Path, port: int | None = None, mode: str = "up", **more: str) -> Iterator[Launcher]:
    """A launcher that is stopped at the end."""
    launcher = Launcher(data_dir, port, mode, **more)
    try:
        yield launcher
    finally:
        launcher.stop()


def refusal(data_dir: Path, port: int | None = None, mode: str = "up", **more: str) -> tuple[int, str]:
    """Exit code and words of a launcher that should not start."""
    with launched(data_dir, port, mode, **more) as launcher:
        return launcher.ended()


def clean_environment() -> dict[str, str]:
    """Our environment without what the test run set for itself."""
    ours = ("DATABASE_URL", "REDIS_URL", "DJANGO_ALLOW_ASYNC_UNSAFE", "DJANGO_SETTINGS_MODULE")
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith(("ETTDASH_", "PYTEST_"))
    }


def run_file(data_dir: Path) -> dict[str, Any]:
    """What run.json says."""
    content: dict[str, Any] = json.loads((data_dir / "run.json").read_text())
    return content


def processes(data_dir: Path) -> dict[str, Entry]:
    """The processes that run.json lists, by name."""
    rows = run_file(data_dir)["processes"]
    return {row["name"]: Entry(**{name: row[name] for name in Entry._fields}) for row in rows}


def database_url(data_dir: Path) -> str:
    """The running product's database."""
    return str(json.loads((data_dir / "services.json").read_text())["database_url"])


def mode_of(path: Path) -> int:
    """The permission bits of a file or folder."""
    return path.stat().st_mode & 0o777


def none_alive(entries: dict[str, Entry]) -> bool:
    """Whether all of them are gone."""
    return not any(guard.is_alive(entry) for entry in entries.values())


discard = embedded.discard


def create_token(data_dir: Path, team: str, *scopes: str) -> str:
    """A token of the running product, made as an operator makes it."""
    command = [sys.executable, "manage.py", "create_token", "test", "--team", team]
    for scope in scopes or ("write",):
        command += ["--scope", scope]
    env = clean_environment() | {"ETTDASH_DATA_DIR": str(data_dir)}
    done = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()
