"""Which days a page looks at, and what an hour of a job weighs: all of it in the URL."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from urllib.parse import urlencode

RANGES = {"7d": 7, "30d": 30, "60d": 60, "90d": 90}
DEFAULT_RANGE = "30d"


class Weight(StrEnum):
    """Whether an hour counts once, or once for each GPU that was held."""

    GPU = "gpu"
    WALL = "wall"

    @property
    def unit(self) -> str:
        """What sums of time are counted in."""
        return "GPU-hours" if self is Weight.GPU else "hours"

    @property
    def time(self) -> str:
        """What shares are shares of."""
        return "GPU time" if self is Weight.GPU else "wall time"


@dataclass(frozen=True, slots=True)
class Window:
    """The UTC days up to and with `last`, and as many before them to compare with."""

    range: str
    weight: Weight
    last: date

    @classmethod
    def from_query(cls, query: Mapping[str, str], today: date) -> "Window":
        """What the URL asks for; an unknown value means the default."""
        range_, weight = query.get("range", ""), query.get("weight", "")
        return cls(
            range_ if range_ in RANGES else DEFAULT_RANGE,
            Weight.WALL if weight == Weight.WALL else Weight.GPU,
            today,
        )

    @property
    def length(self) -> int:
        return RANGES[self.range]

    @property
    def first(self) -> date:
        return self.last - timedelta(days=self.length - 1)

    @property
    def previous_first(self) -> date:
        return self.first - timedelta(days=self.length)

    @property
    def days(self) -> list[date]:
        """Each day of the range, oldest first."""
        return [self.first + timedelta(days=n) for n in range(self.length)]

    @property
    def previous_days(self) -> list[date]:
        """Each day of the period before, oldest first."""
        return [self.previous_first + timedelta(days=n) for n in range(self.length)]

    @property
    def query(self) -> str:
        """The query string that leads here again."""
        return urlencode({"range": self.range, "weight": self.weight})

    def ranges(self) -> list["Window"]:
        """The same view over each range on offer."""
        return [replace(self, range=name) for name in RANGES]

    def weights(self) -> list["Window"]:
        """The same view with each weight on offer."""
        return [replace(self, weight=weight) for weight in Weight]
