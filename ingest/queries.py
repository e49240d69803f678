"""The SQL of taking events in."""

# Jobs a partition: their ids rise with time, so a range of ids is an age.
PARTITION_JOBS = 5_000

EVENT_COLUMNS = "job_id, id, attempt, rank, seq, type, ts, received_at, sent_at, phase, duration, body"

# Binary COPY in the order of EVENT_COLUMNS; rows come in key order, so that writers meet in one order.
COPY_EVENTS = f"COPY ingest_event ({EVENT_COLUMNS}) FROM STDIN (FORMAT BINARY)"

# A batch that holds duplicates goes through here. Made once a connection, and empty for each batch.
MAKE_INBOX = """
    CREATE TEMPORARY TABLE IF NOT EXISTS ingest_inbox (
        job_id bigint, id uuid, attempt integer, rank integer, seq integer, type smallint, ts bigint,
        received_at bigint, sent_at bigint, phase text, duration bigint, body jsonb
    ) ON COMMIT DELETE ROWS;
    DELETE FROM ingest_inbox"""

COPY_INBOX = f"COPY ingest_inbox ({EVENT_COLUMNS}) FROM STDIN (FORMAT BINARY)"

# Uses the primary key (job_id, id).
TAKE_INBOX = f"""
    INSERT INTO ingest_event ({EVENT_COLUMNS})
    SELECT {EVENT_COLUMNS} FROM ingest_inbox ORDER BY job_id, id
    ON CONFLICT DO NOTHING"""  # noqa: S608

# How many of a batch, by job, say something else than the event that was there first. Uses the primary key.
COUNT_CONFLICTS = """
    UPDATE ingest_job SET id_conflicts = id_conflicts + conflict.n
      FROM (SELECT job_id, count(*) AS n
              FROM ingest_inbox a JOIN ingest_event b USING (job_id, id)
             WHERE (a.attempt, a.rank, a.seq, a.type, a.ts, a.phase, a.duration, a.body)
                   IS DISTINCT FROM (b.attempt, b.rank, b.seq, b.type, b.ts, b.phase, b.duration, b.body)
             GROUP BY job_id) conflict
     WHERE ingest_job.id = conflict.job_id
    RETURNING conflict.n"""

# Uses the constraint ingest_job_name.
ADD_CONFLICTS = """
    UPDATE ingest_job SET id_conflicts = id_conflicts + conflict.n
      FROM unnest(%(names)s::text[], %(numbers)s::bigint[]) AS conflict (name, n)
     WHERE team_id = %(team)s AND ingest_job.name = conflict.name"""

# The ids of known jobs, and a mark for each of their attempts that a batch touches. Marks are append-only:
# one that a worker has not seen cannot be eaten by its delete. Uses the constraint ingest_job_name.
FIND_AND_MARK = """
    WITH touched AS (SELECT * FROM unnest(%(names)s::text[], %(attempts)s::integer[]) AS t (name, attempt)),
         found AS (SELECT name, id, attempt FROM touched JOIN ingest_job USING (name)
                    WHERE team_id = %(team)s),
         marked AS (INSERT INTO ingest_mark (job_id, attempt) SELECT id, attempt FROM found)
    SELECT name, id FROM found"""

ADD_JOBS = """
    INSERT INTO ingest_job (team_id, name, created_at, id_conflicts)
    SELECT %(team)s, name, now(), 0 FROM unnest(%(names)s::text[]) name ORDER BY name
    ON CONFLICT (team_id, name) DO NOTHING"""

# In one order, so that two batches of a team wait for one another and never deadlock. It is not worth a wait
# for the disk, nor a long one for a lock: the batch is committed, and its sender waits for the answer. Uses
# the constraint ingest_rejected_once.
COUNT_REJECTED = """
    SET LOCAL synchronous_commit TO off;
    SET LOCAL lock_timeout TO '1s';
    INSERT INTO ingest_rejected AS kept (team_id, day, code, n, last_at, last_field, last_message)
    SELECT %(team)s, (%(at)s AT TIME ZONE 'UTC')::date, code, n, %(at)s, field, message
      FROM unnest(%(codes)s::text[], %(numbers)s::bigint[], %(fields)s::text[], %(messages)s::text[])
           AS batch (code, n, field, message)
     ORDER BY code
    ON CONFLICT (team_id, day, code) DO UPDATE
    SET n = kept.n + excluded.n, last_at = excluded.last_at,
        last_field = excluded.last_field, last_message = excluded.last_message"""
