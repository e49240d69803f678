"""The data directory: everything that the embedded default keeps."""

import errno
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from ettdash.launcher import files
from ettdash.launcher.errors import LauncherError

PROJECT = Path(__file__).resolve().parents[2]
SECRETS = "secrets.json"
MARKER = ".made-by-ettdash"


@dataclass(frozen=True)
class Secrets:
    """Passwords and keys of one product: made once, kept from then on."""

    postgres_password: str
    redis_password: str
    secret_key: str
    admin_password: str


@dataclass(frozen=True)
class DataDir:
    """The places inside a data directory."""

    root: Path

    @property
    def logs(self) -> Path:
        """One log per process."""
        return self.root / "logs"

    @property
    def metrics(self) -> Path:
        """What the web processes count, for as long as they run."""
        return self.root / "metrics"

    @property
    def run_file(self) -> Path:
        """Who runs now, for a start that must clean up after a killed launcher and guard."""
        return self.root / "run.json"

    def log(self, name: str) -> Path:
        """The log of one process."""
        return self.logs / f"{name}.log"

    def secrets(self) -> Secrets:
        """The passwords and keys; those still missing are made now."""
        kept = files.read_json(self.root / SECRETS)
        names = Secrets.__dataclass_fields__
        if made := {name: secrets.token_urlsafe(24) for name in names if name not in kept}:
            files.write_private_json(self.root / SECRETS, kept | made)
        return Secrets(**{name: (kept | made)[name] for name in names})

    def last_port(self, name: str) -> int | None:
        """The port that a server had the last time."""
        port = files.read_json(self.root / "ports.json").get(name)
        return port if isinstance(port, int) else None

    def keep_port(self, name: str, port: int) -> None:
        """Remember a server's port for the next start."""
        path = self.root / "ports.json"
        files.write_private_json(path, files.read_json(path) | {name: port})


def configured() -> Path:
    """The data directory that the environment names, else `.ettdash` in the project's folder."""
    return Path(os.environ.get("ETTDASH_DATA_DIR") or PROJECT / ".ettdash").expanduser().absolute()


def prepare(root: Path) -> DataDir:
    """Make a data directory, or take one that is there; closed to others unless it holds what is not ours."""
    data = DataDir(root.absolute())
    try:
        data.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not any(data.root.iterdir()):
            (data.root / MARKER).touch(mode=0o600)
        if (data.root / MARKER).exists() and data.root.stat().st_mode & 0o777 != 0o700:
            data.root.chmod(0o700)
        data.logs.mkdir(mode=0o700, exist_ok=True)
        data.secrets()
    except (FileExistsError, NotADirectoryError) as error:
        raise LauncherError(
            f"The data directory {root} is not a folder; choose another with ETTDASH_DATA_DIR."
        ) from error
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.ENOENT):
            raise
        raise LauncherError(
            f"The data directory {root} cannot be written ({error.strerror}); "
            "choose another with ETTDASH_DATA_DIR."
        ) from error
    return data
