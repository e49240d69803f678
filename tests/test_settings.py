"""Settings from the environment, and manage.py where nothing runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from ettdash import env
from ettdash.launcher.data_dir import PROJECT
from tests.launcher.running import clean_environment


def manage(data_dir: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = clean_environment() | {"ETTDASH_DATA_DIR": str(data_dir)} | variables
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)


def test_manage_says_in_one_sentence_that_nothing_runs(tmp_path: Path) -> None:
    done = manage(tmp_path, "create_token", "x", "--team", "t", "--scope", "write")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip().splitlines() == [
        f"ettdash is not running in {tmp_path}: start it with `make up`, or set DATABASE_URL and REDIS_URL."
    ]


def test_manage_says_where_a_given_database_is_away(tmp_path: Path) -> None:
    done = manage(tmp_path, "migrate", DATABASE_URL="postgresql://x@127.0.0.1:1/x")
    assert done.returncode == 1
    assert done.stderr.startswith("The database does not answer")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ETTDASH_RATE", "fast"),
        ("ETTDASH_LOST_AFTER_S", "0"),
        ("ETTDASH_DEBUG", "maybe"),
        ("ETTDASH_LOG_LEVEL", "loud"),
        ("DATABASE_URL", "mysql://x"),
    ],
)
def test_wrong_value_names_its_variable(tmp_path: Path, name: str, value: str) -> None:
    done = manage(tmp_path, "check", **{name: value})
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert name in sentence


def test_secret_may_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("s3cret\n")
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "secret"))
    assert env.env_secret("A_SECRET") == "s3cret"
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "none"))
    with pytest.raises(ImproperlyConfigured, match="A_SECRET_FILE"):
        env.env_secret("A_SECRET")


def test_models_and_migrations_agree() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
        cwd=PROJECT, env=dict(os.environ), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
