"""An attempt from its submission to the first batch: queue, machines, launcher, compilation."""

from random import Random
from typing import NamedTuple

from ettdash.demo.fleet import LAUNCHER_STAGES
from ettdash.demo.log import AttemptLog, Event
from ettdash.demo.stories import CACHE_COST, LAUNCHER_CULPRIT, Calendar

COMPILE_STAGES = (("dynamo", 0.14), ("aot_autograd", 0.2), ("inductor", 0.4), ("autotune", 0.26))
CACHES = ("inductor", "triton", "aot", "pgo", "autotune")
KERNELS = (
    "triton_red_fused__to_copy_add_mean_0", "triton_poi_fused_gelu_mul_7", "triton_tem_fused_mm_12",
    "triton_per_fused_native_layer_norm_3", "triton_red_fused__log_softmax_21",
    "triton_poi_fused_embedding_add_2",
)  # fmt: skip
REASONS = (
    "0/0: tensor 'L['x']' size mismatch at index 0. expected 3, actual 4",
    "1/0: tensor 'L['batch']['ids']' size mismatch at index 1. expected 2048, actual 1536",
    "0/1: tensor 'L['mask']' stride mismatch at index 0. expected 512, actual 1024",
    "2/0: L['self'].training == True",
    "3/0: ___check_type_id(L['batch']['dense'], 94212371)",
    "0/2: G['STEP_SCALE'] == 1.0",
)


class Resume(NamedTuple):
    """The state that an attempt goes on from: training seconds done, and the checkpoint that holds them."""

    train_s: float = 0.0
    checkpoint: str = ""
    step: int = 0


def noisy(rng: Random, median: float, spread: float = 0.18) -> float:
    """A positive time around a median, with a tail to the right."""
    return median * rng.lognormvariate(0.0, spread)


def start_up(
    log: AttemptLog, rng: Random, calendar: Calendar, start: float, queue: float, resume: Resume
) -> float:
    """Say everything up to the first batch; returns the instant at which training begins."""
    plan = log.plan
    log.add(
        "attempt_start", start,
        model=plan.model.name, gpus=plan.gpus, cluster=plan.cluster, tier=plan.tier, workload="offline",
        labels=dict(plan.labels), attrs=dict(plan.attrs),
    )  # fmt: skip
    log.opens("scheduling", start)
    granted = start + max(2.0, noisy(rng, plan.model.scheduling_s * queue, 0.6))
    log.closes("scheduling", granted)
    ready = set_up_hardware(log, rng, granted)
    fetching, fetched = launch(log, rng, calendar, ready, resume)
    compiles = fetching + rng.uniform(0.1, 0.5) * (fetched - fetching)
    trains = max(fetched, compile_model(log, rng, calendar, compiles)) + 0.05
    others_start_up(log, rng, ready, compiles, trains)
    return trains


def set_up_hardware(log: AttemptLog, rng: Random, start: float) -> float:
    """Pull the image and fetch the binary on the granted machines."""
    total = noisy(rng, log.plan.model.hardware_s)
    pull, fetch = total * rng.uniform(0.55, 0.7), total * 0.22
    log.opens("hardware_setup", start)
    pulled = log.stretch("hardware_setup.image_pull", start + 1, pull)
    log.stretch("hardware_setup.binary_fetch", pulled, fetch)
    log.closes("hardware_setup", start + total)
    return start + total


def launch(
    log: AttemptLog, rng: Random, calendar: Calendar, start: float, resume: Resume
) -> tuple[float, float]:
    """Go through the launcher's stages; returns when the first batch was asked for and when it came."""
    model = log.plan.model
    usual = noisy(rng, model.launcher_s, 0.12)
    extra = usual * (calendar.launcher_slowdown(model.name, start) - 1)
    log.opens("launcher_init", start)
    now = start
    for stage, share in LAUNCHER_STAGES:
        if stage == "init_plugins" and resume.checkpoint:
            now = load_checkpoint(log, rng, now, resume)
        began = now
        seconds = usual * share + (extra if stage == LAUNCHER_CULPRIT else 0.0)
        now = log.stretch(f"launcher_init.{stage}", now, seconds)
    log.closes("launcher_init", now)
    return began, now


def load_checkpoint(log: AttemptLog, rng: Random, start: float, resume: Resume) -> float:
    """Read the state that this attempt resumes from."""
    seconds = noisy(rng, 20 + log.plan.gpus**0.5, 0.25)
    loaded = log.stretch("launcher_init.checkpoint_load", start, seconds)
    log.add("checkpoint_loaded", loaded, name=resume.checkpoint, step=resume.step)
    return loaded


def compile_model(log: AttemptLog, rng: Random, calendar: Calendar, start: float) -> float:
    """Compile the model, faster where caches are warm; returns the end."""
    mix = calendar.cache_mix(start)
    cache = rng.choices(list(mix), list(mix.values()))[0]
    seconds = noisy(rng, log.plan.model.compile_s, 0.12) * CACHE_COST[cache]
    log.opens("pt2_compile", start)
    now = start
    loading = 0.0 if cache == "miss" else seconds * 0.12
    if loading:
        now = log.stretch("pt2_compile.cache_load", now, loading)
    stages = {stage: round((seconds - loading) * share, 3) for stage, share in COMPILE_STAGES}
    for stage, length in stages.items():
        now = log.stretch(f"pt2_compile.{stage}", now, length)
    log.closes("pt2_compile", start + seconds)
    if loading:
        stages["cache_load"] = round(loading, 3)
    log.add("compile", start, at=start + seconds, **compilation(rng, seconds, cache, stages))
    return start + seconds


def compilation(rng: Random, seconds: float, cache: str, stages: dict[str, float]) -> Event:
    """The statistics of one compilation."""
    hits = {"miss": 0.0, "partial": 0.6, "hit": 1.0}[cache]
    tuned = rng.sample(KERNELS, rng.randint(2, 4)) if cache != "hit" else []
    return {
        "duration_s": round(seconds, 3),
        "cache": cache,
        "recompile": False,
        "frame": "0/0",
        "stages_s": stages,
        "caches": {name: "hit" if rng.random() < hits else "miss" for name in CACHES},
        "kernels": [{"name": name, "autotune_s": round(rng.uniform(0.4, 9.0), 3)} for name in tuned],
    }


def recompile(log: AttemptLog, rng: Random, start: float, seconds: float) -> None:
    """Compile a frame again in the middle of training."""
    reason = rng.choice(REASONS)
    log.stretch("pt2_compile.recompile", start, seconds)
    log.add(
        "compile", start, at=start + seconds,
        duration_s=round(seconds, 3), cache="miss", recompile=True, reason=reason, frame=reason.split(":")[0],
        stages_s={"dynamo": round(seconds * 0.2, 3), "inductor": round(seconds * 0.7, 3)},
    )  # fmt: skip


def others_start_up(log: AttemptLog, rng: Random, start: float, compiles: float, trains: float) -> None:
    """The other ranks that report: they come up beside rank 0, and now and then one lags behind it."""
    for rank in log.plan.ranks[1:]:
        lag = rng.uniform(15, 55) if rng.random() < 0.12 else 0.0
        begins = start + rng.uniform(0.5, 4)
        launched = log.stretch("launcher_init", begins, compiles + lag - rng.uniform(0, 2) - begins, rank)
        log.stretch("pt2_compile", launched, trains + lag - launched, rank)
        log.opens("train", trains + lag, rank)
