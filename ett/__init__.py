"""The domain: what trainers report, and what each instant of a job's wall time is charged to."""
