"""The Dockerfile and .dockerignore, looked at without Docker."""

import json
import re
from pathlib import Path

from ettdash.launcher.data_dir import PROJECT
from tests.deploy import compose, image
from tests.deploy.image import Step

STAGES = image.stages()
FINAL = STAGES[-1]


def only(word: str, steps: list[Step]) -> str:
    """What follows an instruction that stands once."""
    (step,) = [step for step in steps if step.word == word]
    return step.rest


def test_bases_are_named_exactly_and_are_one() -> None:
    bases = {only("FROM", stage).split()[0] for stage in STAGES}
    (base,) = bases
    assert re.fullmatch(r"python:3\.\d+(\.\d+)?-slim-\w+", base)


def test_each_step_of_ours_is_a_target_of_make() -> None:
    targets = re.findall(r"^([^\s:#]+(?: [^\s:#]+)*):", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    known = {target for line in targets for target in line.split()}
    steps = [step.rest for stage in STAGES for step in stage if step.word == "RUN"]
    ours = [step for step in steps if not step.startswith(("apt-get ", "useradd "))]
    assert ours
    for step in ours:
        make, target = step.split()
        assert make == "make"
        assert target in known


def test_final_image_has_no_tools_and_no_rights() -> None:
    user, _, group = only("USER", FINAL).partition(":")
    assert user.isdigit()
    assert int(user) > 0
    assert f"--uid {user} " in only("RUN", FINAL)
    assert {f"{user}:{group}"} == {compose.services(compose.filled())[name]["user"] for name in compose.OURS}
    assert [step.word for step in FINAL].index("USER") > [step.word for step in FINAL].index("COPY")


def test_image_runs_the_web_and_says_whether_it_is_well() -> None:
    assert json.loads(only("CMD", FINAL)) == ["python", "-m", "ettdash.programs", "web"]
    assert only("STOPSIGNAL", FINAL) == "SIGTERM"
    assert only("HEALTHCHECK", FINAL).endswith('["python", "-I", "-S", "ettdash/alive.py", "web"]')
    assert image.environment(Path("/app"))["ETTDASH_PRODUCTION"] == "1"


def test_image_holds_the_product_and_nothing_else() -> None:
    held = set(map(str, image.context()))
    assert {"manage.py", "Makefile", "requirements/runtime.txt", "ettdash/settings.py"} <= held
    assert {Path(path).parts[0] for path in held} == {
        "LICENSE", "Makefile", "manage.py", "pyproject.toml", "requirements", "static", "templates",
        "accounts", "dashboard", "ett", "ettdash", "ingest", "rollup",
    }  # fmt: skip
    assert not [path for path in held if "__pycache__" in path or Path(path).name.startswith(".")]
