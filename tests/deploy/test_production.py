"""Settings that would let strangers in: each keeps the product from starting, with one sentence."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ettdash import production
from ettdash.launcher.data_dir import PROJECT
from ettdash.production import Values
from tests.launcher.running import clean_environment

KEY = "".join(chr(ord("a") + number % 26) for number in range(64))
SAFE = Values(
    production=True,
    debug=False,
    listen="0.0.0.0",  # noqa: S104
    secret_key=KEY,
    hosts=["ett.example.com"],
    origins=["https://ett.example.com"],
    database_url="postgresql://ettdash:h4rd@db/ettdash",
    database_password="h4rd",
    redis_url="redis://:h4rd@redis/0",
    redis_password="h4rd",
    admin_password=None,
)
ON_LOOPBACK = replace(SAFE, production=False, listen="127.0.0.1", secret_key=None, hosts=[])
ENVIRONMENT = {
    "ETTDASH_PRODUCTION": "1",
    "ETTDASH_SECRET_KEY": KEY,
    "ETTDASH_HOSTS": "ett.example.com,.internal.example.com",
    "ETTDASH_PROXIES": "1",
    "DATABASE_URL": "postgresql://ettdash:h4rd@127.0.0.1:1/ettdash",
    "REDIS_URL": "redis://:h4rd@127.0.0.1:1/0",
}


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the product in production."""
    env = clean_environment() | ENVIRONMENT | variables
    return subprocess.run([sys.executable, *command], cwd=PROJECT, env=env, capture_output=True, text=True)


def test_safe_values_are_taken() -> None:
    assert production.faults(SAFE) == []
    assert production.faults(ON_LOOPBACK) == []
    assert production.faults(replace(ON_LOOPBACK, debug=True, hosts=["*"])) == []
    assert production.faults(replace(SAFE, hosts=[".example.com"], admin_password="long and own")) == []


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ETTDASH_DEBUG", {"debug": True}),
        ("ETTDASH_SECRET_KEY", {"secret_key": None}),
        ("ETTDASH_SECRET_KEY", {"secret_key": KEY[:49]}),
        ("ETTDASH_SECRET_KEY", {"secret_key": "ab" * 40}),
        ("ETTDASH_SECRET_KEY", {"secret_key": "django-insecure-" + KEY}),
        ("ETTDASH_SECRET_KEY", {"secret_key": "change-me"}),
        ("ETTDASH_SECRET_KEY", {"secret_key": " CHANGE-ME" + KEY}),
        ("ETTDASH_SECRET_KEY", {"secret_key": " Django-Insecure-" + KEY}),
        ("ETTDASH_SECRET_KEY", {"secret_key": KEY[:10] + " " * 50}),
        ("ETTDASH_HOSTS", {"hosts": []}),
        ("ETTDASH_HOSTS", {"hosts": ["ett.example.com", "*"]}),
        ("ETTDASH_HOSTS", {"hosts": ["ett.example.com", "."]}),
        ("ETTDASH_ORIGINS", {"origins": ["http://ett.example.com"]}),
        ("DATABASE_URL", {"database_url": None, "database_password": ""}),
        ("DATABASE_URL", {"database_password": "postgres"}),
        ("REDIS_URL", {"redis_url": None, "redis_password": ""}),
        ("REDIS_URL", {"redis_password": "Change-Me"}),
        ("ETTDASH_ADMIN_PASSWORD", {"admin_password": "admin"}),
        ("ETTDASH_ADMIN_PASSWORD", {"admin_password": "Password "}),
    ],
)
def test_each_fault_is_one_sentence(name: str, changes: dict[str, Any]) -> None:
    (sentence,) = production.faults(replace(SAFE, **changes))
    assert sentence.startswith(name)
    assert sentence.endswith(".")


@pytest.mark.parametrize("changes", [{"debug": True}, {"hosts": ["*"]}, {"secret_key": "change-me" + KEY}])
def test_open_to_others_is_refused_outside_production_too(changes: dict[str, Any]) -> None:
    open_to_others = replace(ON_LOOPBACK, listen="10.0.0.7", hosts=["ett.example.com"])
    assert production.faults(open_to_others) == []
    assert len(production.faults(replace(open_to_others, **changes))) == 1


@pytest.mark.parametrize("address", ["127.0.0.2", "::1", "[::1]", "localhost"])
def test_addresses_of_this_machine_alone(address: str) -> None:
    assert production.faults(replace(ON_LOOPBACK, listen=address, debug=True)) == []


@pytest.mark.parametrize("name", ["web", "worker", "beat", "migrate"])
def test_no_process_starts_with_faults(name: str) -> None:
    done = run("-m", "ettdash.programs", name, ETTDASH_HOSTS="*", ETTDASH_DEBUG="1")
    assert (done.returncode, done.stdout) == (1, "")
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["ETTDASH_DEBUG", "ETTDASH_HOSTS"]


def test_wrong_number_of_the_web_server_is_one_sentence() -> None:
    done = run("-m", "ettdash.programs", "web", ETTDASH_WEB_WORKERS="many")
    assert (done.returncode, done.stderr) == (
        1,
        "ETTDASH_WEB_WORKERS must be a whole number, not 'many'.\n",
    )


def test_no_address_is_this_machine_alone() -> None:
    done = run("-c", "from ettdash import gunicorn; print(gunicorn.bind)", ETTDASH_LISTEN="")
    assert done.stdout == "127.0.0.1:8000\n"


def test_sample_password_is_refused_however_it_is_written() -> None:
    done = run("manage.py", "check", REDIS_URL="redis://:%63hange-me@127.0.0.1:1/0")
    assert done.stderr.startswith("REDIS_URL has a sample password")


def test_database_away_is_one_sentence() -> None:
    done = run("-m", "ettdash.programs", "migrate")
    assert done.returncode == 1
    assert done.stderr.startswith("The database does not answer")
    assert "Traceback" not in done.stderr


def test_check_of_a_deployment_is_clean() -> None:
    done = run("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_sample_environment_is_refused() -> None:
    lines = (PROJECT / ".env.example").read_text().splitlines()
    sample = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    variables = {name: value for name, value in sample.items() if name.startswith("ETTDASH_")} | {
        "DATABASE_URL": f"postgresql://ettdash:{sample['POSTGRES_PASSWORD']}@127.0.0.1:1/ettdash",
        "REDIS_URL": f"redis://:{sample['REDIS_PASSWORD']}@127.0.0.1:1/0",
    }
    done = run("-m", "ettdash.programs", "web", **variables)
    refused = ["ETTDASH_SECRET_KEY", "DATABASE_URL", "REDIS_URL", "ETTDASH_ADMIN_PASSWORD"]
    assert [line.split()[0] for line in done.stderr.splitlines()] == refused


def test_hosts_are_origins_where_none_are_given() -> None:
    origins = production.origins(["ett.example.com", ".internal.example.com"])
    assert origins == ["https://ett.example.com", "https://*.internal.example.com"]


def test_secret_key_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("change-me\n")
    done = run("manage.py", "check", ETTDASH_SECRET_KEY="", ETTDASH_SECRET_KEY_FILE=str(tmp_path / "key"))
    assert done.stderr.startswith("ETTDASH_SECRET_KEY is a sample")
