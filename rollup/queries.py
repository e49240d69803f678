"""The SQL of claiming work and reading what it needs."""

# Jobs whose events wait to be counted and for how many seconds, those that wait longest first.
MARKED_JOBS = """
    SELECT job_id, extract(epoch FROM clock_timestamp() - min(made_at))::float
      FROM ingest_mark WHERE job_id <> ALL(%(passed_over)s)
     GROUP BY job_id ORDER BY min(id) LIMIT %(limit)s"""

# Held to the end of the transaction; somebody else's lock is a normal answer.
TRY_LOCK = "SELECT pg_try_advisory_xact_lock(%(key)s)"

# Uses the index of ingest_mark on job_id.
TAKE_MARKS = "DELETE FROM ingest_mark WHERE job_id = %(job)s RETURNING attempt"

# Totals can be worked out again: a crash may lose the last ones, never an event.
COMMIT_LAZILY = "SET LOCAL synchronous_commit TO off"

# Uses the primary key of ingest_event.
JOB_EVENTS = """
    SELECT type, attempt, rank, seq, ts, id, phase, duration, body
      FROM ingest_event WHERE job_id = %(job)s"""

# A job that fell silent has no event to mark it: its own clock does. Uses index rollup_jobtotal_lost.
MARK_SILENT = """
    INSERT INTO ingest_mark (job_id, attempt)
    SELECT job_id, last_attempt FROM rollup_jobtotal WHERE lost_at <= %(now)s
       AND NOT EXISTS (SELECT FROM ingest_mark WHERE ingest_mark.job_id = rollup_jobtotal.job_id)"""

# Many workers may tell of their passes; one that did nothing is told about once a second, whoever it was.
PUT_PULSE = """
    INSERT INTO rollup_pulse AS pulse (kind, ran_at, done, failed, busy_s, lag_s)
    VALUES (%(kind)s, clock_timestamp(), %(done)s, %(failed)s, %(busy_s)s, %(lag_s)s)
    ON CONFLICT (kind) DO UPDATE
    SET ran_at = greatest(pulse.ran_at, excluded.ran_at), done = pulse.done + excluded.done,
        failed = pulse.failed + excluded.failed, busy_s = pulse.busy_s + excluded.busy_s,
        lag_s = excluded.lag_s
     WHERE excluded.done + excluded.failed > 0 OR pulse.ran_at < clock_timestamp() - interval '0.5 s'"""
