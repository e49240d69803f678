"""An embedded Postgres: a real server on loopback, with a password, checksums and durable commits."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psycopg

from ettdash.launcher import binaries, files, guard, placement
from ettdash.launcher.data_dir import DataDir
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.guard import Entry
from ettdash.launcher.processes import Program

USER = DATABASE = "ettdash"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("*", "0.0.0.0")  # noqa: S104  compared with
STAGE = 9  # stopped last

# A committed event survives a crash of the machine: fsync, synchronous_commit, full_page_writes stay on.
SETTINGS = """\
# Written at every start; put your own settings into local.conf beside this file.
listen_addresses = '{listen}'
port = {port}
unix_socket_directories = ''
max_connections = 100
password_encryption = scram-sha-256
shared_buffers = 128MB
effective_cache_size = 1GB
work_mem = 16MB
maintenance_work_mem = 128MB
max_wal_size = 2GB
min_wal_size = 256MB
checkpoint_timeout = 15min
wal_compression = on
fsync = on
synchronous_commit = on
full_page_writes = on
random_page_cost = 1.1
jit = off
# Only what runs with every request is prepared, and one plan serves it always.
plan_cache_mode = force_generic_plan
timezone = 'UTC'
log_timezone = 'UTC'
datestyle = 'iso, ymd'
log_line_prefix = '%m [%p] '
log_checkpoints = off
include_if_exists = 'local.conf'
"""


class PostgresServer:
    """The database server of one data directory, as files and as a program to run."""

    name = "postgres"

    def __init__(self, data: DataDir, listen: str) -> None:
        self._data = data
        self._listen = listen
        self._password = data.secrets().postgres_password
        self._account = placement.server_account(data.root)
        found = binaries.find_postgres()
        self._binaries = binaries.reachable_by(self._account, found) if self._account else found
        self._home = placement.database_home(data.root, self._account)
        self._files = self._home / "pgdata"
        self.port = 0

    def url(self, database: str = DATABASE) -> str:
        """The address with user and password."""
        return f"postgresql://{USER}:{quote(self._password)}@127.0.0.1:{self.port}/{database}"

    def prepare(self, port: int) -> Program:
        """Make the files of a new database if there is none, and say what to run."""
        self.port = port
        if not self._files.exists():
            self._initialise()
        self._check_version()
        self._clear_remains()
        self._configure()
        return Program(
            self.name,
            [str(self._binaries.bin / "postgres"), "-D", str(self._files)],
            self._data.log(self.name),
            _environment(),
            STAGE,
            account=self._account,
            signals=(signal.SIGINT, signal.SIGQUIT),
            grace_s=20.0,
            ready=self.is_ready,
            before_restart=self._clear_remains,
        )

    def is_ready(self) -> bool:
        """Whether it takes connections; our database is made on the way."""
        try:
            with psycopg.connect(self.url("postgres"), connect_timeout=2, autocommit=True) as connection:
                if not connection.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
                ).fetchone():
                    connection.execute("CREATE DATABASE ettdash")
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise LauncherError(
                    f"The database in {self._files} has another password than secrets.json; "
                    "put the old secrets.json back."
                ) from error
            return False
        return True

    def _initialise(self) -> None:
        """Make the files under another name first: a start killed half-way leaves no half database."""
        new = self._home / "pgdata.new"
        password = self._home / "password"
        self._run("rm", "-rf", str(new), str(password))
        files.write_private(password, self._password)
        self._give(password)
        command = [str(self._binaries.bin / "initdb"), "-D", str(new), "-U", USER, "--pwfile", str(password)]
        command += ["--auth=scram-sha-256", "--encoding=UTF8", "--data-checksums", *self._locale()]
        self._run(*command)
        password.unlink()
        new.rename(self._files)

    def _locale(self) -> list[str]:
        """One order of text everywhere: the server's own C.UTF-8, which Postgres has since version 17."""
        if self._binaries.major >= 17:
            return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        return ["--locale=C"]

    def _run(self, *command: str) -> None:
        popen = self._account.as_popen() if self._account else {}
        done = subprocess.run(command, cwd="/", env=_environment(), capture_output=True, text=True, **popen)
        if done.returncode:
            output = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise LauncherError(
                f"{Path(command[0]).name} failed: {output[-1] if output else done.returncode}."
            )

    def _give(self, path: Path) -> None:
        if self._account:
            os.chown(path, self._account.uid, self._account.gid, follow_symlinks=False)

    def _check_version(self) -> None:
        made_by = (self._files / "PG_VERSION").read_text(encoding="ascii").strip()
        if made_by != str(self._binaries.major):
            raise LauncherError(
                f"The database in {self._files} was made by Postgres {made_by}, but {self._binaries.bin} is "
                f"Postgres {self._binaries.version}; name the older programs with ETTDASH_PG_BIN, or upgrade "
                "the files with pg_upgrade."
            )

    def _clear_remains(self) -> None:
        """Clear away what a killed server left, which would keep the next one from starting."""
        pid_file = self._files / "postmaster.pid"
        try:
            pid = int(pid_file.read_text(encoding="utf-8").splitlines()[0])
        except (FileNotFoundError, IndexError, ValueError):
            return
        began = guard.identity(pid)
        if began and str(self._files) in _command_line(pid):  # it outlived its launcher
            signals = [int(signal.SIGINT), int(signal.SIGQUIT)]
            guard.stop_all([Entry(self.name, pid, began, STAGE, signals, 20.0)])
        elif began:
            pid_file.unlink()  # another program has that pid now
        for orphan in _working_in(self._files):
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)

    def _configure(self) -> None:
        loopback = self._listen in LOOPBACK
        everywhere = self._listen in EVERYWHERE
        listen = self._listen if everywhere else "127.0.0.1" if loopback else f"127.0.0.1,{self._listen}"
        sources = ["127.0.0.1/32", "::1/128", *([] if loopback else ["0.0.0.0/0", "::/0"])]
        access = "".join(f"host all all {source} scram-sha-256\n" for source in sources)
        self._write("postgresql.conf", SETTINGS.format(listen=listen, port=self.port))
        self._write("pg_hba.conf", access)

    def _write(self, name: str, text: str) -> None:
        files.write_private(self._files / name, text)
        self._give(self._files / name)


def _environment() -> dict[str, str]:
    """Nothing of ours: a stray PGDATA or locale must not change the server."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC"}


def _command_line(pid: int) -> str:
    command = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    proc = Path(f"/proc/{pid}/cmdline")
    if proc.exists():
        return proc.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return subprocess.run(command, capture_output=True, text=True).stdout


def _working_in(folder: Path) -> list[int]:
    """Backends whose server was killed: one busy with a long query takes its time to notice. Linux only."""
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == folder and (process / "cmdline").read_bytes().startswith(
                b"postgres:"
            ):
                pids.append(int(process.name))
    return pids
