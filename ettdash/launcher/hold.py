"""Holding a data directory: its lock, and the processes that run on it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ettdash.launcher import data_dir as places
from ettdash.launcher import files, processes, services_file
from ettdash.launcher.data_dir import DataDir
from ettdash.launcher.lock import Lock
from ettdash.launcher.processes import Children


@dataclass
class Hold:
    """A data directory that is ours until we close it or die; one holder at a time."""

    data: DataDir
    children: Children
    _lock: Lock

    @classmethod
    def take(
        cls,
        path: Path,
        web_url: str = "",
        check: Callable[[], None] = lambda: None,
        pause: Callable[[float], None] = time.sleep,
    ) -> Self:
        """Take a data directory, clear what a killed holder left, and ask `check` before anything starts."""
        data = places.prepare(path)
        lock = Lock.take(data.root / services_file.LOCK, web_url, pause)
        try:
            processes.stop_survivors(data.run_file)
            check()
        except BaseException:
            lock.release()
            raise
        files.bound_log(data.log("guard"))
        return cls(data, Children(data.run_file, data.log("guard"), lock.file), lock)

    def close(self, hurried: Callable[[], bool] = lambda: False) -> None:
        """Stop everything that runs on it and let it go."""
        self.children.close(hurried)
        self._lock.release()
