"""Errors that carry secrets leave none of them in the log."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from ettdash.launcher.data_dir import PROJECT
from tests.launcher.running import clean_environment
from tests.trainer import Trainer

PASSWORD = "hunter2-hunter2"


def test_a_view_that_breaks_with_token_and_cookie_in_its_words(
    trainer: Trainer, settings: Settings, written: StringIO
) -> None:
    settings.ROOT_URLCONF = "tests.telemetry.broken"
    client = Client(raise_request_exception=False)
    client.cookies["ettdash_session"] = "0123456789abcdef"
    response = client.get("/broken", headers={"Authorization": f"Bearer {trainer.secret}"})
    assert response.status_code == 500
    assert "RuntimeError" in written.getvalue()
    assert trainer.secret not in written.getvalue()
    assert "0123456789abcdef" not in written.getvalue()


def test_a_login_with_a_wrong_password(client: Client, db: None, written: StringIO) -> None:
    User.objects.create_user("ada", password="the right one")
    client.post("/login/", {"username": "ada", "password": PASSWORD})
    assert "/login/" in written.getvalue()
    assert PASSWORD not in written.getvalue()


def said(last: str, module: str, *arguments: str, **variables: str) -> list[str]:
    """The lines of a process of the product, up to one with a word in it or else to its end."""
    lines: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=PROJECT,
        env=clean_environment() | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if last in line:
                process.kill()
    return lines


@pytest.mark.parametrize(
    "url", [f"postgresql://ada:{PASSWORD}@127.0.0.1:1/x", f"postgresql:/ada:{PASSWORD}@127.0.0.1:1/x"]
)
def test_a_database_address_that_does_not_work(tmp_path: Path, url: str) -> None:
    lines = said(
        "nothing",
        *("ettdash.programs", "migrate"),
        DATABASE_URL=url,
        REDIS_URL=os.environ["REDIS_URL"],
        ETTDASH_DATA_DIR=str(tmp_path),
    )
    assert "database" in "".join(lines).lower()
    assert PASSWORD not in "".join(lines)


def test_a_broker_that_is_away(tmp_path: Path) -> None:
    lines = said(
        "Cannot connect",
        *("celery", "-A", "ettdash", "--quiet", "worker", "--pool", "solo"),
        DATABASE_URL=os.environ["DATABASE_URL"],
        REDIS_URL=f"redis://:{PASSWORD}@127.0.0.1:1/0",
        ETTDASH_DATA_DIR=str(tmp_path),
    )
    assert "Cannot connect" in lines[-1]
    assert PASSWORD not in "".join(lines)
    assert all(json.loads(line)["at"] for line in lines)
