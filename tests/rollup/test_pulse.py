"""How the passes go is told in a row a kind, however many workers tell it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from ingest.models import Mark
from rollup import pulse
from rollup.models import Pulse
from rollup.pulse import Pass
from rollup.services import mark_silent, refresh_marked
from tests.trainer import Trainer, event

REFRESH = Pulse.Kind.REFRESH


def test_a_pass_tells_what_it_did_and_how_long_events_had_waited(trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0, job="a"), event("heartbeat", t0, job="b"))
    Mark.objects.update(made_at=timezone.now() - timedelta(seconds=20))
    refresh_marked(60.0)
    (row,) = Pulse.objects.all()
    assert (row.kind, row.done, row.failed) == ("refresh", 2, 0)
    assert 20 <= row.lag_s < 200
    assert row.busy_s > 0


def test_a_job_that_cannot_be_worked_out_is_told(trainer: Trainer, t0: float) -> None:
    trainer.send(event("heartbeat", t0))
    Mark.objects.create(job_id=2**40, attempt=1)  # of a job that is not there
    refresh_marked(60.0)
    row = Pulse.objects.get(kind=REFRESH)
    assert (row.done, row.failed) == (1, 1)


def test_a_pass_without_work_is_told_once_in_a_while(db: None) -> None:
    refresh_marked(1.0)
    first = Pulse.objects.get()
    refresh_marked(1.0)
    assert Pulse.objects.get().ran_at == first.ran_at
    Pulse.objects.update(ran_at=first.ran_at - timedelta(seconds=2))
    refresh_marked(1.0)
    assert Pulse.objects.get().ran_at >= first.ran_at


def test_each_kind_has_its_row(db: None) -> None:
    refresh_marked(1.0)
    mark_silent(0)
    assert set(Pulse.objects.values_list("kind", "done")) == {("refresh", 0), ("silence", 0)}


@pytest.mark.django_db(transaction=True)
def test_many_workers_add_up() -> None:
    def work(_: int) -> None:
        for _ in range(5):
            pulse.note(REFRESH, Pass(done=2, failed=1))
        connection.close()

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(work, range(8)))
    row = Pulse.objects.get()
    assert (row.done, row.failed) == (80, 40)
