"""How gunicorn serves the product; every value can be overridden on its command line."""

import gc
import os
from typing import Any

from prometheus_client import multiprocess

from ettdash.env import env_int

# An empty address would be every address.
bind = f"{os.environ.get('ETTDASH_LISTEN') or '127.0.0.1'}:{os.environ.get('ETTDASH_PORT', '8000')}"
worker_class = "gthread"
# More than cores, because connections are kept open and must not meet in one process; not so many that all
# threads together, a connection each, reach the 100 that Postgres allows by default.
workers = env_int("ETTDASH_WEB_WORKERS", min(2 * (os.cpu_count() or 1), 8), least=1)
threads = env_int("ETTDASH_WEB_THREADS", 8, least=1)
# A thread that waits for a slow database is not a dead worker.
timeout = 60
keepalive = 75
graceful_timeout = 10
# Whether proxies are believed is one setting, ETTDASH_PROXIES; gunicorn would believe any on loopback.
forwarded_allow_ips = ""
logger_class = "ettdash.telemetry.servers.ServerLogger"


def post_worker_init(_worker: Any) -> None:
    """Let the collector pass over what is loaded once, and not run several times within one batch."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def child_exit(_server: Any, worker: Any) -> None:
    """Let the metrics of a worker that is gone be merged."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
