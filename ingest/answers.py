"""What is answered to a batch."""

from typing import Annotated

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0)]


class EventError(Struct, frozen=True, gc=False):
    """What is wrong with one event of a batch."""

    index: Count
    id: str | None
    code: str
    field: str
    message: str


class BatchAnswer(Struct, frozen=True, gc=False):
    """What became of a batch: accepted events are committed."""

    accepted: Count
    duplicates: Count
    rejected: Count
    errors: list[EventError]
