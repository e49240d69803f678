"""The events of the wire format: what each type may say."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from ingest.models import EventType

VALUE_CHARS = 256

# What parse.py checks in its own words is only told to the readers of the contract: a pattern here would
# be matched for each event.
PHASE_NAME = r"[a-z0-9_]{1,64}(\.[a-z0-9_]{1,64})?"
_ANY = r"[^\u0000-\u001f\u007f-\u009f\u2028\u2029/]"
_NO_DOT = r"[^\u0000-\u001f\u007f-\u009f\u2028\u2029/.]"
_SEGMENT = rf"({_NO_DOT}{_ANY}*|\.{_NO_DOT}{_ANY}*|\.\.{_ANY}+)"
JOB_NAME = rf"{_SEGMENT}(/{_SEGMENT})*"
NO_NUL = {"pattern": r"^[^\u0000]*$"}

Instant = Annotated[datetime, Meta(tz=True)] | int | float
Number = int | float
Counter = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Total = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Text = Annotated[str, Meta(max_length=VALUE_CHARS, extra_json_schema=NO_NUL)]
LongText = Annotated[str, Meta(max_length=4096, extra_json_schema=NO_NUL)]
JobName = Annotated[
    str, Meta(extra_json_schema={"minLength": 1, "maxLength": 255, "pattern": f"^{JOB_NAME}$"})
]
PhaseName = Annotated[str, Meta(extra_json_schema={"pattern": f"^{PHASE_NAME}$"})]
Labels = Annotated[dict[Text, Text | Number | bool | None], Meta(max_length=32)]
Attr = Annotated[Any, Meta(extra_json_schema={"$ref": "#/components/schemas/Attr"})]
HitOrMiss = Literal["hit", "miss"]


class Kernel(Struct, omit_defaults=True):
    """A kernel that was compiled."""

    name: Text
    autotune_s: Number | None = None


class Sent(Struct, tag_field="type", kw_only=True, gc=False):
    """What every event carries."""

    TYPE: ClassVar[int]
    # Whether a phase is all that the type says further.
    PLAIN: ClassVar[bool] = False

    id: UUID
    job: JobName
    attempt: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    ts: Instant
    rank: Counter | None = None
    seq: Counter | None = None
    attrs: Annotated[dict[Text, Attr], Meta(max_length=64)] | None = None


class Worded(Sent):
    """An event with texts, an empty one of which counts as not sent."""

    TEXTS: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        for name in self.TEXTS:
            if not getattr(self, name):
                setattr(self, name, None)


class AttemptStart(Worded, tag="attempt_start"):
    """An execution begins."""

    TYPE = EventType.ATTEMPT_START.value
    TEXTS = ("model", "cluster", "tier", "workload")

    model: Text | None = None
    gpus: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    cluster: Text | None = None
    tier: Text | None = None
    workload: Text | None = None
    labels: Labels | None = None


class PhaseStart(Sent, tag="phase_start"):
    """A stretch begins on this rank."""

    TYPE = EventType.PHASE_START.value
    PLAIN = True

    phase: PhaseName


class PhaseEnd(Sent, tag="phase_end"):
    """A stretch ends on this rank."""

    TYPE = EventType.PHASE_END.value
    PLAIN = True

    phase: PhaseName


class Phase(Sent, tag="phase"):
    """A whole stretch that began at `ts`."""

    TYPE = EventType.PHASE.value

    phase: PhaseName
    duration_s: Number


class Checkpoint(Worded, tag="checkpoint"):
    """A checkpoint became durable at `ts`."""

    TYPE = EventType.CHECKPOINT.value
    TEXTS = ("name",)

    name: Text | None = None
    snapshot_ts: Instant | None = None
    step: Total | None = None
    is_async: bool | None = msgspec.field(default=None, name="async")


class CheckpointLoaded(Worded, tag="checkpoint_loaded"):
    """The state that this attempt resumes from."""

    TYPE = EventType.CHECKPOINT_LOADED.value
    TEXTS = ("name",)

    name: Text | None = None
    step: Total | None = None


class Compile(Worded, tag="compile"):
    """One compilation that began at `ts`, for statistics."""

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
    """The trainer is alive: about every 60 seconds, from a thread."""

    TYPE = EventType.HEARTBEAT.value

    step: Total | None = None
    samples: Total | None = None


Category = Literal[
    "preemption", "hardware", "network", "storage", "scheduler", "service",
    "data", "oom", "hang", "user_code", "lost", "unknown",
]  # fmt: skip


class Failure(Worded, tag="failure"):
    """Ends the attempt as failed."""

    TYPE = EventType.FAILURE.value
    TEXTS = ("component", "message")

    category: Category | None = None
    component: Text | None = None
    message: LongText | None = None
    infra: bool | None = None


class AttemptEnd(Sent, tag="attempt_end"):
    """Ends the attempt."""

    TYPE = EventType.ATTEMPT_END.value

    outcome: Literal["completed", "cancelled", "preempted", "failed"]


AnyEvent = (
    AttemptStart | PhaseStart | PhaseEnd | Phase | Checkpoint | CheckpointLoaded
    | Compile | Heartbeat | Failure | AttemptEnd
)  # fmt: skip
