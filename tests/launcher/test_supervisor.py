"""How long a process that died is waited for."""

from ettdash.launcher.supervisor import wait_before_restart


def test_process_that_was_up_is_mended_at_once_and_one_that_does_not_come_up_ever_more_slowly() -> None:
    assert [wait_before_restart(failed) for failed in range(8)] == [0.1, 1, 2, 4, 8, 16, 30, 30]
