"""Two real beats on a real Postgres and Valkey: one asks for work, whoever dies."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from ettdash import programs
from ettdash.beat import ENOUGH
from ettdash.launcher.data_dir import PROJECT
from ettdash.launcher.embedded import Postgres, Valkey, discard
from tests.launcher.running import clean_environment, wait_until


@dataclass
class Beats:
    """Beats on one database and broker, told apart by their process ids."""

    folder: Path
    postgres: Postgres
    valkey: Valkey
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> int:
        """Start one more."""
        addresses = {"DATABASE_URL": self.postgres.url, "REDIS_URL": self.valkey.url}
        with (self.folder / "beat.log").open("ab") as log:
            beat = subprocess.Popen(
                programs.command(*programs.BEAT),
                cwd=PROJECT,
                env=clean_environment() | addresses,
                stdout=log,
                stderr=log,
            )
        self.running.append(beat)
        return beat.pid

    def asking(self, messages: int) -> set[int]:
        """Who sent the next few messages."""
        with Redis.from_url(self.valkey.url) as queue:
            queue.delete("celery")
            wait_until(lambda: queue.llen("celery") >= messages, f"{self.said()}: somebody asks for work")
            return {_sender(json.loads(message)) for message in queue.lrange("celery", 0, -1)}

    def said(self) -> str:
        """What all of them wrote."""
        return (self.folder / "beat.log").read_text()

    def stop(self) -> None:
        """Kill those that still run."""
        for beat in self.running:
            beat.kill()
            beat.wait()


def _sender(message: dict[str, Any]) -> int:
    """The process that sent it: its origin is gen<pid>@<host>."""
    return int(message["headers"]["origin"].removeprefix("gen").partition("@")[0])


@pytest.fixture
def beats(tmp_path: Path) -> Iterator[Beats]:
    with ExitStack() as stack:
        stack.callback(discard, tmp_path / "postgres")
        postgres = stack.enter_context(Postgres(tmp_path / "postgres"))
        valkey = stack.enter_context(Valkey(tmp_path / "valkey"))
        beats = Beats(tmp_path, postgres, valkey)
        stack.callback(beats.stop)
        yield beats


def test_one_of_two_beats_asks_whoever_dies(beats: Beats) -> None:
    both = {beats.start(), beats.start()}
    wait_until(lambda: "this one stands by" in beats.said(), "one stands by")
    (first,) = beats.asking(messages=3)
    assert first in both

    os.kill(first, signal.SIGKILL)
    (second,) = beats.asking(messages=3)
    assert {second} == both - {first}

    third = beats.start()
    wait_until(lambda: beats.said().count("this one stands by") == 2, "the new one stands by")
    beats.postgres.stop()
    wait_until(lambda: beats.said().count("asks for nothing") == 2, "both notice")
    beats.postgres.start()
    wait_until(lambda: beats.said().count("This beat asks") == 3, "one takes the lead")
    (leader,) = beats.asking(messages=3)
    assert leader in {second, third}
    assert [beat.pid for beat in beats.running if beat.poll() is not None] == [first]


@pytest.mark.chaos
def test_beat_that_was_frozen_finds_itself_replaced(beats: Beats) -> None:
    both = {beats.start(), beats.start()}
    (first,) = beats.asking(messages=2)
    os.kill(first, signal.SIGSTOP)
    (second,) = beats.asking(messages=2)
    os.kill(first, signal.SIGCONT)
    wait_until(lambda: "asks for nothing" in beats.said(), "it notices")
    assert beats.asking(messages=5) == both - {first} == {second}


def test_beat_that_is_asked_to_stop_hands_over(beats: Beats) -> None:
    beats.start(), beats.start()
    (first,) = beats.asking(messages=2)
    os.kill(first, signal.SIGTERM)
    stopped = next(beat for beat in beats.running if beat.pid == first)
    assert stopped.wait(timeout=30) == 0
    (second,) = beats.asking(messages=2)
    assert second != first


def test_queue_that_nobody_empties_does_not_grow(beats: Beats) -> None:
    with Redis.from_url(beats.valkey.url) as queue:
        queue.rpush("celery", *["{}"] * ENOUGH)
        beats.start()
        wait_until(lambda: "asks for work" in beats.said(), "the beat leads")
        queue.ltrim("celery", 0, ENOUGH - 3)
        wait_until(lambda: queue.llen("celery") == ENOUGH, "it asks as often as there is room")
        time.sleep(3)
        assert queue.llen("celery") == ENOUGH
