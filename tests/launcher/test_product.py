"""The whole product, started as `make up` starts it, and what becomes of it when its processes die."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from ettdash.launcher import embedded, guard, services_file
from ettdash.launcher.data_dir import MARKER, PROJECT
from tests.launcher import running
from tests.launcher.running import Launcher, launched, wait_until

ALL = {"postgres", "valkey", "web", "worker", "beat"}


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """A product that is up; the tests of this file may kill its processes, but not its launcher."""
    data_dir = tmp_path_factory.mktemp("product")
    with launched(data_dir) as launcher:
        yield launcher.up()
    running.discard(data_dir)


@pytest.fixture
def collected(product: Launcher, data_dir: Path) -> Path:
    """A new data directory with its static files in place: compressing them takes longer than all else."""
    return _collected(product, data_dir)


@pytest.fixture
def other_collected(product: Launcher, other_data_dir: Path) -> Path:
    """A second one."""
    return _collected(product, other_data_dir)


def _collected(product: Launcher, data_dir: Path) -> Path:
    data_dir.mkdir(mode=0o700)
    for name in (MARKER, "static-stamp"):
        shutil.copy(product.data_dir / name, data_dir)
    shutil.copytree(product.data_dir / "static", data_dir / "static")
    return data_dir


def query(launcher: Launcher, sql: LiteralString) -> list[tuple[object, ...]]:
    """Ask the product's database."""
    with psycopg.connect(running.database_url(launcher.data_dir)) as connection:
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else []


def kill_and_await(launcher: Launcher, name: str) -> None:
    """Kill one process and wait for its successor."""
    before = running.processes(launcher.data_dir)[name].pid
    os.kill(before, signal.SIGKILL)
    wait_until(
        lambda: (now := running.processes(launcher.data_dir).get(name)) and now.pid != before,
        f"{name} is started again",
    )


def test_product_is_ready_and_has_its_processes(product: Launcher) -> None:
    wait_until(lambda: product.answers("/readyz"), "the product is ready")
    assert set(running.processes(product.data_dir)) == ALL


def test_services_file_tells_commands_where_the_product_is(product: Launcher) -> None:
    services = services_file.read(product.data_dir)
    assert services
    assert services_file.running(product.data_dir)
    assert services["web_url"] == f"http://127.0.0.1:{product.port}"
    assert services["pid"] == product.pid
    assert services["database"]["password"] in services["database_url"]
    assert services["redis"]["password"] in services["redis_url"]
    assert running.mode_of(product.data_dir / "services.json") == 0o600
    assert running.mode_of(product.data_dir) == 0o700


