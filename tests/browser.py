"""A Chromium for the tests: `python -m tests.browser` makes sure that there is one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-liberation", "fonts-noto-core")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HELP = (
    "The tests need Chromium: install it (Debian: apt install chromium) or set ETTDASH_CHROMIUM to its path."
)


def launch(playwright: Playwright) -> Browser:
    """A headless browser that talks to nobody on its own."""
    if not (path := next(_candidates(playwright), None)):
        raise RuntimeError(HELP)
    return _launch(playwright, path)


def _launch(playwright: Playwright, path: str) -> Browser:
    # Chromium's sandbox refuses to run as root.
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS, *as_root])


def _candidates(playwright: Playwright) -> Iterator[str]:
    """Browsers that are there, those that somebody chose first."""
    if chosen := os.environ.get("ETTDASH_CHROMIUM"):
        yield chosen
    yield from filter(None, map(shutil.which, ON_PATH))
    if Path(playwright.chromium.executable_path).exists():
        yield playwright.chromium.executable_path


def _working(playwright: Playwright) -> str | None:
    """The first browser that starts: a distribution's `chromium` may be a stub."""
    for path in _candidates(playwright):
        try:
            with _launch(playwright, path) as browser:
                return f"{path} ({browser.version})"
        except Error as error:
            print(f"{path} does not start: {str(error).splitlines()[0]}", file=sys.stderr)
    return None


def _ways_to_install() -> Iterator[list[list[str]]]:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        yield [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]]
    yield [[sys.executable, "-m", "playwright", "install", "chromium"]]


def _run_all(commands: list[list[str]]) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in commands:
        print("+", " ".join(command), flush=True)
        if subprocess.run(command, env=environment, check=False).returncode:
            return


def main() -> int:
    """0 once a browser starts; installs one where none does."""
    with sync_playwright() as playwright:
        found = _working(playwright)
        for commands in _ways_to_install():
            if found:
                break
            _run_all(commands)
            found = _working(playwright)
    if not found:
        print(HELP, file=sys.stderr)
        return 1
    print(f"Browser: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
