"""The orders of phases."""

from itertools import pairwise

from ett.phases import is_known, is_training, progress, recency


def test_any_l3_of_a_known_l2_is_known_and_no_other_phase_is() -> None:
    assert is_known("train")
    assert is_known("train.something_new")
    assert not is_known("warp")
    assert not is_known("warp.train")
    assert not is_known("training")


def test_training_is_the_bare_phase_and_all_below_it() -> None:
    assert is_training("train")
    assert is_training("train.eval")
    assert not is_training("trainer")
    assert not is_training(None)


def test_ranks_advance_from_scheduling_to_shutdown_and_stalls_hold_training_back() -> None:
    walk = [
        *("scheduling", "scheduling.queue", "hardware_setup", "hardware_setup.image_pull"),
        *("launcher_init", "launcher_init.device_init", "launcher_init.checkpoint_load", "launcher_init.abc"),
        *("pt2_compile", "pt2_compile.recompile", "train.checkpoint_save", "train.eval", "train.aaa"),
        *("train", "shutdown", "shutdown.final_checkpoint", "shutdown.cleanup"),
        *("shutdown.aaa", "shutdown.bbb"),
    ]
    assert all(progress(slower) < progress(faster) for slower, faster in pairwise(walk))


def test_of_phases_that_start_together_the_deeper_then_the_later_one_is_charged() -> None:
    rising = [
        *("scheduling", "train", "shutdown", "scheduling.queue", "launcher_init.device_init"),
        *("launcher_init.checkpoint_load", "launcher_init.abc", "launcher_init.abd", "train.eval"),
    ]
    assert all(recency(loser) < recency(winner) for loser, winner in pairwise(rising))
