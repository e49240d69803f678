"""Telling processes apart, and what the guard hears."""

import io
import json
import os
import signal
import subprocess
import sys

from ettdash.launcher import guard
from ettdash.launcher.guard import Entry


def entry(process: subprocess.Popen[bytes], **changes: object) -> Entry:
    """How the launcher would describe a process."""
    kept = Entry("sleeper", process.pid, guard.identity(process.pid) or "", 1, [int(signal.SIGTERM)], 0.2)
    return kept._replace(**changes)  # type: ignore[arg-type]


def test_process_is_known_by_its_beginning_and_gone_once_it_ended() -> None:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    began = guard.identity(process.pid)
    assert began
    assert began == guard.identity(process.pid) != guard.identity(os.getpid())
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert guard.identity(process.pid) is None  # a zombie
    process.wait()
    assert guard.identity(process.pid) is None


def test_both_ways_to_know_a_process_agree_on_who_lives() -> None:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    assert guard.identity_by_ps(process.pid) == guard.identity_by_ps(process.pid) is not None
    process.kill()
    process.wait()
    assert guard.identity_by_ps(process.pid) is None


def test_process_under_a_reused_pid_is_spared() -> None:
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    guard.stop_all([entry(process, identity="another beginning")])
    assert process.poll() is None
    process.kill()
    process.wait()


def test_process_that_ignores_requests_is_killed_with_its_children() -> None:
    stubborn = "import signal, subprocess, time; signal.signal(15, signal.SIG_IGN)\n"
    stubborn += "print(subprocess.Popen(['sleep', '600']).pid, flush=True); time.sleep(600)"
    process = subprocess.Popen(
        [sys.executable, "-c", stubborn], start_new_session=True, stdout=subprocess.PIPE
    )
    assert process.stdout
    grandchild = int(process.stdout.readline())
    guard.stop_all([entry(process)], alive=lambda _: process.poll() is None)
    assert process.wait() == -signal.SIGKILL
    assert process.stdout.read() == b""  # closed only once the grandchild is gone, too
    assert guard.identity(grandchild) is None


def test_guard_forgets_what_ended_and_survives_a_cut_message() -> None:
    words: list[dict[str, object]] = [
        {"started": Entry("one", 11, "then", 1, [15], 1.0)._asdict()},
        {"started": Entry("two", 12, "then", 1, [15], 1.0)._asdict()},
        {"file": "services.json"},
        {"ended": 11},
    ]
    pipe = io.StringIO("".join(json.dumps(word) + "\n" for word in words) + '{"ended": 1')
    entries, files, goodbye = guard.follow(pipe)
    assert ([found.name for found in entries], files, goodbye) == (["two"], ["services.json"], False)


def test_guard_does_nothing_after_a_goodbye() -> None:
    words = [{"started": Entry("one", 11, "then", 1, [15], 1.0)._asdict()}, {"goodbye": True}]
    assert guard.follow(io.StringIO("".join(json.dumps(word) + "\n" for word in words))) == ([], [], True)