def test_management_commands_find_the_running_product(product: Launcher) -> None:
    done = subprocess.run(
        [
            sys.executable,
            PROJECT / "manage.py",
            "create_token",
            "probe",
            "--team",
            "probe",
            "--scope",
            "read",
        ],
        env=running.clean_environment() | {"ETTDASH_DATA_DIR": str(product.data_dir)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ett_")


def test_second_launcher_on_the_same_data_is_refused(product: Launcher) -> None:
    code, said = running.refusal(product.data_dir)
    where = f"process {product.pid} runs with it at http://127.0.0.1:{product.port}"
    assert (code, said) == (1, f"{product.data_dir} is in use: {where}.\n")


def test_killed_database_is_back_at_the_same_address_with_its_data(product: Launcher) -> None:
    address = running.database_url(product.data_dir)
    query(product, "CREATE TABLE kept AS SELECT 7 AS value")
    kill_and_await(product, "postgres")
    wait_until(lambda: product.answers("/readyz"), "the product is ready again")
    assert running.database_url(product.data_dir) == address
    assert query(product, "SELECT value FROM kept") == [(7,)]


def test_killed_guard_is_replaced(product: Launcher) -> None:
    before = running.run_file(product.data_dir)["guard"]
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: running.run_file(product.data_dir)["guard"] != before, "there is a new guard")
    assert product.answers()


@pytest.mark.parametrize("name", ["web", "valkey", "worker", "beat"])
def test_killed_process_is_started_again(product: Launcher, name: str) -> None:
    kill_and_await(product, name)
    wait_until(lambda: product.answers("/readyz"), "the product is ready again")


def test_two_products_started_at_once_run_side_by_side(collected: Path, other_collected: Path) -> None:
    with launched(collected) as one, launched(other_collected) as other:
        one.up()
        other.up()
        assert one.answers()
        assert other.answers()
        assert running.database_url(collected) != running.database_url(other_collected)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_stops_everything_and_a_second_start_finds_the_data(
    collected: Path, number: signal.Signals
) -> None:
    with launched(collected) as launcher:
        query(launcher.up(), "CREATE TABLE kept AS SELECT 7 AS value")
        entries = running.processes(collected)
        launcher.send(number)
        code, said = launcher.ended()
    assert code == 0, said
    assert running.none_alive(entries)
    assert not (collected / "run.json").exists()
    assert not (collected / "services.json").exists()
    assert not services_file.running(collected)
    with embedded.Postgres(collected) as server, psycopg.connect(server.url) as connection:
        assert connection.execute("SELECT value FROM kept").fetchall() == [(7,)]


def test_impatient_user_is_obeyed(collected: Path) -> None:
    with launched(collected) as launcher:
        launcher.up()
        entries = running.processes(collected)
        os.kill(entries["worker"].pid, signal.SIGSTOP)  # it will not stop when asked
        launcher.send(signal.SIGINT)
        launcher.says("Stopping")
        launcher.send(signal.SIGINT)
        code, said = launcher.ended()
    assert code == 0, said
    assert running.none_alive(entries)


def test_killed_launcher_leaves_nothing_running_and_can_be_started_at_once(collected: Path) -> None:
    with launched(collected) as launcher:
        query(launcher.up(), "CREATE TABLE kept AS SELECT 7 AS value")
        entries = running.processes(collected)
        launcher.send(signal.SIGKILL)
    with launched(collected, launcher.port) as again:
        again.up()
        assert running.none_alive(entries)
        assert query(again, "SELECT value FROM kept") == [(7,)]
        entries = running.processes(collected)
        again.send(signal.SIGKILL)
    wait_until(lambda: not services_file.running(collected), "the guard stops everything")
    assert running.none_alive(entries)
    assert not (collected / "services.json").exists()


def test_launcher_killed_with_its_guard_heals_at_the_next_start(collected: Path) -> None:
    with launched(collected) as launcher:
        query(launcher.up(), "CREATE TABLE kept AS SELECT 7 AS value")
        entries = running.processes(collected)
        launcher.send(signal.SIGSTOP)  # or it would put a new guard in place
        os.kill(running.run_file(collected)["guard"], signal.SIGKILL)
        launcher.send(signal.SIGKILL)
    assert all(guard.is_alive(entry) for entry in entries.values())
    with launched(collected, launcher.port) as again:
        again.up()
        assert running.none_alive(entries)
        assert query(again, "SELECT value FROM kept") == [(7,)]


def test_given_database_and_broker_are_used_and_left_alone(collected: Path, other_data_dir: Path) -> None:
    with embedded.Services(other_data_dir) as given:
        with launched(collected, DATABASE_URL=given.database_url, REDIS_URL=given.redis_url) as launcher:
            launcher.up()
            assert set(running.processes(collected)) == ALL - {"postgres", "valkey"}
            assert launcher.answers("/readyz")
            assert running.database_url(collected) == given.database_url
        with psycopg.connect(given.database_url) as connection:
            assert connection.execute("SELECT to_regclass('django_migrations')").fetchone() != (None,)


def test_process_that_cannot_start_ends_the_product_with_its_last_words(collected: Path) -> None:
    with launched(collected, ETTDASH_WEB_WORKERS="many") as launcher:
        code, said = launcher.ended()
    assert code == 1
    assert "web does not start; the end of" in said
    assert "ETTDASH_WEB_WORKERS must be a whole number" in said
    assert not (collected / "run.json").exists()
