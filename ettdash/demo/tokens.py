"""One write token per team, made by the product's own command and kept in the state."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from ettdash.demo import state as states
from ettdash.demo.post import PostError
from ettdash.demo.state import State

PROJECT = Path(__file__).resolve().parents[2]


class TokenBook:
    """Hands out the teams' tokens and makes those that are missing or no longer good."""

    def __init__(self, data_dir: Path, state: State) -> None:
        self._data_dir = data_dir
        self._state = state
        self._lock = threading.Lock()

    def token_for(self, team: str, refused: str | None) -> str:
        """The team's token: the kept one, unless that is the one that was just refused."""
        with self._lock:
            kept = self._state.tokens.get(team)
            if kept is None or kept == refused:
                kept = self._state.tokens[team] = make_token(self._data_dir, team)
                states.save(self._data_dir, self._state)
            return kept


def make_token(data_dir: Path, team: str) -> str:
    """Have the product make a write token for a team."""
    command = [
        sys.executable, str(PROJECT / "manage.py"), "create_token", f"demo-{team}", "--team", team,
        "--scope", "write",
    ]  # fmt: skip
    # The command finds the running product's services in its data directory.
    environment = {**os.environ, "ETTDASH_DATA_DIR": str(data_dir.resolve())}
    made = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        said = made.stderr.strip().splitlines() or ["it said nothing"]
        raise PostError(f"No token could be made for team {team}: {said[-1]}")
    return made.stdout.strip()
