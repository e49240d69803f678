"""Writes the contract into the docs: openapi.json, and api.md made from it."""

import os
from pathlib import Path

import django

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def main() -> None:
    """Write both files."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ettdash.settings")
    django.setup()
    from ettdash.contract.document import document, encoded
    from ettdash.contract.markdown import page

    contract = document()
    (DOCS / "openapi.json").write_bytes(encoded(contract))
    (DOCS / "api.md").write_text(page(contract), encoding="utf-8")


if __name__ == "__main__":
    main()
