"""Small private files, written so that nobody ever reads half of one."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

LOG_LIMIT = 8 * 1024 * 1024


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step; only its owner can read it."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    # No links: root writes into folders of the database's account, which must not send it elsewhere.
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def write_private_json(path: Path, content: dict[str, Any]) -> None:
    """Replace a private JSON file in one step."""
    write_private(path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """What a JSON file holds; nothing where it is absent or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def tail(path: Path, lines: int = 15) -> str:
    """The last lines of a log."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 16_384))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def bound_log(path: Path, limit: int = LOG_LIMIT) -> None:
    """Move a log that has grown past the limit to `.1`; its writers append, so they go on from its start."""
    try:
        if path.stat().st_size <= limit:
            return
    except FileNotFoundError:
        return
    older = path.with_name(f"{path.name}.1")
    shutil.copyfile(path, older)
    older.chmod(0o600)
    os.truncate(path, 0)
