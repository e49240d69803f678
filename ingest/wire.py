"""The events of the wire format: what each type may say."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from ingest.models import EventType

VALUE_CHARS = 256

Instant = Annotated[datetime, Meta(tz=True)] | int | float
Number = int | float
Counter = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Total = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Text = Annotated[str, Meta(max_length=VALUE_CHARS)]
LongText = Annotated[str, Meta(max_length=4096)]
Labels = Annotated[dict[Text, Text | Number | bool | None], Meta(max_length=32)]
HitOrMiss = Literal["hit", "miss"]


class Kernel(Struct, omit_defaults=True):
    name: Text
    autotune_s: Number | None = None


class Sent(Struct, tag_field="type", kw_only=True, gc=False):
    """What every event carries."""

    TYPE: ClassVar[int]
    # Whether a phase is all that the type says further.
    PLAIN: ClassVar[bool] = False

    id: UUID
    job: str
    attempt: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    ts: Instant
    rank: Counter | None = None
    seq: Counter | None = None
    attrs: Annotated[dict[Text, Any], Meta(max_length=64)] | None = None


class Worded(Sent):
    """An event with texts, an empty one of which counts as not sent."""

    TEXTS: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        for name in self.TEXTS:
            if not getattr(self, name):
                setattr(self, name, None)


class AttemptStart(Worded, tag="attempt_start"):
    TYPE = EventType.ATTEMPT_START.value
    TEXTS = ("model", "cluster", "tier", "workload")

    model: Text | None = None
    gpus: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    cluster: Text | None = None
    tier: Text | None = None
    workload: Text | None = None
    labels: Labels | None = None


class PhaseStart(Sent, tag="phase_start"):
    TYPE = EventType.PHASE_START.value
    PLAIN = True

    phase: str


class PhaseEnd(Sent, tag="phase_end"):
    TYPE = EventType.PHASE_END.value
    PLAIN = True

    phase: str


class Phase(Sent, tag="phase"):
    TYPE = EventType.PHASE.value

    phase: str
    duration_s: Number


class Checkpoint(Worded, tag="checkpoint"):
    TYPE = EventType.CHECKPOINT.value
    TEXTS = ("name",)

    name: Text | None = None
    snapshot_ts: Instant | None = None
    step: Total | None = None
    is_async: bool | None = msgspec.field(default=None, name="async")


class CheckpointLoaded(Worded, tag="checkpoint_loaded"):
    TYPE = EventType.CHECKPOINT_LOADED.value
    TEXTS = ("name",)

    name: Text | None = None
    step: Total | None = None


class Compile(Worded, tag="compile"):
    TYPE = EventType.COMPILE.value
    TEXTS = ("reason", "frame")

    duration_s: Number | None = None
    cache: Literal["hit", "miss", "partial"] | None = None
    recompile: bool | None = None
    reason: LongText | None = None
    frame: Text | None = None
    stages_s: dict[Text, Number] | None = None
    caches: dict[Text, HitOrMiss] | None = None
    kernels: list[Kernel] | None = None


class Heartbeat(Sent, tag="heartbeat"):
    TYPE = EventType.HEARTBEAT.value

    step: Total | None = None
    samples: Total | None = None


Category = Literal[
    "preemption", "hardware", "network", "storage", "scheduler", "service",
    "data", "oom", "hang", "user_code", "lost", "unknown",
]  # fmt: skip


class Failure(Worded, tag="failure"):
    TYPE = EventType.FAILURE.value
    TEXTS = ("component", "message")

    category: Category | None = None
    component: Text | None = None
    message: LongText | None = None
    infra: bool | None = None


class AttemptEnd(Sent, tag="attempt_end"):
    TYPE = EventType.ATTEMPT_END.value

    outcome: Literal["completed", "cancelled", "preempted", "failed"]


AnyEvent = (
    AttemptStart | PhaseStart | PhaseEnd | Phase | Checkpoint | CheckpointLoaded
    | Compile | Heartbeat | Failure | AttemptEnd
)  # fmt: skip
