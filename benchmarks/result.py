"""What a benchmark tells: a ratio to a limit or peer that was measured in the same run."""

from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """A speed as the median of ratios to its limit's, round by round."""

    name: str
    limit: str
    ratios: tuple[float, ...]
    wanted: float
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        return median(self.ratios)

    @property
    def reached(self) -> bool:
        return self.ratio >= self.wanted
