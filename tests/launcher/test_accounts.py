"""Root lends the database an account; an ordinary user needs none."""

import json
import os
import pwd
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from ettdash.launcher import binaries, embedded, files, placement
from ettdash.launcher.data_dir import PROJECT
from ettdash.launcher.errors import LauncherError
from ettdash.launcher.placement import Account
from tests.launcher import running

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can lend accounts")

PROGRAM = """
import json, os, pathlib, sys
from ettdash.launcher import embedded
for _ in range(2):
    services = embedded.start_services(pathlib.Path(sys.argv[1]))
    run = json.loads(pathlib.Path(sys.argv[1], "run.json").read_text())
    services.stop()
print(json.dumps([os.geteuid(), [process["command"][-1] for process in run["processes"]]]))
"""


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A folder that other accounts can pass through, which pytest's own are not."""
    path = Path(tempfile.mkdtemp(prefix="ettdash-open-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def account(tmp_path: Path) -> Account:
    """The account that the database runs as."""
    found = placement.server_account(tmp_path)
    assert found
    return found


def ordinary_user() -> Account:
    """An account with no rights at all."""
    entry = pwd.getpwnam("nobody")
    return Account("nobody", entry.pw_uid, entry.pw_gid)


def python_as(user: Account, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run our code as somebody else, with a Python that they can reach."""
    own = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    python = next((path for path in (sys.executable, own) if user.can_enter(Path(path))), own)
    paths = [str(PROJECT), *site.getsitepackages()]
    env = running.clean_environment() | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, *arguments]
    return subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, **user.as_popen())


def test_database_of_root_runs_as_another_account_outside_a_closed_data_directory(
    data_dir: Path, account: Account
) -> None:
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        connection.execute("SELECT 1")
        home = Path(files.read_json(data_dir / placement.POINTER)["path"])
        server_pid = running.processes(data_dir)["postgres"].pid
        owner = subprocess.run(["ps", "-o", "uid=", "-p", str(server_pid)], capture_output=True, text=True)
    assert int(owner.stdout) == account.uid
    assert home.parent == placement.STATE
    assert (home.stat().st_uid, running.mode_of(home)) == (account.uid, 0o700)
    assert running.mode_of(placement.STATE) == 0o711
    assert running.mode_of(data_dir) == 0o700


def test_ordinary_user_has_everything_in_the_data_directory(open_dir: Path) -> None:
    user = ordinary_user()
    os.chown(open_dir, user.uid, user.gid)
    if python_as(user, "-c", "import ettdash.launcher.embedded").returncode:
        pytest.skip("no account but root's can reach a Python and this folder here")
    done = python_as(user, "-c", PROGRAM, str(open_dir / "data"))
    assert done.returncode == 0, done.stderr
    uid, places = json.loads(done.stdout)
    assert uid == user.uid
    assert places == [str(open_dir / "data/postgres/pgdata"), str(open_dir / "data/valkey/valkey.conf")]
    assert running.mode_of(open_dir / "data") == 0o700


def test_root_runs_the_database_of_an_ordinary_user_as_that_user(open_dir: Path) -> None:
    user = ordinary_user()
    (open_dir / "postgres").mkdir(mode=0o700)
    os.chown(open_dir / "postgres", user.uid, user.gid)
    with embedded.Postgres(open_dir) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert (open_dir / "postgres" / "pgdata").stat().st_uid == user.uid


def test_programs_in_a_closed_home_are_copied_once_to_where_the_account_can_run_them(
    account: Account, open_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "STATE", open_dir)
    found = binaries.find_postgres()
    assert found.package
    for folder in (found.package, found.package.with_name(f"{found.package.name}.libs")):
        shutil.copytree(folder, tmp_path / folder.name)
    package = tmp_path / found.package.name
    closed = replace(found, bin=package / found.bin.relative_to(found.package), package=package)
    assert not account.can_enter(closed.bin / "postgres")
    for _ in range(2):
        copied = binaries.reachable_by(account, closed)
        version = subprocess.run([copied.bin / "initdb", "--version"], cwd="/", **account.as_popen())
        assert version.returncode == 0
    assert [path.name.startswith(f"pg-{found.version}-") for path in open_dir.iterdir()] == [True]


def test_copy_of_a_data_directory_may_not_share_its_database(data_dir: Path, other_data_dir: Path) -> None:
    with embedded.Postgres(data_dir):
        pass
    shutil.copytree(data_dir, other_data_dir)
    with pytest.raises(LauncherError, match=r"is a copy of .* and would share its database"):
        embedded.Postgres(other_data_dir).start()
    shutil.rmtree(other_data_dir)


def test_database_that_was_lost_is_not_silently_replaced_by_an_empty_one(data_dir: Path) -> None:
    with embedded.Postgres(data_dir):
        pass
    shutil.rmtree(files.read_json(data_dir / placement.POINTER)["path"])
    with pytest.raises(LauncherError, match=r"which is gone; delete .* to start afresh"):
        embedded.Postgres(data_dir).start()
