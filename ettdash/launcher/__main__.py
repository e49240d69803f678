"""`python -m ettdash.launcher up|demo`: start the product and stay until Ctrl-C."""

import argparse
import signal
import sys
import time
from contextlib import suppress
from types import FrameType

from ettdash.launcher import data_dir, wanted
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.hold import Hold
from ettdash.launcher.product import Product


class StopAsked(Exception):
    """Somebody asked us to stop."""


class Signals:
    """Counts requests to stop: the first is a request, a second one is impatience."""

    def __init__(self) -> None:
        self._count = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, self._heard)

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        self._count += 1

    def check(self) -> None:
        """Raise once a stop was asked for."""
        if self._count:
            raise StopAsked

    def pause(self, seconds: float) -> None:
        """Wait, unless a stop was asked for."""
        self.check()
        time.sleep(seconds)

    def hurried(self) -> bool:
        """Whether we were asked again."""
        return self._count > 1


def say(text: str) -> None:
    """Tell the user; a terminal that went away is no reason to stop."""
    with suppress(OSError):
        print(text, flush=True)


def run(mode: str) -> None:
    """Hold the data directory, run the product on it, and stop everything at the end, whatever it was."""
    signals = Signals()
    wishes = wanted.from_environment(mode)
    hold = Hold.take(data_dir.configured(), wishes.web_url, wishes.check_port, signals.pause)
    try:
        Product(wishes, hold, say, signals.check).run()
    except StopAsked:
        say("\nStopping …")
        raise
    finally:
        hold.close(signals.hurried)


def main() -> int:
    """Read the command line; a fault of the surroundings is one sentence and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m ettdash.launcher", description=__doc__)
    parser.add_argument("mode", choices=["up", "demo"], help="demo fills the product with a demo fleet")
    try:
        run(parser.parse_args().mode)
    except StopAsked:
        say("Stopped; the data stay.")
    except LauncherError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
