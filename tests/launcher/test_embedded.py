"""The servers by themselves."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from ettdash.launcher import binaries, embedded, files, placement
from ettdash.launcher.errors import LauncherError
from tests.launcher import running


def test_database_that_is_stopped_and_started_has_its_rows_and_port_again(data_dir: Path) -> None:
    with embedded.Postgres(data_dir) as first, psycopg.connect(first.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
    with embedded.Postgres(data_dir) as second, psycopg.connect(second.url) as connection:
        assert connection.execute("SELECT value FROM kept").fetchall() == [(7,)]
    assert second.url == first.url


def test_database_is_durable_checked_and_orders_text_by_code_point(data_dir: Path) -> None:
    names = ("fsync", "synchronous_commit", "full_page_writes", "data_checksums", "listen_addresses")
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        values = [connection.execute("SELECT current_setting(%s)", [name]).fetchone() for name in names]
        ordered = connection.execute("SELECT 'Z' < 'a', upper('é')").fetchone()
    assert values == [("on",), ("on",), ("on",), ("on",), ("127.0.0.1",)]
    assert ordered == (True, "É")


def test_database_lets_nobody_in_without_the_password(data_dir: Path) -> None:
    with embedded.Postgres(data_dir) as server:
        for wrong in (
            server.url.replace("ettdash:", "ettdash:x"),
            server.url.replace("ettdash:", "postgres:"),
        ):
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(wrong)


def test_database_opened_to_others_still_wants_the_password(data_dir: Path) -> None:
    with embedded.Postgres(data_dir, listen="0.0.0.0") as server, psycopg.connect(server.url) as connection:  # noqa: S104
        rules = connection.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules").fetchall()
        everyone = connection.execute(
            "SELECT count(*) FROM pg_hba_file_rules WHERE address = '0.0.0.0' AND netmask = '0.0.0.0'"
        ).fetchone()
    assert rules == [("scram-sha-256",)]
    assert everyone == (1,)


def test_broker_that_is_killed_keeps_its_queue_even_with_a_torn_file(data_dir: Path) -> None:
    with embedded.Valkey(data_dir) as server:
        client = redis.Redis.from_url(server.url)
        client.rpush("queue", *range(100))
        os.kill(running.processes(data_dir)["valkey"].pid, signal.SIGKILL)
    (log,) = (data_dir / "valkey" / "appendonlydir").glob("*.incr.aof")
    with log.open("ab") as file:
        file.write(b"*3\r\n$5\r\nRPUSH\r\n$5\r\nque")
    with embedded.Valkey(data_dir) as server:
        assert redis.Redis.from_url(server.url).llen("queue") == 100


def test_broker_with_a_queue_beyond_repair_starts_empty(data_dir: Path) -> None:
    with embedded.Valkey(data_dir) as server:
        redis.Redis.from_url(server.url).rpush("queue", *range(100))
    (log,) = (data_dir / "valkey" / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(b"no such format\r\n" * 100)
    with embedded.Valkey(data_dir) as server:
        assert redis.Redis.from_url(server.url).llen("queue") == 0
    assert (data_dir / "valkey" / "damaged").is_dir()


def test_broker_wants_its_password_and_shows_it_to_nobody(data_dir: Path) -> None:
    with embedded.Valkey(data_dir) as server:
        password = files.read_json(data_dir / "secrets.json")["redis_password"]
        commands = running.run_file(data_dir)["processes"][0]["command"]
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(server.url.replace(password, "")).ping()
    assert password not in " ".join(commands)
    assert running.mode_of(data_dir / "valkey" / "valkey.conf") == 0o600


def test_servers_that_are_given_are_not_started(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://given@database.example/ettdash")
    monkeypatch.setenv("REDIS_URL", "redis://broker.example/0")
    services = embedded.start_services(data_dir)
    assert (services.database_url, services.redis_url) == (
        os.environ["DATABASE_URL"],
        os.environ["REDIS_URL"],
    )
    assert running.processes(data_dir) == {}
    services.stop()


def test_data_directory_and_its_files_are_closed_to_others(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o755)
    with embedded.Postgres(data_dir):
        modes = {path.name: running.mode_of(path) for path in [data_dir, *data_dir.glob("*.json")]}
    assert modes == {path: 0o700 if path == data_dir.name else 0o600 for path in modes}
    assert "secrets.json" in modes


def test_folder_with_other_peoples_files_keeps_its_mode(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o755)
    (data_dir / "theirs.txt").touch()
    for _ in range(2):
        with embedded.Valkey(data_dir):
            assert running.mode_of(data_dir) == 0o755


def test_passwords_are_made_once(data_dir: Path) -> None:
    with embedded.Valkey(data_dir):
        first = (data_dir / "secrets.json").read_text()
    with embedded.Valkey(data_dir):
        assert (data_dir / "secrets.json").read_text() == first
    assert len(set(json.loads(first).values())) == 4


def test_deleted_data_directory_does_not_bring_old_data_back(data_dir: Path) -> None:
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE old ()")
    outside = files.read_json(data_dir / placement.POINTER).get("path")
    subprocess.run(["rm", "-rf", data_dir], check=True)
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT to_regclass('old')").fetchone() == (None,)
    if outside:
        subprocess.run(["rm", "-rf", f"{outside}.aside"], check=True)


def test_data_directory_that_is_moved_keeps_its_data_and_leaves_its_old_place_free(
    data_dir: Path, other_data_dir: Path
) -> None:
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE moved ()")
    data_dir.rename(other_data_dir)
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT to_regclass('moved')").fetchone() == (None,)
    with embedded.Postgres(other_data_dir) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT to_regclass('moved')").fetchone() == ("moved",)


def test_start_that_was_killed_while_making_the_database_is_begun_again(data_dir: Path) -> None:
    with embedded.Postgres(data_dir):
        pass
    home = Path(files.read_json(data_dir / placement.POINTER).get("path") or data_dir / "postgres")
    (home / "pgdata").rename(home / "pgdata.new")
    (home / "pgdata.new" / "PG_VERSION").unlink()
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_database_of_another_version_is_refused_in_one_sentence(data_dir: Path) -> None:
    with embedded.Postgres(data_dir):
        pass
    home = Path(files.read_json(data_dir / placement.POINTER).get("path") or data_dir / "postgres")
    (home / "pgdata" / "PG_VERSION").write_text("15\n")
    with pytest.raises(LauncherError, match=r"was made by Postgres 15, but .*ETTDASH_PG_BIN.*\.$"):
        embedded.Postgres(data_dir).start()


def test_pid_file_whose_number_another_program_has_now_does_not_keep_the_database_down(
    data_dir: Path,
) -> None:
    with embedded.Postgres(data_dir):
        os.kill(running.processes(data_dir)["postgres"].pid, signal.SIGKILL)
    home = Path(files.read_json(data_dir / placement.POINTER).get("path") or data_dir / "postgres")
    pid_file = home / "pgdata" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    with embedded.Postgres(data_dir) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_servers_of_a_killed_program_are_stopped(data_dir: Path) -> None:
    program = f"""
import pathlib, time
from ettdash.launcher import embedded
embedded.start_services(pathlib.Path({str(data_dir)!r}))
print("up", flush=True)
time.sleep(600)"""
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env=running.clean_environment(), text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "up\n"
    entries = running.processes(data_dir)
    child.kill()
    child.wait()
    running.wait_until(
        lambda: running.none_alive(entries), "the servers go with the program that started them"
    )
    assert set(entries) == {"postgres", "valkey"}


def test_programs_named_by_the_environment_come_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = binaries.find_postgres()
    (tmp_path / "postgres").symlink_to(found.bin / "postgres")
    (tmp_path / "initdb").symlink_to(found.bin / "initdb")
    monkeypatch.setenv("ETTDASH_PG_BIN", str(tmp_path))
    assert binaries.find_postgres().bin == tmp_path
    monkeypatch.setenv("ETTDASH_PG_BIN", str(tmp_path / "absent"))
    with pytest.raises(
        LauncherError, match=r"ETTDASH_PG_BIN is .*absent, which holds no Postgres 16 or newer"
    ):
        binaries.find_postgres()
