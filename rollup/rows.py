"""A job's ledger as rows of the tables."""

from collections.abc import Iterator

from django.db.models import Model

from ett.buckets import Attempt, Bucket, Ledger
from ett.metrics import attempt_days, failure_time, totals
from ingest.models import Job
from rollup.models import AttemptDay, JobTotal

DAY_KEY = ["job", "attempt", "day"]
DAY_VALUES = [field.name for field in AttemptDay._meta.concrete_fields if field.name not in (*DAY_KEY, "id")]


def of_days(job: Job, ledger: Ledger) -> Iterator[AttemptDay]:
    """What each attempt spent each day on."""
    attempts = {attempt.number: attempt for attempt in ledger.attempts}
    for day in attempt_days(ledger):
        attempt = attempts[day.attempt]
        yield AttemptDay(
            job=job,
            attempt=day.attempt,
            day=day.day,
            outcome=attempt.outcome,
            category=attempt.category or "",
            failure=day.failure,
            **_whose(job, attempt),
            **{bucket.value: day.totals.get(bucket, 0) for bucket in Bucket},
        )


def of_job(job: Job, ledger: Ledger) -> JobTotal:
    """How the job stands."""
    spent = totals(ledger)
    return JobTotal(
        job=job,
        attempts=len(ledger.attempts),
        last_attempt=ledger.attempts[-1].number,
        state=ledger.state,
        first_ts=ledger.first_ts,
        last_ts=ledger.last_ts,
        wall=sum(spent.values()),
        effective=spent.get(Bucket.EFFECTIVE, 0),
        failure=failure_time(ledger),
        down_since=ledger.down,
        lost_at=ledger.lost_at,
        **_whose(job, ledger.attempts[-1]),
    )


def same(row: Model, other: Model | None) -> bool:
    """Whether two rows say the same, their own keys aside."""
    names = [field.attname for field in row._meta.concrete_fields if field.name != "id"]
    return other is not None and all(getattr(row, name) == getattr(other, name) for name in names)


def _whose(job: Job, attempt: Attempt) -> dict[str, object]:
    return {
        "team_id": job.team_id,
        "model": attempt.model or "unknown",
        "cluster": attempt.cluster or "",
        "tier": attempt.tier or "",
        "workload": attempt.workload or "",
        "gpus": attempt.gpus,
    }
