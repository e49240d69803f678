"""Two first posts at once make one partition."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from ingest.partitions import ensure_partitions
from ingest.queries import PARTITION_JOBS

COUNT = """
    SELECT count(*) FROM pg_inherits
     WHERE inhparent = 'ingest_event'::regclass AND inhrelid::regclass::text LIKE 'ingest_event_0005%'"""


@pytest.mark.django_db(transaction=True)
def test_racing_makers_make_each_partition_once() -> None:
    def make(round: int) -> None:
        together.wait()
        with transaction.atomic():
            ensure_partitions([round * PARTITION_JOBS, round * PARTITION_JOBS + 1])
        connection.close()

    for round in range(500, 510):
        together = threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(make, [round] * 4))
    with connection.cursor() as cursor:
        cursor.execute(COUNT)
        assert cursor.fetchone() == (10,)
