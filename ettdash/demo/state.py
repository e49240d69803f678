"""What the demo must remember between two starts, in one file that only its owner may read."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


class BadStateError(Exception):
    """The file is there, but it is not ours or not whole."""


@dataclass(slots=True)
class State:
    """The fleet's seed and anchor, the teams' tokens, and up to when everything was answered with 200."""

    seed: int
    anchor: float
    posted_until: float | None = None
    tokens: dict[str, str] = field(default_factory=dict)


def path_in(data_dir: Path) -> Path:
    """Where the state of a data directory is kept."""
    return data_dir / "demo.json"


def load(data_dir: Path) -> State | None:
    """The state of an earlier start, or None where there was none."""
    path = path_in(data_dir)
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return State(
            seed=int(kept["seed"]),
            anchor=float(kept["anchor"]),
            posted_until=None if kept["posted_until"] is None else float(kept["posted_until"]),
            tokens={str(team): str(token) for team, token in kept["tokens"].items()},
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadStateError(
            f"{path} cannot be read ({error!r}); delete it to begin a new demo fleet."
        ) from error


def save(data_dir: Path, state: State) -> None:
    """Replace the state whole: a crash leaves the old one or the new one."""
    path = path_in(data_dir)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    # Never wider than 0600, not even for a moment: it holds tokens.
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(asdict(state), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
