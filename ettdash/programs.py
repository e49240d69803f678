"""`python -m ettdash.programs web|worker|beat|migrate`: the processes of a deployment and their commands."""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

# Gunicorn's control socket lies in the user's home, where two products would share it.
WEB = ("gunicorn", "ettdash.wsgi", "-c", "ettdash/gunicorn.py", "--no-control-socket")
WORKER = ("celery", "-A", "ettdash", "--quiet", "worker", "--loglevel", "INFO")
BEAT = ("celery", "-A", "ettdash", "--quiet", "beat", "--loglevel", "INFO", "--pidfile=")
MIGRATE = ("ettdash.programs", "migrate")
SERVERS = {"web": WEB, "worker": WORKER, "beat": BEAT}

# An advisory lock beside that of the beats: migrations that are started together go one after the other.
ONE_AT_A_TIME = "SELECT pg_advisory_lock(25972, 2)"


def command(module: str, *arguments: str) -> list[str]:
    """What to run, in the project's folder."""
    return [sys.executable, "-m", module, *arguments]


def check(name: str) -> None:
    """Raise where a setting is wrong, before anything is started with it."""
    if settings.NOT_RUNNING:  # the first look at a setting reads and checks them all
        raise ImproperlyConfigured(settings.NOT_RUNNING)
    if name == "web":
        import_module("ettdash.gunicorn")


def migrate() -> None:
    """Bring the database up to date, and make the first person where a password for one is given."""
    django.setup()
    with connection.cursor() as cursor:
        cursor.execute(ONE_AT_A_TIME)
        call_command("migrate", interactive=False)
        if os.environ.get("ETTDASH_ADMIN_PASSWORD"):
            call_command("ensure_admin")


def serve(name: str) -> None:
    """Become the server."""
    if path := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        _ready_for_metrics(Path(path), name)
    words = command(*SERVERS[name])
    os.execv(words[0], words)  # noqa: S606  our own list


def _ready_for_metrics(folder: Path, name: str) -> None:
    """Make the folder; what an earlier start of the web counted would be added to what this one counts."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in folder.glob("*.db") if name == "web" else ():
        path.unlink()


def main() -> None:
    """Read the command line; a fault of the surroundings is one sentence each and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m ettdash.programs", description=__doc__)
    parser.add_argument("name", choices=[*SERVERS, "migrate"])
    name = parser.parse_args().name
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ettdash.settings")
    try:
        check(name)
        migrate() if name == "migrate" else serve(name)
    except (ImproperlyConfigured, CommandError) as error:
        sys.exit(str(error))
    except OperationalError as error:
        sys.exit(f"The database does not answer: {error}".strip())


if __name__ == "__main__":
    main()
