"""Reasons not to start: one sentence each, exit code 1, and nothing left running."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ettdash.launcher import embedded
from tests.launcher.running import refusal


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_taken_port_is_one_sentence_that_names_the_way_out(data_dir: Path, taken_port: int) -> None:
    code, said = refusal(data_dir, taken_port, mode="demo")
    assert code == 1
    assert said == (
        f"Port {taken_port} is taken; choose another with ETTDASH_PORT, "
        f"for example: make demo ETTDASH_PORT={taken_port + 1}\n"
    )
    assert not (data_dir / "run.json").exists()


@pytest.mark.parametrize("value", ["http", "0", "70000", "-1", "80.5"])
def test_port_that_is_none_is_told_by_its_name(data_dir: Path, value: str) -> None:
    code, said = refusal(data_dir, ETTDASH_PORT=value)
    assert (code, said) == (1, f"ETTDASH_PORT must be a whole number from 1 to 65535, not {value!r}.\n")


def test_address_of_another_machine_is_refused(data_dir: Path) -> None:
    code, said = refusal(data_dir, ETTDASH_LISTEN="192.0.2.1")
    assert (code, said) == (1, "ETTDASH_LISTEN is 192.0.2.1, which is no address of this machine.\n")


def test_data_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    code, said = refusal(file)
    assert code == 1
    assert said == f"The data directory {file} is not a folder; choose another with ETTDASH_DATA_DIR.\n"


def test_data_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    # Root may write anywhere but in the kernel's own folders.
    code, said = refusal(Path("/proc/ettdash") if os.geteuid() == 0 else closed / "data")
    assert code == 1
    assert "cannot be written" in said
    assert said.count("\n") == 1


def test_folder_without_programs_is_refused(data_dir: Path, tmp_path: Path) -> None:
    code, said = refusal(data_dir, ETTDASH_PG_BIN=str(tmp_path))
    assert (code, said) == (1, f"ETTDASH_PG_BIN is {tmp_path}, which holds no Postgres 16 or newer.\n")


def test_data_directory_in_use_is_refused_with_its_user(data_dir: Path) -> None:
    with embedded.Valkey(data_dir):
        code, said = refusal(data_dir)
    assert (code, said) == (1, f"{data_dir} is in use: process {os.getpid()} runs with it.\n")
