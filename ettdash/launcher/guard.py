"""Stops the product's processes: for the launcher, and in its place once the launcher itself was killed.

The launcher runs this file as a script of its own, so it imports nothing of ours and stays small. It hears of
every process through a pipe; the pipe's end without a goodbye means that the launcher is dead.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

KILL_WAIT_S = 5.0


class Entry(NamedTuple):
    """A process that was started, and how it wants to be stopped."""

    name: str
    pid: int
    identity: str
    stage: int  # lower ones are stopped first, those of one stage together
    signals: list[int]  # tried in turn, before SIGKILL
    grace_s: float  # for each of them


def identity(pid: int) -> str | None:
    """When a process began, so that a reused pid is told apart; None if it is gone (a zombie is)."""
    if not Path("/proc/self/stat").exists():
        return identity_by_ps(pid)
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else f"{boot} {fields[19]}"


def identity_by_ps(pid: int) -> str | None:
    """The same where there is no /proc."""
    env = {"LC_ALL": "C", "TZ": "UTC", "PATH": "/bin:/usr/bin"}
    command = ["ps", "-o", "stat=", "-o", "lstart=", "-p", str(pid)]
    state, _, began = (
        subprocess.run(command, env=env, capture_output=True, text=True).stdout.strip().partition(" ")
    )
    return None if not began or state.startswith("Z") else " ".join(began.split())


def is_alive(entry: Entry) -> bool:
    """Whether the process still runs, and not another one under its pid."""
    return identity(entry.pid) == entry.identity


def stop_all(
    entries: Iterable[Entry],
    alive: Callable[[Entry], bool] = is_alive,
    hurried: Callable[[], bool] = lambda: False,
) -> None:
    """Stop processes stage by stage: politely, then by force; return when none is left."""
    for _, stage in groupby(sorted(entries, key=lambda entry: entry.stage), key=lambda entry: entry.stage):
        _stop_stage(list(stage), alive, hurried)


def _stop_stage(stage: list[Entry], alive: Callable[[Entry], bool], hurried: Callable[[], bool]) -> None:
    began = time.monotonic()
    stage = [entry for entry in stage if alive(entry)]
    step = {entry.pid: -1 for entry in stage}
    left = stage
    while left:
        for entry in left:
            waited = time.monotonic() - began
            due = len(entry.signals) if hurried() else min(int(waited / entry.grace_s), len(entry.signals))
            if due > step[entry.pid]:
                step[entry.pid] = due
                _send(entry, due)
            elif waited > entry.grace_s * len(entry.signals) + KILL_WAIT_S:
                return  # Not even SIGKILL ends it (a dead disk): waiting on would help nobody.
        time.sleep(0.02)
        left = [entry for entry in left if alive(entry)]
    for entry in stage:
        kill_group(entry.pid)


def _send(entry: Entry, step: int) -> None:
    if step == len(entry.signals):
        kill_group(entry.pid)
        return
    with suppress(ProcessLookupError):
        os.kill(entry.pid, entry.signals[step])


def kill_group(leader: int) -> None:
    """End what a process left behind in its group, and the process itself."""
    # An empty group is what we want; macOS says "not permitted" for one that holds only zombies.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def follow(pipe: IO[str]) -> tuple[list[Entry], list[str], bool]:
    """What the launcher told us until its end: processes left, files to remove, whether it said goodbye."""
    entries: dict[int, Entry] = {}
    files: list[str] = []
    for line in pipe:
        try:
            word: dict[str, Any] = json.loads(line)
        except ValueError:
            break  # Cut off in the middle: the launcher died while writing.
        if "started" in word:
            entry = Entry(**word["started"])
            entries[entry.pid] = entry
        elif "ended" in word:
            entries.pop(word["ended"], None)
        elif "file" in word:
            files.append(word["file"])
        elif "goodbye" in word:
            return [], [], True
    return list(entries.values()), files, False


def main() -> None:
    """Wait for the launcher's end; if it came without a goodbye, stop what it started."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    entries, files, goodbye = follow(sys.stdin)
    if goodbye:
        return
    print(
        f"The launcher is gone; stopping {', '.join(entry.name for entry in entries) or 'nothing'}.",
        flush=True,
    )
    stop_all(entries)
    for file in files:
        Path(file).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
