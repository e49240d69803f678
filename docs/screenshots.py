"""`python -m docs.screenshots`: takes the pictures of the docs from a product that runs."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser import launch

PROJECT = Path(__file__).resolve().parent.parent
IMAGES = PROJECT / "docs" / "images"
WIDTH, HEIGHT = 1280, 1100
PICTURES = {"fleet": "light", "fleet-dark": "dark"}


def main() -> int:
    """0 once every picture is written."""
    data_dir = Path(os.environ.get("ETTDASH_DATA_DIR") or PROJECT / ".ettdash")
    try:
        address = _read(data_dir / "services.json")["web_url"]
        password = _read(data_dir / "secrets.json")["admin_password"]
    except FileNotFoundError:
        print(f"ettdash is not running in {data_dir}: start it with `make demo`.", file=sys.stderr)  # noqa: T201
        return 1
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright, launch(playwright) as browser:
        for name, scheme in PICTURES.items():
            _take(browser, address, password, scheme, IMAGES / f"{name}.png")
    return 0


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _take(browser: Browser, address: str, password: str, scheme: Any, path: Path) -> None:
    with browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(f"{address.rstrip('/')}/login/")
        page.get_by_label("User name").fill("admin")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()
        page.locator("#trend .scatterlayer .trace").first.wait_for()
        page.locator("#shares .barlayer .trace").first.wait_for()
        # Down to the bucket table: headline, trend and where the time goes.
        end = page.locator(".columns").first.evaluate("part => part.getBoundingClientRect().bottom")
        page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": end})
    print(f"{path.relative_to(PROJECT)}: {path.stat().st_size // 1024} KB")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
