"""The docs name what is there: links, targets, variables, codes, and examples that the product takes."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from ingest.models import EventType
from tests.trainer import Event, Trainer

PROJECT = Path(__file__).resolve().parent.parent
DOCS = PROJECT / "docs"
PAGES = [PROJECT / "README.md", *sorted(DOCS.glob("*.md"))]
ROOMS = ("ett", "accounts", "ingest", "rollup", "dashboard", "ettdash", "tests", "benchmarks")
READERS = {"env_int", "env_bool", "env_choice", "env_list", "env_secret"}
# The machine's own.
NOT_OURS = {"PATH"}

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_relative_links_lead_somewhere(page: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()) if "://" not in link]
    assert [link for link in links if not _leads_somewhere(page, link)] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_every_make_target_named_is_in_the_makefile(page: Path) -> None:
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", page.read_text(), re.MULTILINE))
    targets = set(re.findall(r"^([a-z]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    assert named - targets == set()


def test_readme_names_the_two_commands() -> None:
    text = (PROJECT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text


def test_the_index_lists_every_page() -> None:
    listed = set(re.findall(r"\]\((\w+\.md)\)", (DOCS / "README.md").read_text()))
    assert listed == {page.name for page in DOCS.glob("*.md")} - {"README.md"}


def test_every_variable_that_the_code_reads_is_described_and_no_other() -> None:
    described = re.findall(r"^\| `(\w+)` \|", (DOCS / "configuration.md").read_text(), re.MULTILINE)
    assert len(described) == len(set(described))
    read = {name for room in ROOMS for path in (PROJECT / room).rglob("*.py") for name in _read_by(path)}
    assert set(described) == read - NOT_OURS


def _read_by(path: Path) -> Iterator[str]:
    """The variables that a file reads from the environment by a name that stands there."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id=reader), args=[ast.Constant(value=str(name)), *_]):
                if reader in READERS:
                    yield name
                if reader == "env_secret":
                    yield f"{name}_FILE"
            case ast.Call(func=ast.Attribute(value=of, attr="get"), args=[ast.Constant(value=str(name)), *_]):
                if _is_environment(of):
                    yield name
            case ast.Subscript(value=of, slice=ast.Constant(value=str(name))):
                if _is_environment(of):
                    yield name
            case ast.Compare(left=ast.Constant(value=str(name)), ops=[ast.In()], comparators=[of]):
                if _is_environment(of):
                    yield name


def _is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) == "os.environ"


def test_every_code_of_a_bad_event_is_described() -> None:
    sources = [path.read_text() for path in (PROJECT / "ingest").glob("*.py")]
    codes = {code for source in sources for code in re.findall(r'Fault\("(\w+)"', source)}
    text = (DOCS / "events.md").read_text()
    assert codes
    assert {code for code in codes if f"`{code}`" not in text} == set()


def test_every_file_of_a_room_is_in_its_page() -> None:
    rooms = ("ett", "accounts", "ingest", "rollup")
    files = [(room, path.name) for room in rooms for path in (PROJECT / room).glob("*.py")]
    missing = [
        f"{room}/{name}"
        for room, name in files
        if name != "__init__.py" and f"`{name}`" not in (DOCS / f"{room}.md").read_text()
    ]
    assert missing == []


def test_the_example_of_every_type_is_taken(trainer: Trainer, settings: Settings) -> None:
    settings.ETTDASH_RETENTION_DAYS = 0  # the examples' times stand still
    examples = list(_examples(DOCS / "events.md"))
    assert trainer.send(*examples)["accepted"] == len(examples)
    assert {event["type"] for event in examples} == set(EventType.labels)


def _examples(page: Path) -> Iterator[Event]:
    """The events in a page's blocks of JSON, of which one may hold several."""
    for block in re.findall(r"^```json\n(.+?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        rest = block.strip()
        while rest:
            found, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].strip()
            if found.get("type") in EventType.labels:
                yield found
