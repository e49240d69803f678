"""How long a process that died is waited for."""

from ettdash.launcher.supervisor import wait_before_restart


def test_first_death_is_mended_at_once_and_later_ones_ever_more_slowly() -> None:
    assert [wait_before_restart(deaths) for deaths in range(1, 9)] == [0.1, 1, 2, 4, 8, 16, 30, 30]
