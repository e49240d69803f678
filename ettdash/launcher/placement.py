"""Where the database lies and which account runs it.

Postgres refuses to run as root. For an ordinary user everything lies in the data directory. Root lends it an
existing account; where that account cannot enter the data directory, the database lies in a folder under
`/var/lib/ettdash`, and a pointer file in the data directory says which.
"""

import hashlib
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ettdash.launcher import files
from ettdash.launcher.errors import LauncherError

STATE = Path("/var/lib/ettdash")
POINTER = "postgres-location.json"
BELONGS_TO = "belongs-to.json"


@dataclass(frozen=True)
class Account:
    """An account that the database server runs as."""

    name: str
    uid: int
    gid: int

    def as_popen(self) -> dict[str, Any]:
        """The arguments that make a subprocess run as this account and no other."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def can_enter(self, path: Path) -> bool:
        """Whether this account can reach a folder or run a file."""
        command = ["/bin/sh", "-c", 'test -x "$0"', str(path)]
        try:
            return subprocess.run(command, cwd="/", **self.as_popen()).returncode == 0
        except (PermissionError, subprocess.SubprocessError) as error:
            raise LauncherError(
                f"Root cannot run programs as the account {self.name} here ({error}); "
                "start as an ordinary user, or give a server with DATABASE_URL."
            ) from error


def server_account(data_dir: Path) -> Account | None:
    """The account to run the database as; None for our own, which is right unless we are root."""
    if os.geteuid() != 0:
        return None
    inside = data_dir / "postgres"
    if inside.is_dir() and inside.stat().st_uid != 0:  # made by an ordinary user, or by us for the account
        owner = inside.stat()
        return Account(_name_of(owner.st_uid), owner.st_uid, owner.st_gid)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise LauncherError(
        "Postgres does not run as root, and there is no account postgres or nobody to lend it."
    )


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def database_home(data_dir: Path, account: Account | None) -> Path:
    """The folder for the database of a data directory, made if there is none yet."""
    inside = data_dir / "postgres"
    if account is None:
        inside.mkdir(mode=0o700, exist_ok=True)
        return inside
    pointer = data_dir / POINTER
    if pointer.exists():
        return _pointed_at(data_dir, files.read_json(pointer))
    if inside.is_dir() or account.can_enter(data_dir):
        return _make_owned(inside, account)
    return _make_outside(data_dir, account)


def discard(data_dir: Path) -> None:
    """Delete a data directory for good, with what lies outside of it."""
    pointer = files.read_json(data_dir / POINTER)
    if pointer and files.read_json(Path(pointer["path"], BELONGS_TO)).get("mark") == pointer["mark"]:
        shutil.rmtree(pointer["path"], ignore_errors=True)
    shutil.rmtree(data_dir, ignore_errors=True)


def _make_owned(folder: Path, account: Account) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chown(folder, account.uid, account.gid)
    return folder


def _make_outside(data_dir: Path, account: Account) -> Path:
    """A fresh folder under the state directory; one already there belonged to a data directory now gone."""
    ensure_state()
    path = data_dir.resolve()
    home = STATE / f"{path.name.lstrip('.')}-{hashlib.sha256(bytes(path)).hexdigest()[:12]}"
    if home.exists():
        _set_aside(home)
    _make_owned(home, account)
    mark = secrets.token_hex(16)
    files.write_private_json(home / BELONGS_TO, {"data_dir": str(path), "mark": mark})
    files.write_private_json(data_dir / POINTER, {"path": str(home), "mark": mark})
    return home


def _set_aside(home: Path) -> None:
    """Make room, but keep one generation: the data directory may have been moved rather than deleted."""
    aside = home.with_name(f"{home.name}.aside")
    shutil.rmtree(aside, ignore_errors=True)
    home.rename(aside)


def _pointed_at(data_dir: Path, pointer: dict[str, Any]) -> Path:
    """The folder that a pointer means, also after either of the two was moved."""
    for home in (Path(pointer["path"]), *sorted(STATE.glob("*"))):
        belongs = files.read_json(home / BELONGS_TO)
        if belongs.get("mark") == pointer["mark"]:
            _refuse_copy(data_dir, Path(belongs["data_dir"]), pointer["mark"])
            files.write_private_json(home / BELONGS_TO, belongs | {"data_dir": str(data_dir.resolve())})
            files.write_private_json(data_dir / POINTER, pointer | {"path": str(home)})
            return home
    raise LauncherError(
        f"The database of {data_dir} lay in {pointer['path']}, which is gone; "
        f"delete {data_dir} to start afresh."
    )


def _refuse_copy(data_dir: Path, owner: Path, mark: str) -> None:
    if owner != data_dir.resolve() and files.read_json(owner / POINTER).get("mark") == mark:
        raise LauncherError(
            f"{data_dir} is a copy of {owner} and would share its database; use one of the two."
        )


def ensure_state() -> None:
    """Make the state directory: anyone may pass through it, nobody may list it."""
    try:
        STATE.mkdir(parents=True)
        STATE.chmod(0o711)  # apart from mkdir, whose mode the umask cuts
    except FileExistsError:
        return
    except OSError as error:
        raise LauncherError(
            f"{STATE} cannot be made ({error.strerror}); the database needs it as root."
        ) from error


def copy_once(sources: list[Path], target: Path) -> Path:
    """Copy folders side by side into the state directory, readable by all; the first copier wins."""
    if target.exists():
        return target
    ensure_state()
    new = Path(tempfile.mkdtemp(prefix="copying-", dir=STATE))
    for source in sources:
        shutil.copytree(source, new / source.name, symlinks=True)
    _open_to_all(new)
    try:
        new.rename(target)
    except OSError:  # somebody else was faster
        shutil.rmtree(new)
    return target


def _open_to_all(folder: Path) -> None:
    folder.chmod(0o755)
    for root, folders, names in os.walk(folder):
        for name in folders:
            Path(root, name).chmod(0o755)
        for name in names:
            path = Path(root, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
