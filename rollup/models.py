"""Totals worked out from events; recomputed and replaced, never added to. Durations are whole µs."""

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Team
from ett.buckets import Bucket
from ingest.models import Job


class JobTotal(models.Model):
    """How a job stands, over its whole life."""

    job = models.OneToOneField(Job, on_delete=models.CASCADE, primary_key=True, related_name="total")
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    model = models.TextField()
    cluster = models.TextField()
    tier = models.TextField()
    workload = models.TextField()
    gpus = models.IntegerField(help_text="of the last attempt")
    attempts = models.IntegerField(help_text="how many count")
    last_attempt = models.IntegerField(help_text="its number")
    state = models.CharField(max_length=16)
    first_ts = models.BigIntegerField(help_text="µs since 1970, UTC")
    last_ts = models.BigIntegerField(help_text="µs since 1970, UTC")
    wall = models.BigIntegerField(help_text="E2E")
    effective = models.BigIntegerField()
    failure = models.BigIntegerField(help_text="the numerator of Failure%")
    down_since = models.BigIntegerField(null=True, help_text="interrupted then, and nobody has restarted it")
    lost_at = models.BigIntegerField(null=True, help_text="when a running job's silence makes it lost")

    class Meta:
        indexes: ClassVar = [
            models.Index("lost_at", name="rollup_jobtotal_lost", condition=models.Q(lost_at__isnull=False)),
            models.Index(
                "down_since", name="rollup_jobtotal_down", condition=models.Q(down_since__isnull=False)
            ),
            models.Index("state", name="rollup_jobtotal_state"),
        ]


class AttemptDay(models.Model):
    """What one UTC day of an attempt was spent on, in wall time; times `gpus` it is GPU time."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE)
    attempt = models.IntegerField()
    day = models.DateField()
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    model = models.TextField()
    cluster = models.TextField()
    tier = models.TextField()
    workload = models.TextField()
    gpus = models.IntegerField()
    outcome = models.CharField(max_length=16)
    category = models.CharField(max_length=16)
    failure = models.BigIntegerField()
    # One column a bucket; the names are those of ett.buckets.Bucket, which a test compares.
    effective = models.BigIntegerField()
    scheduling = models.BigIntegerField()
    hardware_setup = models.BigIntegerField()
    launcher_init = models.BigIntegerField()
    pt2_compile = models.BigIntegerField()
    checkpoint_blocking = models.BigIntegerField()
    stalled = models.BigIntegerField()
    unsaved = models.BigIntegerField()
    downtime = models.BigIntegerField()
    shutdown = models.BigIntegerField()
    unaccounted = models.BigIntegerField()

    BUCKETS: ClassVar = [bucket.value for bucket in Bucket]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "attempt", "day"], name="rollup_attemptday_once"),
        ]
        indexes: ClassVar = [models.Index("day", "team", name="rollup_attemptday_day")]


class Annotation(models.Model):
    """A deploy, config change or launched technique that trends are read against."""

    class Kind(models.TextChoices):
        DEPLOY = "deploy"
        CONFIG = "config"
        TECHNIQUE = "technique"

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    key = models.UUIDField(
        default=uuid.uuid4, help_text="made by the sender: the same key twice is one annotation"
    )
    ts = models.DateTimeField(db_index=True)
    title = models.CharField(max_length=256)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    model_names = ArrayField(
        models.CharField(max_length=256), default=list, help_text="none: the whole fleet"
    )
    link = models.CharField(max_length=2048, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "key"], name="rollup_annotation_once")
        ]

    def __str__(self) -> str:
        return self.title


class Pulse(models.Model):
    """How the passes of one kind go, in all processes of the product together."""

    class Kind(models.TextChoices):
        REFRESH = "refresh"
        SILENCE = "silence"

    kind = models.CharField(max_length=16, choices=Kind.choices, primary_key=True)
    ran_at = models.DateTimeField(help_text="when the latest pass, or a part of a long one, ended")
    done = models.BigIntegerField(help_text="jobs, since the beginning")
    failed = models.BigIntegerField(help_text="jobs that could not be worked out, since the beginning")
    busy_s = models.FloatField(help_text="time spent, since the beginning")
    lag_s = models.FloatField(help_text="the longest that a job counted in the latest pass had waited")
