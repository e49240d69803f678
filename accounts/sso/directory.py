"""The directory whose people may come in, and what its groups are worth here: values that settings hold."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field

# From the least to the most.
ROLES = ("viewer", "operator", "admin")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a group gives its people: a role in a team, or in the whole fleet where it names no team."""

    group: str
    team: str | None
    role: str


@dataclass(frozen=True, slots=True)
class Directory:
    """A provider of logins, and what we are to it."""

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    name: str
    scopes: tuple[str, ...]
    groups_claim: str
    grants: tuple[Grant, ...]


def team_roles(grants: Iterable[Grant], groups: Set[str]) -> dict[str, str]:
    """The highest role in each team that these groups give."""
    given: dict[str, str] = {}
    for grant in grants:
        if grant.team is not None and grant.group in groups:
            given[grant.team] = max(given.get(grant.team, ROLES[0]), grant.role, key=ROLES.index)
    return given


def fleet_right(grants: Iterable[Grant], role: str, groups: Set[str]) -> bool | None:
    """Whether these groups give a role in the whole fleet; None where that is not the directory's to say."""
    givers = {grant.group for grant in grants if grant.team is None and grant.role == role}
    return bool(givers & groups) if givers else None
