"""What ingest counts of itself."""

from prometheus_client import Counter

EVENTS = Counter("ettdash_events", "Events received, by what became of them", ["result"])
REJECTED = Counter("ettdash_events_rejected", "Events not kept, by the code of their fault", ["code"])
ID_CONFLICTS = Counter("ettdash_event_id_conflicts", "Events whose id came before with other content")
RATE_UNCHECKED = Counter("ettdash_rate_unchecked", "Requests let through while Redis was away")
