"""Posting: what time can heal is tried again, what it cannot is told."""

import threading

import pytest

from ettdash.demo.post import Client, PostError, StoppedError, seconds
from tests.demo.scripted import Reply, Scripted, scripted

EVENTS = [{"id": "one"}, {"id": "two"}]


def client_of(server: Scripted, patience_s: float = 20.0) -> Client:
    return Client(
        server.url,
        lambda team, refused: f"{team}-{'new' if refused else 'kept'}",
        threading.Event(),
        patience_s,
    )


def test_events_arrive_whole_with_the_teams_token_on_one_connection() -> None:
    with scripted() as server:
        client = client_of(server)
        for _ in range(3):
            client.post_events("ads", EVENTS)
    assert [request.body for request in server.requests] == [EVENTS] * 3
    assert {request.path for request in server.requests} == {"/api/v1/events"}
    assert {request.token for request in server.requests} == {"ads-kept"}
    assert len({request.port for request in server.requests}) == 1


@pytest.mark.parametrize(
    "refusal", [Reply(429, {"Retry-After": "0"}), Reply(503, {"Retry-After": "0"}), Reply(502), Reply(0)]
)
def test_what_time_can_heal_is_posted_again(refusal: Reply) -> None:
    with scripted(refusal, refusal) as server:
        client_of(server).post_events("ads", EVENTS)
    assert [request.body for request in server.requests] == [EVENTS] * 3


def test_a_refused_token_is_replaced_once() -> None:
    with scripted(Reply(401)) as server:
        client_of(server).post_events("ads", EVENTS)
    assert [request.token for request in server.requests] == ["ads-kept", "ads-new"]


@pytest.mark.parametrize("replies", [[Reply(401), Reply(401)], [Reply(403)], [Reply(413)], [Reply(500)]])
def test_a_refusal_that_stays_is_told(replies: list[Reply]) -> None:
    with scripted(*replies) as server, pytest.raises(PostError, match=str(replies[-1].status)):
        client_of(server).post_events("ads", EVENTS)


def test_a_product_that_stays_away_is_given_up_after_the_patience() -> None:
    with scripted() as server:
        gone = client_of(server, patience_s=0.0)
    with pytest.raises(PostError, match="could not be reached"):
        gone.post_events("ads", EVENTS)


def test_refused_events_are_counted_with_the_first_reason() -> None:
    errors = [{"index": 0, "code": "too_old"}, {"index": 1, "code": "bad_ts"}]
    answer = {"accepted": 0, "duplicates": 0, "rejected": 2, "errors": errors}
    with scripted(
        Reply(200, body={**answer, "accepted": 5, "duplicates": 1}), Reply(422, body=answer)
    ) as server:
        client = client_of(server)
        client.post_events("ads", EVENTS)
        client.post_events("ads", EVENTS)
    counts = client.counts
    assert (counts.accepted, counts.duplicates, counts.rejected) == (5, 1, 4)
    assert "too_old" in counts.first_error


def test_a_stop_ends_the_waiting() -> None:
    stop = threading.Event()
    with scripted(*[Reply(503, {"Retry-After": "30"})] * 5) as server:
        client = Client(server.url, lambda team, _refused: team, stop)
        threading.Timer(0.1, stop.set).start()
        with pytest.raises(StoppedError):
            client.post_events("ads", EVENTS)


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(PostError, match="no address"):
        Client("127.0.0.1:8000", lambda team, _refused: team, threading.Event())


def test_retry_after_is_read_in_seconds_only() -> None:
    assert [seconds(header) for header in ("3", "0.5", "-1", None, "Wed, 21 Oct 2026 07:28:00 GMT")] == [
        3.0, 0.5, 0.0, None, None,
    ]  # fmt: skip
