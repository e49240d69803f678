"""What the web processes count of their answers."""

from prometheus_client import Counter, Histogram

REQUEST_SECONDS = Histogram(
    "ettdash_request_seconds",
    "Time to an answer, by route, method and class of status",
    ["route", "method", "status"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
REFUSALS = Counter("ettdash_refusals", "Answers from 400 on, by route and status", ["route", "status"])
