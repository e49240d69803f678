"""The phases a trainer can name, and the two orders they stand in."""

from collections.abc import Mapping
from enum import StrEnum


class Phase(StrEnum):
    """The phases of the first level (L2), in the order an attempt walks through them."""

    SCHEDULING = "scheduling"
    HARDWARE_SETUP = "hardware_setup"
    LAUNCHER_INIT = "launcher_init"
    PT2_COMPILE = "pt2_compile"
    TRAIN = "train"
    SHUTDOWN = "shutdown"


STAGES: Mapping[Phase, tuple[str, ...]] = {
    Phase.SCHEDULING: (),
    Phase.HARDWARE_SETUP: ("image_pull", "binary_fetch"),
    Phase.LAUNCHER_INIT: (
        "device_init",
        "process_group_init",
        "preproc_creation",
        "train_module_creation",
        "init_plugins",
        "pre_train",
        "get_first_batch_data",
        "checkpoint_load",
    ),
    Phase.PT2_COMPILE: ("dynamo", "aot_autograd", "inductor", "autotune", "cache_load", "recompile"),
    Phase.TRAIN: ("checkpoint_save", "data_stall", "eval"),
    Phase.SHUTDOWN: ("final_checkpoint", "model_publish", "cleanup"),
}

_PLACES: Mapping[str, int] = {phase.value: place for place, phase in enumerate(Phase)}


def parent(name: str) -> str:
    """The L2 of a phase: `train` of `train.eval`, and of `train`."""
    return name.partition(".")[0]


def is_known(name: str) -> bool:
    """Whether the phase's L2 is one that charges time; any L3 will do."""
    return parent(name) in _PLACES


def is_training(name: str | None) -> bool:
    """Whether the phase is `train` or `train.*`."""
    return name is not None and parent(name) == Phase.TRAIN


def recency(name: str) -> tuple[bool, int, tuple[int, str]]:
    """Sort key of known phases that started together on one rank: the greatest is charged."""
    l2, dot, _ = name.partition(".")
    return bool(dot), _PLACES[l2], _l3_place(name)


def progress(name: str) -> tuple[float, tuple[int, str]]:
    """Sort key of known phases open on several ranks: the least, being the least advanced, is charged."""
    l2, dot, _ = name.partition(".")
    # A rank that stalls inside the loop holds back the ranks that train.
    held_back = 0.5 if l2 == Phase.TRAIN and dot else 0.0
    return _PLACES[l2] - held_back, _l3_place(name)


def _l3_place(name: str) -> tuple[int, str]:
    """Where an L3 stands within its L2: the bare L2, the known ones in order, all others by name."""
    l2, dot, l3 = name.partition(".")
    if not dot:
        return -1, ""
    stages = STAGES[Phase(l2)]
    return (stages.index(l3), "") if l3 in stages else (len(stages), l3)
