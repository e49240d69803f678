"""Sums of time by bucket, and the shares they make; shares are shown in tenths of a percent that add up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ett.buckets import Bucket

# While a job waits for machines or stands still after a failure, no accelerator is held.
NOT_HELD = frozenset({Bucket.SCHEDULING, Bucket.DOWNTIME})
WHOLE = 1000  # tenths of a percent


@dataclass(frozen=True, slots=True)
class Totals:
    """What some jobs spent some days on, in µs of wall or GPU time."""

    buckets: Mapping[Bucket, int] = field(default_factory=dict)
    failure: int = 0
    jobs: int = 0

    @property
    def wall(self) -> int:
        return sum(self.buckets.values())

    @property
    def effective(self) -> int:
        return self.buckets.get(Bucket.EFFECTIVE, 0)

    @property
    def lost(self) -> int:
        """Time on accelerators that were held and trained nothing that was kept."""
        return self.wall - self.effective - sum(self.buckets.get(bucket, 0) for bucket in NOT_HELD)

    @property
    def ett_ratio(self) -> float | None:
        """Share of the time spent on training that was kept; None if there was no time."""
        return self.ratio(Bucket.EFFECTIVE)

    def ratio(self, bucket: Bucket) -> float | None:
        """A bucket's share of all time; None if there was no time."""
        return self.buckets.get(bucket, 0) / self.wall if self.wall else None

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(
            {bucket: self.buckets.get(bucket, 0) + other.buckets.get(bucket, 0) for bucket in Bucket},
            self.failure + other.failure,
            self.jobs + other.jobs,
        )


def add_up(parts: Iterable[Totals]) -> Totals:
    """All of them as one: durations are added, never percentages."""
    return sum(parts, Totals())


@dataclass(frozen=True, slots=True)
class Shares:
    """Tenths of a percent as shown: the buckets add up to 100.0 %, and so do ETT, Idleness and Failure."""

    buckets: Mapping[Bucket, int]
    idleness: int
    failure: int

    @property
    def ett(self) -> int:
        return self.buckets[Bucket.EFFECTIVE]

    def cause(self, name: str) -> int:
        """ETT, Idleness or Failure."""
        return {"ETT": self.ett, "Idleness": self.idleness, "Failure": self.failure}[name]


def shares(totals: Totals) -> Shares | None:
    """The shares to show; None where there was no time."""
    if not totals.wall:
        return None
    ett = round(WHOLE * totals.effective / totals.wall)
    failure = min(round(WHOLE * totals.failure / totals.wall), WHOLE - ett)
    rest = dict(totals.buckets)
    rest.pop(Bucket.EFFECTIVE, None)
    tenths = {Bucket.EFFECTIVE: ett} | _apportion(rest, WHOLE - ett, totals.wall)
    return Shares({bucket: tenths.get(bucket, 0) for bucket in Bucket}, WHOLE - ett - failure, failure)


def _apportion(parts: Mapping[Bucket, int], seats: int, whole: int) -> dict[Bucket, int]:
    """Round parts of a whole so that they add up to `seats`: the largest remainders are rounded up."""
    exact = {bucket: WHOLE * n / whole for bucket, n in parts.items()}
    rounded = {bucket: int(n) for bucket, n in exact.items()}
    by_remainder = sorted(parts, key=lambda bucket: rounded[bucket] - exact[bucket])
    missing = seats - sum(rounded.values())
    for bucket in by_remainder[: max(missing, 0)]:
        rounded[bucket] += 1
    for bucket in [bucket for bucket in reversed(by_remainder) if rounded[bucket]][: max(-missing, 0)]:
        rounded[bucket] -= 1
    return rounded
