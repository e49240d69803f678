"""Asking something that may never answer."""

import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Patient(Generic[T]):
    """Keeps what was read for some seconds; who does not answer in time is not asked again until it did."""

    def __init__(self, read: Callable[[], T], patience_s: float, fresh_s: float) -> None:
        self._read, self._patience_s, self._fresh_s = read, patience_s, fresh_s
        self._lock = Lock()
        self._thread: Thread | None = None
        self._latest: tuple[float, T] | None = None

    def latest(self) -> T | None:
        """What was read last; None if there is no answer."""
        with self._lock:
            if self._latest is None or time.monotonic() - self._latest[0] > self._fresh_s:
                self._latest = None
                self._ask()
            return self._latest[1] if self._latest else None

    def _ask(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            # Not waited for when the process ends.
            self._thread = Thread(target=self._answer, daemon=True)
            self._thread.start()
        self._thread.join(self._patience_s)

    def _answer(self) -> None:
        self._latest = time.monotonic(), self._read()
