"""Watches over the product: a process that dies is started again, one that cannot start ends it all."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from ettdash.launcher import files
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.processes import Child, Children, Program

MAX_FAILED_STARTS = 5
LONGEST_WAIT_S = 30.0
UP_AFTER_S = 5.0  # for programs that cannot be asked whether they are ready
LOG_CHECK_S = 60.0


def wait_before_restart(failed_starts: int) -> float:
    """Seconds to wait: hardly any for one that had been up, then 1, 2, 4 … 30 while it does not come up."""
    return 0.1 if not failed_starts else min(2.0 ** (failed_starts - 1), LONGEST_WAIT_S)


@dataclass
class Watched:
    """A program that should run, and how it has fared."""

    program: Program
    child: Child | None
    started_at: float
    up_since: float | None = None
    failed_starts: int = 0  # in a row, without having been up at all
    restart_at: float = 0.0

    def looked_at(self, now: float) -> None:
        """Note that it has come up."""
        if self.up_since is None and self._answers(now):
            self.up_since = now
            self.failed_starts = 0

    def _answers(self, now: float) -> bool:
        return self.program.ready() if self.program.ready else now - self.started_at > UP_AFTER_S


class Supervisor:
    """All programs that should run, in the order they were started."""

    def __init__(self, children: Children, say: Callable[[str], None]) -> None:
        self._children = children
        self._say = say
        self._watched: list[Watched] = []
        self._logs_checked = 0.0

    def adopt(self, program: Program, child: Child) -> None:
        """Watch over a process that is up already."""
        now = time.monotonic()
        self._watched.append(Watched(program, child, now, up_since=now))

    def start(self, program: Program) -> Watched:
        """Start a program and watch over it."""
        watched = Watched(program, self._children.start(program), time.monotonic())
        self._watched.append(watched)
        return watched

    def look(self) -> None:
        """Look at every process once: note who is up, bury who died, start again who is due."""
        now = time.monotonic()
        self._children.look_after_guard()
        for watched in self._watched:
            if watched.child is None:
                if now >= watched.restart_at:
                    self._restart(watched)
            elif watched.child.exit_code is not None:
                self._bury(watched, watched.child, now)
            else:
                watched.looked_at(now)
        self._bound_logs(now)

    def _bury(self, watched: Watched, child: Child, now: float) -> None:
        self._children.forget(child)
        watched.child = None
        watched.failed_starts += watched.up_since is None
        name = watched.program.name
        # Who was killed says nothing about whether it can start.
        if watched.failed_starts >= MAX_FAILED_STARTS and child.exit_code != -signal.SIGKILL:
            log = watched.program.log
            raise LauncherError(f"{name} does not start; the end of {log}:\n{files.tail(log)}")
        wait = wait_before_restart(watched.failed_starts)
        watched.restart_at = now + wait
        self._say(f"{name} ended ({_how(child.exit_code)}); starting it again in {wait:g} s.")

    def _restart(self, watched: Watched) -> None:
        watched.program.before_restart()
        watched.child = self._children.start(watched.program)
        watched.started_at = time.monotonic()
        watched.up_since = None

    def _bound_logs(self, now: float) -> None:
        if now - self._logs_checked > LOG_CHECK_S:
            self._logs_checked = now
            for watched in self._watched:
                files.bound_log(watched.program.log)


def _how(exit_code: int | None) -> str:
    return f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"exit code {exit_code}"
