"""How the settings find the running product's services; imports nothing heavy, for every command reads it."""

import fcntl
import json
from pathlib import Path
from typing import Any

NAME = "services.json"
LOCK = "lock"


def read(data_dir: Path) -> dict[str, Any] | None:
    """Addresses, passwords and the secret key of the product that runs here; None where none was started."""
    try:
        content = json.loads((data_dir / NAME).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def running(data_dir: Path) -> bool:
    """Whether a launcher, or the guard of a killed one, still holds this data directory."""
    try:
        with (data_dir / LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except BlockingIOError:
        return True
    return False
