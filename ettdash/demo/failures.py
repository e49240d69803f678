"""How attempts go wrong: real-looking messages by category, and how long it takes until somebody reacts."""

from random import Random
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """One way to fail: who reports it, what it says, and whether the sender names the category itself."""

    component: str
    message: str
    named: bool = True


FAULTS: dict[str, tuple[Fault, ...]] = {
    "preemption": (
        Fault(
            "scheduler", "slurmstepd: error: *** JOB 48213{rank} ON {host} CANCELLED DUE TO PREEMPTION ***"
        ),
        Fault("scheduler", "Workload evicted: Preempted to accommodate a workload of higher priority", False),
    ),
    "hardware": (
        Fault("gpu", "NVRM: Xid (PCI:0000:4e:00): 79, pid={step}, GPU has fallen off the bus."),
        Fault("gpu", "NVRM: Xid (PCI:0000:9b:00): 48, Double Bit ECC Error on {host}", False),
        Fault("gpu", "CUDA error: uncorrectable ECC error encountered (rank {rank}, {host})", False),
        Fault("gpu", "NVRM: Xid (PCI:0000:db:00): 74, NVLink: fatal error detected on link 11", False),
        Fault("node", "{host}: kernel: mce: [Hardware Error]: Machine check events logged; node drained"),
    ),
    "network": (
        Fault(
            "nccl",
            "[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={step}, "
            "OpType=ALLREDUCE, NumelIn=268435456, Timeout(ms)=600000) "
            "ran for 600031 milliseconds before timing out.",
            False,
        ),
        Fault(
            "nccl",
            "NCCL WARN NET/IB : Got completion from peer {host} with status=12 opcode=0 vendor err 129",
        ),
        Fault(
            "nccl",
            "torch.distributed.DistBackendError: NCCL error: remote process exited or network error",
            False,
        ),
    ),
    "storage": (
        Fault(
            "checkpoint",
            "botocore.exceptions.ClientError: An error occurred (503) when calling the UploadPart operation "
            "(reached max retries: 4): Slow Down",
        ),
        Fault(
            "checkpoint",
            "OSError: [Errno 122] Disk quota exceeded: '/mnt/ckpt/step-{step}/__{rank}_0.distcp'",
        ),
        Fault("filesystem", "OSError: [Errno 116] Stale file handle: '/mnt/datasets/index.bin'", False),
    ),
    "scheduler": (
        Fault(
            "scheduler", "exceeded quota: gpu-quota, requested: nvidia.com/gpu=512, used: 3968, limited: 4096"
        ),
        Fault("scheduler", "sbatch: error: Node failure on {host}: NODE_FAIL, step {step} requeue refused"),
        Fault("kueue", "PodsReadyTimeout: exceeded the timeout of 900s waiting for all pods to be ready"),
    ),
    "service": (
        Fault(
            "feature-store", "grpc.RpcError: StatusCode.UNAVAILABLE: feature-store: upstream connect error"
        ),
        Fault("registry", "ErrImagePull: 429 Too Many Requests while pulling trainer:2026.11"),
        Fault(
            "metadata", "requests.exceptions.ReadTimeout: model-registry: Read timed out. (read timeout=60)"
        ),
    ),
    "data": (
        Fault(
            "dataloader",
            "pyarrow.lib.ArrowInvalid: Could not open Parquet input source: part-0{rank}.parquet",
        ),
        Fault(
            "dataloader", "ValueError: column 'dwell_ms' has 3 values where the schema of the table says 4"
        ),
        Fault(
            "dataloader",
            "RuntimeError: loss is NaN for 50 steps in a row at step {step}; last shard day=17/part-88",
        ),
    ),
    "oom": (
        Fault(
            "gpu",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.25 GiB. GPU {rank} has a total "
            "capacity of 79.11 GiB of which 1.02 GiB is free.",
            False,
        ),
        Fault(
            "host",
            "oom-kill:constraint=CONSTRAINT_MEMCG, Memory cgroup out of memory: Killed process {step}",
        ),
    ),
    "hang": (
        Fault(
            "trainer",
            "No step finished for 30 minutes at step {step}; stack of rank {rank} dumped, attempt aborted",
        ),
        Fault(
            "nccl", "[Rank {rank}] heartbeat monitor: watchdog thread is stuck, possible hang at step {step}"
        ),
    ),
    "user_code": (
        Fault(
            "trainer",
            'Traceback (most recent call last):\n  File "train.py", line 412, in <module>\n    main(cfg)\n'
            '  File "train.py", line 288, in main\n    loss = model(batch)\n'
            "TypeError: forward() missing 1 required positional argument: 'mask'",
            False,
        ),
        Fault(
            "trainer",
            'Traceback (most recent call last):\n  File "model/head.py", line 77, in forward\n'
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4096x512 and 768x1)",
            False,
        ),
        Fault("trainer", "KeyError: 'optimizer.param_groups.1.lr' while reading the config"),
    ),
    "unknown": (
        Fault("launcher", "worker {rank} exited with code 1", False),
        Fault("launcher", "process terminated unexpectedly", False),
    ),
}

# Seconds from the end of an attempt to the next one: (shortest, longest).
DOWNTIME_S: dict[str, tuple[float, float]] = {
    "preemption": (300, 2700),
    "hardware": (180, 1200),
    "network": (90, 420),
    "storage": (240, 1500),
    "scheduler": (300, 1800),
    "service": (180, 1200),
    "data": (900, 5400),
    "oom": (600, 4200),
    "hang": (120, 600),
    "user_code": (900, 7200),
    "lost": (960, 2400),
    "unknown": (180, 900),
}

# How often an interruption comes before the first batch.
EARLY = {"scheduler": 0.6, "service": 0.35, "user_code": 0.5, "storage": 0.15, "data": 0.15, "hardware": 0.06}
# How often nobody starts the job again.
GIVEN_UP = {"user_code": 0.22, "oom": 0.15, "data": 0.12, "lost": 0.06, "unknown": 0.05}


def describe(rng: Random, category: str, rank: int, host: str, step: int) -> dict[str, Any]:
    """The further fields of a failure event; about half of the senders leave the category to the rules."""
    fault = rng.choice(FAULTS[category])
    fields: dict[str, Any] = {
        "component": fault.component,
        "message": fault.message.format(rank=rank, host=host, step=max(step, 1)),
    }
    if fault.named:
        fields["category"] = category
    if category == "oom" and fault.component == "host":
        fields["infra"] = False
    return fields
