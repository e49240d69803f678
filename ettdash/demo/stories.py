"""The planted stories: what happened to whom on which day, and what it did to the numbers."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

DAY_S = 86_400.0
HISTORY_DAYS = 60


@dataclass(frozen=True, slots=True)
class Story:
    """Something that happened to the fleet; with a kind, its team announced it as an annotation."""

    key: str
    day: float
    until: float = inf
    models: tuple[str, ...] = ()  # none: the whole fleet
    cluster: str = ""
    team: str = "ads"
    kind: str = ""
    title: str = ""
    link: str = ""


MEGACACHE = Story(
    "megacache", 25, kind="technique", title="MegaCache for PT2 artifacts, fleet-wide",
    link="https://changes.example.com/megacache",
)  # fmt: skip
STANDALONE_PUBLISH = Story(
    "standalone-publish", 33, kind="technique", title="Standalone publishing on CPU jobs",
    link="https://changes.example.com/standalone-publish",
)  # fmt: skip
LAUNCHER_REGRESSION = Story(
    "launcher-regression", 40, models=("ads-ctr",), team="ads", kind="deploy", title="Launcher 4.19.0",
    link="https://deploys.example.com/launcher/4.19.0",
)  # fmt: skip
PREEMPTION_WAVE = Story("preemption-wave", 48, until=50, cluster="pdx-h200")
SLOW_DATA = Story(
    "slow-data", 58, models=("feed-ranker",), team="feed", kind="config",
    title="Feed features read through pipeline v3", link="https://changes.example.com/feed-pipeline-v3",
)  # fmt: skip

STORIES = (MEGACACHE, STANDALONE_PUBLISH, LAUNCHER_REGRESSION, PREEMPTION_WAVE, SLOW_DATA)

# Two more run from the first day to the last, as the models' own habits (fleet.py).
SAVES_TOO_RARELY = "image-tower"
SAVES_TOO_OFTEN = "feed-embeddings"

LAUNCHER_SLOWDOWN = 1.6
LAUNCHER_CULPRIT = "preproc_creation"
WAVE_MEAN_S = 3.0 * 3600  # from one preemption of a job to the next, while the wave lasts
SLOW_DATA_RATE = 9.0
SLOW_DATA_LENGTH = 2.2

# Shares of cold, partly warm and warm compilations. With what each costs they make -40 %.
CACHE_COST = {"miss": 1.0, "partial": 0.6, "hit": 0.3}
CACHE_BEFORE = {"miss": 0.50, "partial": 0.25, "hit": 0.25}
CACHE_AFTER = {"miss": 0.09, "partial": 0.23, "hit": 0.68}


@dataclass(frozen=True, slots=True)
class Calendar:
    """Turns instants into days of the demo; day 0 begins 60 days before the anchor."""

    anchor: float

    @property
    def origin(self) -> float:
        """The instant at which day 0 begins."""
        return self.anchor - HISTORY_DAYS * DAY_S

    def day_of(self, ts: float) -> float:
        """The day of an instant, with its fraction."""
        return (ts - self.origin) / DAY_S

    def instant(self, day: float) -> float:
        """The instant at which a day begins."""
        return self.origin + day * DAY_S

    def touches(self, story: Story, ts: float, model: str = "", cluster: str = "") -> bool:
        """Whether a story is on at an instant for this model or cluster."""
        if story.models and model not in story.models:
            return False
        if story.cluster and cluster != story.cluster:
            return False
        return story.day <= self.day_of(ts) < story.until

    def launcher_slowdown(self, model: str, ts: float) -> float:
        """By how much launcher_init is slower than usual."""
        return LAUNCHER_SLOWDOWN if self.touches(LAUNCHER_REGRESSION, ts, model=model) else 1.0

    def cache_mix(self, ts: float) -> dict[str, float]:
        """How likely compilations are to find their artifacts."""
        return CACHE_AFTER if self.touches(MEGACACHE, ts) else CACHE_BEFORE

    def publishes_apart(self, ts: float) -> bool:
        """Whether models are published by CPU jobs of their own."""
        return self.touches(STANDALONE_PUBLISH, ts)

    def slow_data(self, model: str, ts: float) -> bool:
        """Whether the model's input pipeline is the slow one."""
        return self.touches(SLOW_DATA, ts, model=model)

    def wave(self, cluster: str) -> tuple[float, float] | None:
        """When the preemption wave went through a cluster, if it did."""
        if cluster != PREEMPTION_WAVE.cluster:
            return None
        return self.instant(PREEMPTION_WAVE.day), self.instant(PREEMPTION_WAVE.until)


def stable_uuid(key: str) -> str:
    """The same UUID (version 8) for the same key, for ever: what is posted twice is counted once."""
    h = hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
    return f"{h[:8]}-{h[8:12]}-8{h[13:16]}-a{h[17:20]}-{h[20:]}"


def annotations(
    seed: int, calendar: Calendar, stories: Iterable[Story] = STORIES
) -> list[tuple[str, dict[str, Any]]]:
    """What the teams announced: (team, annotation) for each story that has a kind."""
    return [
        (
            story.team,
            {
                "id": stable_uuid(f"{seed}/{calendar.anchor}/annotation/{story.key}"),
                "ts": round(calendar.instant(story.day), 3),
                "title": story.title,
                "kind": story.kind,
                "models": list(story.models),
                "link": story.link,
            },
        )
        for story in stories
        if story.kind
    ]
