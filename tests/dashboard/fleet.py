"""A believable fleet as rows: models on clusters, sixty days of attempts, some jobs live, some down."""

import random
from collections.abc import Mapping
from datetime import date, timedelta
from itertools import count

from django.utils import timezone

from accounts.models import Team
from ett.buckets import Bucket
from ett.events import DAY, HOUR, MINUTE, SECOND
from ingest.models import Job
from rollup.models import Annotation, AttemptDay, JobTotal

MODELS: Mapping[str, int] = {
    "ranker-xl": 2048, "ranker-eu": 512, "retrieval-two-tower": 256, "ads-ctr": 1024,
    "video-embed": 512, "feed-transformer": 4096, "spam-filter": 16, "query-rewriter": 64,
    "notify-uplift": 32, "speech-base": 128, "vision-ssl": 768, "llm-7b-sft": 256,
}  # fmt: skip
CLUSTERS = ("atlas", "borealis", "cirrus")

_numbers = count(1)


def make_team(name: str = "ranking") -> Team:
    return Team.objects.get_or_create(name=name)[0]


def add_day(job: Job, day: date, spent: Mapping[str, int], **fields: object) -> AttemptDay:
    """What an attempt spent a day on; what is not said is plain."""
    plain = {
        "team": job.team, "attempt": 1, "model": "ranker", "cluster": "atlas", "tier": "production",
        "workload": "offline", "gpus": 8, "outcome": "running", "category": "", "failure": 0,
    }  # fmt: skip
    nothing = {bucket.value: 0 for bucket in Bucket}
    return AttemptDay.objects.create(job=job, day=day, **(plain | nothing | dict(spent) | fields))


def add_job(team: Team, name: str = "", **fields: object) -> Job:
    """A job and how it stands; what is not said is plain."""
    job = Job.objects.create(team=team, name=name or f"job-{next(_numbers)}")
    now = _now_us()
    plain = {
        "model": "ranker", "cluster": "atlas", "tier": "production", "workload": "offline", "gpus": 8,
        "attempts": 1, "last_attempt": 1, "state": "running",
        "first_ts": now - 30 * HOUR, "last_ts": now - 5 * SECOND,
        "wall": 30 * HOUR, "effective": 26 * HOUR, "failure": HOUR, "down_since": None, "lost_at": None,
    }  # fmt: skip
    JobTotal.objects.create(job=job, team=team, **(plain | fields))
    return job


def fill(days: int = 60, seed: int = 7, jobs_a_model: int = 2) -> Team:
    """Sixty days of twelve models, with a regression of one launcher and an outage in the middle."""
    chance, today = random.Random(seed), timezone.now().date()
    team = make_team()
    rows = []
    for place, (model, gpus) in enumerate(MODELS.items()):
        for n in range(jobs_a_model):
            job = _job(
                team, f"{model}/{today:%Y-%m}-{'abcdefghijklmnopqrstuvwxyz'[n % 26]}{n}", model, gpus, place
            )
            rows += [
                AttemptDay(
                    job=job, team=team, attempt=1, day=today - timedelta(days=ago), model=model,
                    cluster=CLUSTERS[place % 3], tier="production", workload="offline", gpus=gpus,
                    outcome="running", category="", **_spent(chance, model, ago),
                )
                for ago in range(days)
                if ago != 47
            ]  # fmt: skip
    AttemptDay.objects.bulk_create(rows)
    _annotate(team, days)
    return team


def _job(team: Team, name: str, model: str, gpus: int, place: int) -> Job:
    state = {1: "failed", 4: "preempted"}.get(place, "running" if place % 2 == 0 else "completed")
    down = _now_us() - place * 47 * MINUTE if state in ("failed", "preempted") else None
    return add_job(
        team, name, model=model, gpus=gpus, cluster=CLUSTERS[place % 3], state=state,
        down_since=down, attempts=1 + place % 4, wall=90 * HOUR, effective=(70 + place) * HOUR,
    )  # fmt: skip


def _spent(chance: random.Random, model: str, ago: int) -> dict[str, int]:
    """A day's buckets: the launcher of one model is slow since three weeks, compile faster since five."""
    part = {
        "scheduling": 0.012, "hardware_setup": 0.009, "launcher_init": 0.022, "pt2_compile": 0.028,
        "checkpoint_blocking": 0.014, "stalled": 0.011, "unsaved": 0.016, "downtime": 0.013,
        "shutdown": 0.006, "unaccounted": 0.003,
    }  # fmt: skip
    if model in ("ranker-xl", "feed-transformer") and ago < 20:
        part["launcher_init"] *= 3.2
    if ago < 35:
        part["pt2_compile"] *= 0.6
    if 11 <= ago <= 13:
        part["downtime"] *= 5
        part["unsaved"] *= 3
    wall = DAY if ago else _now_us() % DAY
    spent = {name: int(share * chance.uniform(0.5, 1.5) * wall) for name, share in part.items()}
    failure = spent["unsaved"] + spent["downtime"] + spent["launcher_init"] // 3
    return spent | {"effective": wall - sum(spent.values()), "failure": failure}


def _annotate(team: Team, days: int) -> None:
    told = [
        (days - 25, "MegaCache rolled out", "technique", []),
        (20, "launcher 4.2", "deploy", ["ranker-xl", "feed-transformer"]),
        (12, "borealis: preemption wave", "config", []),
    ]
    for ago, title, kind, models in told:
        ts = timezone.now() - timedelta(days=ago)
        Annotation.objects.create(team=team, ts=ts, title=title, kind=kind, model_names=models)


def _now_us() -> int:
    return int(timezone.now().timestamp() * SECOND)
