"""`python -m ettdash.demo`: fill a running product with the demo fleet, then keep the fleet alive."""

import argparse
import signal
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from types import FrameType

from ettdash.demo import state as states
from ettdash.demo.post import Client, PostError, StoppedError
from ettdash.demo.progress import counted
from ettdash.demo.run import Demo
from ettdash.demo.state import BadStateError, State
from ettdash.demo.stories import HISTORY_DAYS
from ettdash.demo.tokens import TokenBook

DEFAULT_SEED = 7


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; 0 after a clean end, 1 with one sentence about what was in the way."""
    asked = parser().parse_args(arguments)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: leave(stop, _number, _frame))
    try:
        run(asked, stop)
    except StoppedError:
        return 0
    except (PostError, BadStateError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def leave(stop: threading.Event, _number: int, _frame: FrameType | None) -> None:
    """Ask the demo to stop; in the middle of filling nothing is lost, as the next start posts it again."""
    if stop.is_set():
        raise SystemExit(1)
    stop.set()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m ettdash.demo", description=__doc__)
    made.add_argument("--data-dir", type=Path, required=True, help="the product's data directory")
    made.add_argument("--url", default="http://127.0.0.1:8000", help="the product's address")
    made.add_argument("--seed", type=int, default=DEFAULT_SEED, help="another seed is another fleet")
    made.add_argument("--once", action="store_true", help="fill and leave")
    made.add_argument("--days", type=days, default=HISTORY_DAYS, help="how much history to post, 1 to 60")
    made.add_argument("--until", type=instant, help="take this RFC 3339 time for now (with --once)")
    return made


def days(text: str) -> int:
    """A length of history."""
    number = int(text)
    if not 1 <= number <= HISTORY_DAYS:
        raise argparse.ArgumentTypeError(f"history has 1 to {HISTORY_DAYS} days, not {number}")
    return number


def instant(text: str) -> float:
    """Epoch seconds of an RFC 3339 time with zone."""
    parsed = datetime.fromisoformat(text)
    if parsed.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text} has no time zone")
    return parsed.timestamp()


def run(asked: argparse.Namespace, stop: threading.Event) -> None:
    """Fill, say so in one line, and stay."""
    now: float = asked.until or time.time()
    state = states.load(asked.data_dir)
    if state is None:
        state = State(seed=asked.seed, anchor=round(now, 3))
        states.save(asked.data_dir, state)
    book = TokenBook(asked.data_dir, state)
    client = Client(asked.url, book.token_for, stop)
    began = time.monotonic()
    demo = Demo(asked.data_dir, state, client, stop, asked.days, (lambda: now) if asked.until else time.time)
    stream = demo.fill()
    print(summary(client, time.monotonic() - began), flush=True)
    if not asked.once:
        demo.keep_alive(stream)


def summary(client: Client, seconds: float) -> str:
    """What was posted, in one line."""
    counts = client.counts
    told = f"Demo fleet: {counted(counts.accepted)} posted in {seconds:.0f} s"
    if counts.duplicates:
        told += f", {counts.duplicates} known already"
    if counts.rejected:
        told += f", {counts.rejected} refused (the first: {counts.first_error})"
    return told + "."


if __name__ == "__main__":
    raise SystemExit(main())
