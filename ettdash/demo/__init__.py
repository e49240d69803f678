"""A believable fleet, simulated from a seed and posted through the ingest API."""
