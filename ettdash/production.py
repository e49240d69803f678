"""What keeps the product from starting: settings that would let strangers in."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address

SAMPLE = "change-me"  # stands in every secret of .env.example
GUESSED = {"", "admin", "changeme", "ettdash", "password", "postgres", "redis", "secret"}
SHORTEST_KEY = 50
FEWEST_CHARACTERS = 5
HOW = "make one with `openssl rand -hex 32`"


@dataclass(frozen=True)
class Values:
    """The settings that decide."""

    production: bool
    debug: bool
    listen: str
    secret_key: str | None
    hosts: list[str]
    origins: list[str]
    database_url: str | None
    database_password: str
    redis_url: str | None
    redis_password: str
    admin_password: str | None


def origins(hosts: list[str]) -> list[str]:
    """Where forms may come from, if nobody says: the hosts themselves, by https."""
    return [f"https://*{host}" if host.startswith(".") else f"https://{host}" for host in hosts]


def faults(values: Values) -> list[str]:
    """One sentence for each reason not to start."""
    found = _in_production(values) if values.production else _open_to_others(values)
    return [*_sample_key(values.secret_key), *found]


def _sample_key(key: str | None) -> Iterator[str]:
    plain = (key or "").strip().lower()
    if SAMPLE in plain or plain.startswith("django-insecure-"):
        yield f"ETTDASH_SECRET_KEY is a sample that everybody knows: {HOW}."


def _open_to_others(values: Values) -> Iterator[str]:
    """What is fine on a machine of one's own, but not where others can connect."""
    if _is_loopback(values.listen):
        return
    if values.debug:
        yield f"ETTDASH_DEBUG is 1 while ETTDASH_LISTEN is {values.listen}: errors would show the settings."
    if found := _wildcard(values.hosts):
        yield f"ETTDASH_HOSTS has {found} while ETTDASH_LISTEN is {values.listen}: name the hosts."


def _in_production(values: Values) -> Iterator[str]:
    if values.debug:
        yield "ETTDASH_DEBUG is 1 in production: errors would show the settings."
    yield from _weak_key(values.secret_key)
    yield from _hosts(values.hosts)
    for origin in values.origins:
        if not origin.startswith("https://"):
            yield f"ETTDASH_ORIGINS has {origin}, which is not https."
    yield from _address("DATABASE_URL", values.database_url, values.database_password)
    yield from _address("REDIS_URL", values.redis_url, values.redis_password)
    if values.admin_password is not None and _is_known(values.admin_password):
        yield "ETTDASH_ADMIN_PASSWORD is a sample that everybody knows: choose another."


def _weak_key(key: str | None) -> Iterator[str]:
    key = (key or "").strip()
    if not key:
        yield f"ETTDASH_SECRET_KEY is missing: {HOW}."
    elif not list(_sample_key(key)) and len(key) < SHORTEST_KEY:
        yield f"ETTDASH_SECRET_KEY has {len(key)} characters, fewer than {SHORTEST_KEY}: {HOW}."
    elif len(set(key)) < FEWEST_CHARACTERS:
        yield f"ETTDASH_SECRET_KEY repeats fewer than {FEWEST_CHARACTERS} characters: {HOW}."


def _hosts(hosts: list[str]) -> Iterator[str]:
    if not hosts:
        yield "ETTDASH_HOSTS is missing: name the hosts that people call the product by."
    elif found := _wildcard(hosts):
        yield f"ETTDASH_HOSTS has {found} in production: name the hosts."


def _wildcard(hosts: list[str]) -> str:
    """The entry that names no host, if there is one: Django takes `*` for all, `.` for all that end so."""
    return next((host for host in hosts if not host.strip("*.")), "")


def _address(name: str, url: str | None, password: str) -> Iterator[str]:
    if not url:
        yield f"{name} is missing."
    elif password and _is_known(password):
        yield f"{name} has a sample password that everybody knows: choose another."


def _is_known(password: str) -> bool:
    plain = password.strip().lower()
    return SAMPLE in plain or plain in GUESSED


def _is_loopback(listen: str) -> bool:
    try:
        return ip_address(listen.strip("[]")).is_loopback
    except ValueError:
        return listen == "localhost"
