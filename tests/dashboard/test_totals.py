"""Shares that add up."""

import random

from dashboard.totals import Totals, add_up, shares
from ett.buckets import Bucket


def test_no_time_has_no_shares() -> None:
    assert shares(Totals()) is None
    assert Totals().ett_ratio is None


def test_shown_shares_add_up_to_a_hundred_percent_whatever_the_sums() -> None:
    chance = random.Random(3)
    for _ in range(500):
        buckets = {bucket: chance.choice([0, 1, chance.randrange(10**15)]) for bucket in Bucket}
        wasted = sum(buckets.values()) - buckets[Bucket.EFFECTIVE]
        shown = shares(Totals(buckets, failure=chance.randint(0, wasted)))
        if shown:
            assert sum(shown.buckets.values()) == 1000
            assert shown.ett + shown.idleness + shown.failure == 1000
            assert min([*shown.buckets.values(), shown.idleness, shown.failure]) >= 0


def test_shown_shares_are_within_a_tenth_of_the_exact_ones() -> None:
    buckets = {bucket: 10 + 7 * place for place, bucket in enumerate(Bucket)}
    totals = Totals(buckets)
    shown = shares(totals)
    assert shown
    for bucket in Bucket:
        assert abs(shown.buckets[bucket] - 1000 * buckets[bucket] / totals.wall) <= 1


def test_lost_leaves_out_time_without_accelerators() -> None:
    spent = {
        Bucket.EFFECTIVE: 50,
        Bucket.SCHEDULING: 10,
        Bucket.DOWNTIME: 15,
        Bucket.UNSAVED: 20,
        Bucket.STALLED: 5,
    }
    assert Totals(spent).lost == 25


def test_the_ett_of_several_is_a_ratio_of_sums() -> None:
    large = Totals({Bucket.EFFECTIVE: 900, Bucket.STALLED: 100})
    small = Totals({Bucket.EFFECTIVE: 0, Bucket.STALLED: 100})
    assert add_up([large, small]).ett_ratio == 900 / 1100
