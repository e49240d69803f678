"""Processes as the launcher starts them: each in a session of its own, with a log, known to the guard."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ettdash.launcher import files, guard
from ettdash.launcher.guard import Entry
from ettdash.launcher.placement import Account


@dataclass(frozen=True)
class Program:
    """What to run, and how to stop it."""

    name: str
    command: list[str]
    log: Path
    env: Mapping[str, str]
    stage: int  # when stopping, lower ones go first
    cwd: Path = Path("/")
    account: Account | None = None
    signals: tuple[int, ...] = (signal.SIGTERM,)
    grace_s: float = 10.0
    on_our_terminal: bool = False  # shown to the user instead of logged
    ready: Callable[[], bool] | None = None
    before_restart: Callable[[], None] = lambda: None


class Child:
    """One running execution of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._process = _spawn(program)
        self.pid = self._process.pid
        self.entry = Entry(
            program.name,
            self.pid,
            guard.identity(self.pid) or "gone",
            program.stage,
            [int(number) for number in program.signals],
            program.grace_s,
        )

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()


def _spawn(program: Program) -> subprocess.Popen[bytes]:
    files.bound_log(program.log)
    descriptor = os.open(program.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as log:
        return subprocess.Popen(
            program.command,
            cwd=program.cwd,
            env=dict(program.env),
            stdin=subprocess.DEVNULL,
            stdout=None if program.on_our_terminal else log,
            stderr=None if program.on_our_terminal else log,
            start_new_session=True,
            **(program.account.as_popen() if program.account else {}),
        )


class Children:
    """The processes of one data directory, kept in step with the guard and with `run.json`."""

    def __init__(self, run_file: Path, guard_log: Path, lock: IO[str]) -> None:
        self._run_file = run_file
        self._children: dict[int, Child] = {}
        self._files: list[Path] = []
        self._start_guard = partial(_start_guard, guard_log, lock)
        self._guard = self._start_guard()
        self.remove_at_end(run_file)
        self._record()

    def start(self, program: Program) -> Child:
        """Start a program; from here on it cannot outlive us."""
        child = Child(program)
        self._children[child.pid] = child
        self._tell({"started": child.entry._asdict()})
        self._record()
        return child

    def forget(self, child: Child) -> None:
        """Take note that a child has ended; nothing of it stays behind."""
        guard.kill_group(child.pid)
        self._children.pop(child.pid, None)
        self._tell({"ended": child.pid})
        self._record()

    def look_after_guard(self) -> None:
        """Put a new guard in the place of one that was killed."""
        if self._guard.poll() is None:
            return
        self._guard = self._start_guard()
        for path in self._files:
            self._tell({"file": str(path)})
        for child in self._children.values():
            self._tell({"started": child.entry._asdict()})
        self._record()

    def remove_at_end(self, path: Path) -> None:
        """Have a file removed when everything is stopped, also if we are killed."""
        self._files.append(path)
        self._tell({"file": str(path)})

    def close(self, hurried: Callable[[], bool] = lambda: False) -> None:
        """Stop all that still run, then the guard."""
        children = dict(self._children)
        guard.stop_all(
            [child.entry for child in children.values()],
            alive=lambda entry: children[entry.pid].exit_code is None,
            hurried=hurried,
        )
        for path in self._files:
            path.unlink(missing_ok=True)
        self._tell({"goodbye": True})
        self._guard.communicate()

    def _tell(self, word: dict[str, object]) -> None:
        assert self._guard.stdin  # noqa: S101  a pipe, as _start_guard asks
        with suppress(BrokenPipeError):  # A guard that was killed will be replaced.
            self._guard.stdin.write(json.dumps(word).encode() + b"\n")
            self._guard.stdin.flush()

    def _record(self) -> None:
        """Write down who runs, for a next start that finds launcher and guard both killed."""
        entries = [
            child.entry._asdict() | {"command": child.program.command} for child in self._children.values()
        ]
        content = {"launcher": os.getpid(), "guard": self._guard.pid, "processes": entries}
        files.write_private_json(self._run_file, content)


def stop_survivors(run_file: Path) -> None:
    """Stop what a launcher left behind that was killed together with its guard."""
    processes = files.read_json(run_file).get("processes", [])
    guard.stop_all(Entry(**{name: process[name] for name in Entry._fields}) for process in processes)
    run_file.unlink(missing_ok=True)


def _start_guard(log: Path, lock: IO[str]) -> subprocess.Popen[bytes]:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as output:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=[lock.fileno()],
        )
