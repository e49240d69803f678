"""The Dockerfile's own steps, run without Docker: what the image holds, in a folder."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ettdash.launcher.data_dir import PROJECT
from tests.launcher.running import clean_environment

HOME = "/app"


@dataclass(frozen=True)
class Step:
    """One instruction: its word, and what follows."""

    word: str
    rest: str


def stages() -> list[list[Step]]:
    """The instructions, stage by stage."""
    text = re.sub(r"\\\n\s*", "", (PROJECT / "Dockerfile").read_text())
    found: list[list[Step]] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            step = Step(*line.split(maxsplit=1))
            found.append([step]) if step.word == "FROM" else found[-1].append(step)
    return found


def environment(tree: Path) -> dict[str, str]:
    """What the image sets, for an image that lies in a folder."""
    (line,) = [step.rest for step in stages()[-1] if step.word == "ENV"]
    pairs = [pair.split("=", 1) for pair in line.split()]
    return {name: value.replace(HOME, str(tree)) for name, value in pairs}


def build(tree: Path) -> None:
    """Run the first stage in a folder; the packages are those of our own environment."""
    tree.mkdir()
    (tree / ".venv").symlink_to(sys.prefix)
    for step in stages()[0]:
        if step.word == "COPY":
            *sources, target = step.rest.split()
            _copy(sources, tree / target)
        elif step.word == "RUN" and step.rest.startswith("make"):
            subprocess.run(step.rest.split(), cwd=tree, env=clean_environment(), check=True)


def _copy(sources: list[str], target: Path) -> None:
    for path in context():
        for source in sources:
            if source in (".", str(path)):
                place = target / path if source == "." else target / path.name
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(PROJECT / path, place)


def context() -> Iterator[Path]:
    """The files that .dockerignore lets through."""
    rules = _rules()
    for folder, folders, names in os.walk(PROJECT):
        here = Path(folder).relative_to(PROJECT)
        folders[:] = [name for name in folders if _may_hold(here / name, rules)]
        yield from (here / name for name in names if not _is_ignored(here / name, rules))


@dataclass(frozen=True)
class Rule:
    """A line of .dockerignore."""

    pattern: str
    takes_back: bool

    def matches(self, path: Path) -> bool:
        """Whether it names the path, or a folder that the path is in."""
        regex = re.escape(self.pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
        return any(re.fullmatch(regex, str(one)) for one in (path, *path.parents) if str(one) != ".")


def _rules() -> list[Rule]:
    lines = (PROJECT / ".dockerignore").read_text().splitlines()
    return [
        Rule(line.removeprefix("!"), line.startswith("!"))
        for line in lines
        if line and not line.startswith("#")
    ]


def _is_ignored(path: Path, rules: list[Rule]) -> bool:
    last = [rule for rule in rules if rule.matches(path)][-1:]
    return bool(last) and not last[0].takes_back


def _may_hold(folder: Path, rules: list[Rule]) -> bool:
    """Whether something in a folder may get through."""
    return not _is_ignored(folder, rules) or any(
        rule.takes_back and rule.pattern.startswith(f"{folder}/") for rule in rules
    )
