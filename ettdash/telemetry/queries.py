"""The SQL of looking at ourselves; nothing here reads events, nor all of a table that can grow large."""

# For how long the oldest mark has waited, and how long ago a pass ended. Uses the primary keys.
COUNTING = """
    SELECT (SELECT extract(epoch FROM clock_timestamp() - made_at)::float
              FROM ingest_mark ORDER BY id LIMIT 1),
           (SELECT extract(epoch FROM clock_timestamp() - ran_at)::float
              FROM rollup_pulse WHERE kind = 'refresh')"""

# Beyond this number of marks, how many more there are says nothing new.
WAITING = """
    SELECT count(*), count(DISTINCT job_id) FROM (SELECT job_id FROM ingest_mark LIMIT 100000) AS mark"""

PULSES = """
    SELECT kind, extract(epoch FROM clock_timestamp() - ran_at)::float, done, failed, busy_s, lag_s
      FROM rollup_pulse ORDER BY kind"""

STORAGE = """
    WITH part AS (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ingest_event'::regclass)
    SELECT (SELECT count(*) FROM part),
           pg_database_size(current_database()),
           (SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM part),
           pg_total_relation_size('ingest_mark'),
           pg_total_relation_size('rollup_attemptday') + pg_total_relation_size('rollup_jobtotal')"""

CONNECTIONS = """
    SELECT numbackends, current_setting('max_connections')::integer
      FROM pg_stat_database WHERE datname = current_database()"""

# Held for the transaction: who looks must not wait for long, nor hold up others.
HURRY = "SET LOCAL statement_timeout TO '2s'; SET LOCAL lock_timeout TO '500ms'"
