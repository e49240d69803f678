"""From open phases to the one phase that is charged at each instant."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ett.phases import progress, recency
from ett.stretches import Interval, Stretch


class Charged(NamedTuple):
    """A stretch charged to a phase of a rank, or to none."""

    start: int
    end: int
    phase: str | None
    rank: int | None


class Claim(NamedTuple):
    """A phase that wants to be charged for a stretch; of several, the least claim is."""

    claim: tuple[int, int]
    start: int
    end: int
    phase: str
    rank: int


def charged(stretches: Sequence[Stretch], bounds: Interval) -> tuple[Charged, ...]:
    """What is charged from one bound to the other, without a gap."""
    return tuple(_merged(_filled(_settle(_claims_of_ranks(stretches)), bounds)))


def _claims_of_ranks(stretches: Sequence[Stretch]) -> Iterator[Claim]:
    """What each rank is at, as its claim among the ranks: the least advanced one counts."""
    names = {stretch.phase for stretch in stretches}
    newest, slowest = _places(names, recency), _places(names, progress)
    by_rank: defaultdict[int, list[Claim]] = defaultdict(list)
    for start, end, phase, rank, began in stretches:
        # Within a rank the phase that started last counts.
        by_rank[rank].append(Claim((-began, -newest[phase]), start, end, phase, rank))
    for claims in by_rank.values():
        for won in _settle(claims):
            yield won._replace(claim=(slowest[won.phase], won.rank))


def _places(names: Iterable[str], order: Callable[[str], Any]) -> dict[str, int]:
    """The place of each phase in an order."""
    return {name: place for place, name in enumerate(sorted(names, key=order))}


def _settle(claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims cut to what each of them wins, in order of time."""
    waiting = sorted(claims, key=attrgetter("start"), reverse=True)
    standing: list[Claim] = []
    now = 0
    while waiting or standing:
        if not standing:
            now = waiting[-1].start
        while waiting and waiting[-1].start <= now:
            heapq.heappush(standing, waiting.pop())
        while standing and standing[0].end <= now:
            heapq.heappop(standing)
        if standing:
            until = min(standing[0].end, waiting[-1].start) if waiting else standing[0].end
            yield standing[0]._replace(start=now, end=until)
            now = until


def _filled(won: Iterable[Claim], bounds: Interval) -> Iterator[Charged]:
    """The charged stretches with uncharged ones between them."""
    reached = bounds.start
    for _, start, end, phase, rank in won:
        if reached < start:
            yield Charged(reached, start, None, None)
        yield Charged(start, end, phase, rank)
        reached = end
    if reached < bounds.end:
        yield Charged(reached, bounds.end, None, None)


def _merged(pieces: Iterable[Charged]) -> Iterator[Charged]:
    """Neighbours that are charged alike, joined."""
    last: Charged | None = None
    for piece in pieces:
        if last is None:
            last = piece
        elif (last.phase, last.rank) == (piece.phase, piece.rank):
            last = last._replace(end=piece.end)
        else:
            yield last
            last = piece
    if last is not None:
        yield last
