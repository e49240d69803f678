"""Standalone publishing: a CPU job that publishes what a trainer left behind."""

from dataclasses import replace
from random import Random

from ettdash.demo.log import AttemptLog, Plan, Said
from ettdash.demo.startup import noisy
from ettdash.demo.training import beats


def publish_job(
    trainer: Plan, rng: Random, completed: float, dense_from: float
) -> tuple[str, float, list[Said]]:
    """Name, start and events of the job that publishes a trainer's model."""
    start = completed + noisy(rng, 40, 0.4)
    plan = replace(
        trainer, key=f"{trainer.key}/publish", name=f"{trainer.name}-publish", start=start, gpus=0,
        ranks=(0,), labels={"publishes": trainer.name, "priority": "p1"}, reports_steps=False,
    )  # fmt: skip
    log = AttemptLog.of(plan, 1)
    log.add(
        "attempt_start", start,
        model=plan.model.name, gpus=0, cluster=plan.cluster, tier=plan.tier, workload="publish",
        labels=dict(plan.labels), attrs=dict(plan.attrs),
    )  # fmt: skip
    now = start
    for phase, median in (("scheduling", 15), ("hardware_setup", 45), ("launcher_init", 35)):
        log.opens(phase, now)
        now += noisy(rng, median, 0.3)
        log.closes(phase, now)
    log.opens("shutdown", now)
    published = log.stretch("shutdown.model_publish", now, noisy(rng, plan.model.publish_s * 1.15))
    end = log.stretch("shutdown.cleanup", published, noisy(rng, 8, 0.3))
    log.closes("shutdown", end)
    log.add("attempt_end", end, outcome="completed")
    beats(log, start, end, None, dense_from)
    return plan.name, start, sorted(log.said, key=lambda one: one.at)
