"""What the demo remembers: whole, private, and refused when it is not ours."""

import stat
from pathlib import Path

import pytest

from ettdash.demo import state as states
from ettdash.demo.state import BadStateError, State


def test_nothing_is_remembered_before_the_first_start(tmp_path: Path) -> None:
    assert states.load(tmp_path) is None


def test_what_was_saved_is_loaded_again(tmp_path: Path) -> None:
    state = State(seed=7, anchor=1_795_000_000.125, posted_until=1_795_000_100.5, tokens={"ads": "ett_x"})
    states.save(tmp_path / "new", state)
    assert states.load(tmp_path / "new") == state


def test_only_the_owner_may_read_it_and_no_draft_stays_behind(tmp_path: Path) -> None:
    states.save(tmp_path, State(seed=7, anchor=1.0))
    states.save(tmp_path, State(seed=7, anchor=1.0, posted_until=2.0))
    assert [path.name for path in tmp_path.iterdir()] == ["demo.json"]
    assert stat.S_IMODE(states.path_in(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"seed": "x", "anchor": 1, "posted_until": null, "tokens": {}}']
)
def test_a_file_that_is_not_ours_is_named_in_one_sentence(tmp_path: Path, text: str) -> None:
    states.path_in(tmp_path).write_text(text, encoding="utf-8")
    with pytest.raises(BadStateError, match=r"demo\.json cannot be read"):
        states.load(tmp_path)
