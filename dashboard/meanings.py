"""What each word on a page means, in one sentence; buckets in the order and families of every page."""

from collections.abc import Mapping

from ett.buckets import Bucket

FAMILIES: Mapping[str, tuple[Bucket, ...]] = {
    "Kept work": (Bucket.EFFECTIVE,),
    "Start-up": (Bucket.SCHEDULING, Bucket.HARDWARE_SETUP, Bucket.LAUNCHER_INIT, Bucket.PT2_COMPILE),
    "Inside the loop": (Bucket.CHECKPOINT_BLOCKING, Bucket.STALLED),
    "After a failure": (Bucket.UNSAVED, Bucket.DOWNTIME),
    "The rest": (Bucket.SHUTDOWN, Bucket.UNACCOUNTED),
}

MEANINGS: Mapping[Bucket, str] = {
    Bucket.EFFECTIVE: "Training whose result was kept.",
    Bucket.SCHEDULING: "Waiting for machines; no accelerator is held.",
    Bucket.HARDWARE_SETUP: "Machines are granted; images and binaries are fetched.",
    Bucket.LAUNCHER_INIT: "From the launcher's start to the first batch: devices, groups, modules, data.",
    Bucket.PT2_COMPILE: "torch.compile, recompilations included.",
    Bucket.CHECKPOINT_BLOCKING: "Training stood still for a checkpoint; background saving does not count.",
    Bucket.STALLED: "In the loop without advancing: data stalls, evaluation, hangs.",
    Bucket.UNSAVED: "Trained after the last checkpoint that survived, and lost with the failure.",
    Bucket.DOWNTIME: "Between an interrupted attempt and the next one; no accelerator is held.",
    Bucket.SHUTDOWN: "Final checkpoint, publishing, clean-up.",
    Bucket.UNACCOUNTED: "Inside an attempt while no phase was open: the trainer does not say.",
}

CAUSES: Mapping[str, str] = {
    "ETT": "Effective time over all time.",
    "Idleness": "All that is neither effective nor Failure.",
    "Failure": "Unsaved, downtime, start-up after interruptions, interrupted attempts that never trained.",
}
