"""Load for benchmarks: as many believable jobs as wanted, each with exactly so many events."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ettdash.demo.fleet import CLUSTERS, MODELS
from ettdash.demo.job import Sky, live_through
from ettdash.demo.log import Event, Plan
from ettdash.demo.simulate import Fleet
from ettdash.demo.stories import PREEMPTION_WAVE
from ettdash.demo.training import BEAT_S

QUIET_CLUSTER = next(cluster for cluster in CLUSTERS if cluster != PREEMPTION_WAVE.cluster)


def events_for_load(seed: int, jobs: int, events_per_job: int, until: float) -> Iterator[list[Event]]:
    """The events of one job after another, none later than `until`; the same for the same arguments.

    A job lasts about one minute an event: events_per_job times jobs decides the size, not the span of time.
    """
    fleet = Fleet(seed, until)
    for k in range(jobs):
        drawn = fleet.plan(0, k, MODELS[k % len(MODELS)], until)
        plan = replace(drawn, name=f"load/{drawn.name}-{k}")
        yield job_of_size(plan, Random(f"{seed}/load/{k}"), fleet, events_per_job, until)


def job_of_size(plan: Plan, rng: Random, fleet: Fleet, size: int, until: float) -> list[Event]:
    """The first `size` events of a job that a minute's beat makes long enough."""
    lasts = size * BEAT_S
    key = f"{plan.key}/load/{size}"
    long_enough = replace(
        plan,
        key=key,
        start=until - lasts - 60,
        cluster=QUIET_CLUSTER,
        train_s=lasts,
        cancel_s=None,
    )
    said, _ = live_through(long_enough, rng, Sky(fleet.calendar, hazard=1e-9, dense_from=float("-inf")))
    return [event for _, event in said[:size]]
