"""The order in which benchmarks run their contestants."""

import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

pytestmark = pytest.mark.classic

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")


@pytest.fixture(scope="module")
def turns():
    """Import the function from the modules of the benchmarks, which are not in the package."""
    sys.path.insert(0, BENCHMARKS)
    try:
        from harness.rounds import turns

        yield turns
    finally:
        sys.path.remove(BENCHMARKS)


@pytest.mark.parametrize("contestants", range(13))
def test_each_round_runs_each_contestant_once(turns, contestants):
    for nth in range(2 * contestants):
        assert sorted(turns(range(contestants), nth)) == list(range(contestants))


@pytest.mark.parametrize("contestants", range(2, 13))
def test_each_contestant_follows_each_other_and_has_each_place_equally_often(turns, contestants):
    rounds = [
        turns(range(contestants), nth) for nth in range(2 * contestants if contestants % 2 else contestants)
    ]
    follows = Counter(pair for order in rounds for pair in pairwise(order))
    places = Counter((place, contestant) for order in rounds for place, contestant in enumerate(order))
    assert len(follows) == contestants * (contestants - 1)
    assert len(set(follows.values())) == 1
    assert len(places) == contestants**2
    assert len(set(places.values())) == 1
