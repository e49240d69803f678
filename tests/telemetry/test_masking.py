"""No secret is written down."""

import pytest

from ettdash.telemetry.masking import MASK, masked, masked_value, remember

TOKEN = "ett_" + "Ab3-_" * 8 + "xyz"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (f"who is {TOKEN}?", f"who is ett_{MASK}?"),
        ("Authorization: Bearer abcdefghijkl", f"Authorization: {MASK}"),
        ("{'Authorization': 'Basic YWxhZGRpbg=='}", f"{{'Authorization': '{MASK}'}}"),
        ('{"Cookie": "a=b; c=d", "x": 1}', f'{{"Cookie": "{MASK}", "x": 1}}'),
        ("Set-Cookie: ettdash_session=abc; Path=/", f"Set-Cookie: {MASK}"),
        ("postgresql://ann:hunter2@db:5432/x", f"postgresql://ann:{MASK}@db:5432/x"),
        ("redis://:p@ss:w/rd@redis:6379/0 away", f"redis://:{MASK}@redis:6379/0 away"),
        ("host=db password=hunter2 dbname=x", f"host=db password={MASK} dbname=x"),
        ("client_secret='a b'", f"client_secret='{MASK}'"),
        ("GET /sso/callback/?code=abc&state=def", f"GET /sso/callback/?code={MASK}&state={MASK}"),
        ("/settings/password/MQ/cz1abc-" + "0a" * 16 + "/", f"/settings/password/MQ/{MASK}/"),
    ],
)
def test_secrets_are_masked(said: str, written: str) -> None:
    assert masked(said) == written


@pytest.mark.parametrize(
    "said",
    [
        "ett_ratio and ett_pct",
        "http://127.0.0.1:8000/metrics",
        "password authentication failed for user ettdash",
        "The token is over its rate",
        "job 6d09783d-1f76-4907-be31-41e51732c54c",
    ],
)
def test_what_is_no_secret_stays(said: str) -> None:
    assert masked(said) == said


def test_known_secrets_are_masked_wherever_they_are() -> None:
    remember("correct-horse-battery", "redis://:staple%2Dof%2Dthe%2Dworld@h/0", None, "", "short")
    said = "correct-horse-battery staple-of-the-world staple%2Dof%2Dthe%2Dworld short"
    assert masked(said) == f"{MASK} {MASK} {MASK} short"


def test_values_are_masked_by_their_names_and_as_deep_as_they_go() -> None:
    value = {
        "password": 5,
        "headers": [{"Cookie": "a"}, TOKEN],
        "n": 3,
        "none": None,
        "odd": ValueError(TOKEN),
    }
    assert masked_value(value) == {
        "password": MASK,
        "headers": [{"Cookie": MASK}, f"ett_{MASK}"],
        "n": 3,
        "none": None,
        "odd": f"ett_{MASK}",
    }
