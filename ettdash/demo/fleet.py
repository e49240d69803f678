"""The cast: who trains what, on which cluster, and how each model behaves on an ordinary day."""

from collections.abc import Mapping
from dataclasses import dataclass

TEAMS = ("ads", "feed", "language", "vision")
CLUSTERS = ("iad-h100", "pdx-h200", "fra-a100")

# Shares of launcher_init, in the order in which a launcher goes through them.
LAUNCHER_STAGES: tuple[tuple[str, float], ...] = (
    ("device_init", 0.08),
    ("process_group_init", 0.14),
    ("preproc_creation", 0.18),
    ("train_module_creation", 0.22),
    ("init_plugins", 0.06),
    ("pre_train", 0.08),
    ("get_first_batch_data", 0.24),
)

# What interrupts attempts, by weight: big jobs die of machines, small experiments of their own code.
MACHINES: Mapping[str, float] = {
    "hardware": 4.0, "network": 3.0, "storage": 1.2, "service": 1.0, "scheduler": 0.7, "hang": 0.9,
    "lost": 0.8, "preemption": 0.8, "oom": 0.3, "data": 0.4, "user_code": 0.3, "unknown": 0.6,
}  # fmt: skip
PIPELINES: Mapping[str, float] = {
    "hardware": 2.0, "network": 1.5, "storage": 2.0, "service": 2.0, "scheduler": 1.0, "hang": 0.6,
    "lost": 0.8, "preemption": 1.5, "oom": 0.5, "data": 2.0, "user_code": 0.5, "unknown": 0.6,
}  # fmt: skip
EXPERIMENTS: Mapping[str, float] = {
    "hardware": 1.2, "network": 0.8, "storage": 0.7, "service": 0.6, "scheduler": 1.0, "hang": 0.5,
    "lost": 0.8, "preemption": 3.0, "oom": 2.0, "data": 1.5, "user_code": 3.5, "unknown": 0.8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """How often state is captured, how long that blocks training, and how long the upload takes (0: sync)."""

    every_s: float
    blocking_s: float
    upload_s: float = 0.0
    survives: bool = False  # the upload is done by a process of its own, which outlives the trainer


@dataclass(frozen=True, slots=True)
class Model:
    """One model's usual jobs; stage times are medians in seconds."""

    name: str
    team: str
    clusters: tuple[str, ...]
    gpus: tuple[int, ...]
    production: float  # share of its jobs in tier production; the others explore
    starts: float  # jobs a weekday; below 0.6 one job every so many days
    train_h: tuple[float, float]
    scheduling_s: float
    hardware_s: float
    launcher_s: float
    compile_s: float  # with cold caches
    mtbf_h: float
    mix: Mapping[str, float]
    checkpointing: Checkpointing
    eval_every_s: float
    eval_s: float
    stalls_per_h: float
    stall_s: float
    step_s: float
    batch: int
    publish_s: float = 0.0
    ranks: int = 1  # how many ranks report


MODELS: tuple[Model, ...] = (
    Model(
        "ads-ctr", "ads", ("iad-h100", "pdx-h200"), (256,), 1.0, 1.5, (11, 17), 120, 150, 430, 420,
        14, PIPELINES, Checkpointing(2400, 11, 70), 7200, 210, 0.35, 70, 0.42, 262_144, 1500,
    ),
    Model(
        "ads-conversion", "ads", ("iad-h100",), (128,), 0.9, 1.4, (8, 14), 90, 130, 300, 330,
        16, PIPELINES, Checkpointing(2700, 14), 5400, 180, 0.35, 60, 0.38, 131_072, 1200,
    ),
    Model(
        "ads-retrieval", "ads", ("fra-a100", "iad-h100"), (64, 96), 0.7, 1.2, (7, 13), 75, 120, 240, 260,
        18, PIPELINES, Checkpointing(2400, 9, 40), 5400, 150, 0.3, 55, 0.31, 65_536, 900, 3,
    ),
    Model(
        "feed-ranker", "feed", ("pdx-h200",), (512,), 1.0, 1.15, (15, 21), 150, 170, 380, 480,
        15, PIPELINES, Checkpointing(2400, 13, 90), 7200, 240, 0.4, 75, 0.55, 524_288, 1800, 4,
    ),
    Model(  # saves far too often: a few minutes apart, each one blocking
        "feed-embeddings", "feed", ("iad-h100", "fra-a100"), (64,), 0.6, 1.0, (5, 10), 60, 110, 200, 190,
        24, PIPELINES, Checkpointing(270, 24), 5400, 120, 0.3, 50, 0.22, 65_536, 600,
    ),
    Model(
        "video-ranker", "feed", ("iad-h100", "fra-a100"), (256,), 0.9, 1.1, (14, 20), 130, 180, 360, 450,
        15, PIPELINES, Checkpointing(3000, 12, 80), 7200, 260, 0.45, 80, 0.66, 131_072, 1500,
    ),
    Model(
        "llm-70b", "language", ("pdx-h200",), (4096,), 1.0, 0.33, (58, 74), 420, 360, 620, 560,
        7, MACHINES, Checkpointing(1800, 16, 120, True), 14_400, 400, 0.15, 60, 9.4, 2048, 2100, 4,
    ),
    Model(
        "llm-8b", "language", ("iad-h100",), (1024,), 0.3, 0.5, (26, 38), 300, 260, 420, 400,
        11, MACHINES, Checkpointing(2400, 13, 100), 10_800, 320, 0.2, 60, 3.1, 1024, 1200, 3,
    ),
    Model(
        "code-sft", "language", ("fra-a100", "iad-h100"), (64, 128), 0.1, 1.3, (1.5, 7), 200, 140, 260, 310,
        13, EXPERIMENTS, Checkpointing(2400, 16), 3600, 160, 0.15, 50, 1.8, 512, 600,
    ),
    Model(  # saves far too rarely: hours of training are lost with each failure
        "image-tower", "vision", ("fra-a100",), (256,), 0.8, 0.9, (15, 24), 180, 200, 340, 360,
        10, MACHINES, Checkpointing(14_400, 22), 10_800, 280, 0.4, 70, 0.74, 32_768, 1200,
    ),
    Model(
        "diffusion-xl", "vision", ("pdx-h200", "iad-h100"), (512,), 0.2, 0.8, (14, 30), 240, 220, 400, 520,
        13, EXPERIMENTS, Checkpointing(2700, 18, 90), 10_800, 300, 0.3, 70, 1.3, 4096, 900,
    ),
    Model(
        "ocr-small", "vision", ("fra-a100",), (8, 16), 0.3, 1.3, (1, 4), 40, 80, 110, 120,
        20, EXPERIMENTS, Checkpointing(1800, 5), 3600, 70, 0.2, 40, 0.16, 8192, 300,
    ),
)  # fmt: skip

BY_NAME: Mapping[str, Model] = {model.name: model for model in MODELS}
