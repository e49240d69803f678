"""The SQL of claiming work and reading what it needs."""

# Jobs whose events wait to be counted, those that wait longest first.
MARKED_JOBS = """
    SELECT job_id FROM ingest_mark WHERE job_id <> ALL(%(passed_over)s)
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
