"""Who never answers holds up nobody for long, and is asked once."""

from itertools import count
from threading import Event

from ettdash.telemetry.patient import Patient


def test_what_was_read_is_kept_for_a_while() -> None:
    numbers = count()
    kept = Patient(lambda: next(numbers), patience_s=5.0, fresh_s=60.0)
    assert [kept.latest(), kept.latest()] == [0, 0]
    eager = Patient(lambda: next(numbers), patience_s=5.0, fresh_s=0.0)
    assert [eager.latest(), eager.latest()] == [1, 2]


def test_no_answer_in_time_is_none_until_it_comes() -> None:
    answer, asked = Event(), []

    def read() -> str:
        asked.append(1)
        answer.wait()
        return "here"

    patient = Patient(read, patience_s=0.05, fresh_s=60.0)
    assert [patient.latest(), patient.latest()] == [None, None]
    assert len(asked) == 1
    answer.set()
    patient._patience_s = 30.0
    assert patient.latest() == "here"
