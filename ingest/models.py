"""What trainers said: jobs, their events, and marks of what was touched."""

from collections.abc import Iterable
from datetime import date
from typing import ClassVar, Self

from django.db import models
from django.db.models.functions import Now

from accounts.models import Team


class Job(models.Model):
    """A training job, by its name within its team."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="jobs")
    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)
    # Events that came with an id already used in this job, and other content: the first one counts.
    id_conflicts = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "name"], name="ingest_job_name")]

    def __str__(self) -> str:
        return self.name


class EventType(models.IntegerChoices):
    """The types of the wire format, as stored."""

    ATTEMPT_START = 1, "attempt_start"
    PHASE_START = 2, "phase_start"
    PHASE_END = 3, "phase_end"
    PHASE = 4, "phase"
    CHECKPOINT = 5, "checkpoint"
    CHECKPOINT_LOADED = 6, "checkpoint_loaded"
    COMPILE = 7, "compile"
    HEARTBEAT = 8, "heartbeat"
    FAILURE = 9, "failure"
    ATTEMPT_END = 10, "attempt_end"


class Event(models.Model):
    """What a trainer says happened at an instant; never edited.

    The table is partitioned by ranges of jobs, which Django cannot express: the migration makes it by hand.
    """

    pk = models.CompositePrimaryKey("job_id", "id")
    job = models.ForeignKey(Job, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    id = models.UUIDField()
    attempt = models.IntegerField()
    rank = models.IntegerField()
    seq = models.IntegerField(null=True)
    type = models.SmallIntegerField(choices=EventType.choices)
    ts = models.BigIntegerField(help_text="µs since 1970, UTC")
    received_at = models.BigIntegerField(help_text="µs since 1970, UTC")
    sent_at = models.BigIntegerField(null=True, help_text="the sender's clock at sending, if it told it")
    phase = models.TextField(null=True)
    duration = models.BigIntegerField(null=True, help_text="µs")
    body = models.JSONField(null=True, help_text="the further fields of its type and its attrs")


class Mark(models.Model):
    """An attempt that was touched and waits to be counted. Appended here, collected by the rollup."""

    # No constraint: checking it would lock, and so write, the job's row with each batch.
    job = models.ForeignKey(Job, on_delete=models.CASCADE, db_constraint=False)
    attempt = models.IntegerField()
    made_at = models.DateTimeField(db_default=Now())


class RejectedQuerySet(models.QuerySet["Rejected"]):
    """Questions about events that were not kept."""

    def of_teams(self, team_ids: Iterable[int]) -> Self:
        """Those that these teams sent."""
        return self.filter(team__in=team_ids)

    def between(self, first: date, last: date) -> Self:
        """Those received on these days, both included, the latest first. Uses ingest_rejected_once."""
        return self.filter(day__range=(first, last)).order_by("-day", "-n", "code")


class Rejected(models.Model):
    """How many events of a team were not kept on a UTC day of receipt, by the code of their fault."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    code = models.CharField(max_length=64)
    n = models.BigIntegerField()
    last_at = models.DateTimeField()
    last_field = models.CharField(max_length=64)
    last_message = models.CharField(max_length=256)

    objects = RejectedQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "day", "code"], name="ingest_rejected_once")
        ]
