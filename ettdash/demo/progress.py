"""Shows how far the filling is: one line redrawn on a terminal, a line each 10 % elsewhere."""

import threading
from typing import TextIO

WIDTH = 32


def counted(events: int) -> str:
    """A number of events in words."""
    return f"{events:,} event{'' if events == 1 else 's'}".replace(",", "\u202f")


class ProgressBar:
    """A bar that only ever moves forward; safe to move from several threads."""

    def __init__(self, out: TextIO, label: str) -> None:
        self._out = out
        self._label = label
        self._redraws = out.isatty()
        self._shown = -1
        self._lock = threading.Lock()

    def reach(self, share: float, events: int) -> None:
        """Draw that this share (0 to 1) is done."""
        percent = max(0, min(100, int(share * 100)))
        with self._lock:
            if percent <= self._shown or (not self._redraws and percent // 10 == self._shown // 10):
                return
            self._shown = percent
            bar = ("█" * (percent * WIDTH // 100)).ljust(WIDTH, "░")
            line = f"{self._label} {bar} {percent:3d} %  {counted(events)}"
            end = "\n" if not self._redraws or percent == 100 else ""
            self._out.write(("\r" if self._redraws else "") + line + end)
            self._out.flush()
