"""The shares of values at or below a point, with their bounds."""

import math
from bisect import bisect_right

import golden
import pytest
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from chronosketch.sketch.description import ShareBounds
from hypothesis import given
from hypothesis import strategies as st

numbers = st.one_of(
    st.integers(-5, 5).map(float), st.sampled_from([250.0, math.inf, -math.inf, math.nan]), st.floats()
)
builders = [
    lambda values: Sketch.build(values, 0.1),
    lambda values: Sketch.build(values, 0.1, tail="high"),
    lambda values: Sketch.build(values, 0.1, tail="both"),
    lambda values: DDSketch.build(values, 0.05),
    lambda values: DDSketch.build(values, 0.05).merge(DDSketch.build(values, 0.05)),
]


def rank_of(value):
    """Return a key that sorts as Spark does: NaN is above all numbers."""
    return (value != value, 0.0 if value != value else value)


@given(st.lists(numbers, min_size=1, max_size=60), st.lists(numbers, min_size=1, max_size=5), st.data())
def test_the_exact_share_is_within_the_bounds(values, points, data):
    sketch = data.draw(st.sampled_from(builders))(values)
    ordered = sorted(map(rank_of, values))
    points = sorted({rank_of(point) for point in points})
    asked = [math.nan if is_nan else value for is_nan, value in points]
    found = sketch.cdf_bounds(asked)
    assert [one.share for one in found] == sketch.cdf(asked)
    for point, (share, low, high) in zip(points, found, strict=True):
        assert 0 <= low <= bisect_right(ordered, point) / len(ordered) <= high <= 1
        assert low <= share <= high
    assert [one.share for one in found] == sorted(one.share for one in found)


def test_one_point_several_and_none():
    sketch = Sketch.build(range(1, 101))
    assert sketch.cdf_bounds(42.5) == ShareBounds(0.42, 0.42, 0.42)
    assert [one.high for one in sketch.cdf_bounds([10, 50])] == [0.1, 0.5]
    assert sketch.cdf_bounds([]) == []
    assert Sketch.build([]).cdf_bounds(1) is None
    with pytest.raises(ChronosketchError, match="INVALID_POINTS"):
        sketch.cdf_bounds([2, 1])


def test_a_family_without_ranks_is_refused_by_name():
    sketch = Sketch.from_bytes(golden.stored()["moments_double"])
    with pytest.raises(ChronosketchError, match="QUESTION_NOT_ANSWERED"):
        sketch.cdf_bounds(1)
    assert not hasattr(sketch, "cdf_bounds")


def test_the_share_of_a_value_that_many_have_is_exact_if_the_bins_beside_it_are_empty():
    below = [10.0 * i for i in range(10)]
    above = [1000.0 * i for i in range(1, 25)]
    sketch = DDSketch.build([*below, *[250.0] * 6, *above])
    assert sketch.cdf_bounds(250) == ShareBounds(0.4, 0.25, 0.4)
    assert sketch.rank(250) == 16
    assert sketch.pmf([240, 250]) == [0.25, 0.15, 0.6]
    capped = DDSketch.build([*below, *[1000.0] * 30])
    assert capped.cdf([999, 1000]) == [0.25, 1.0]


def test_the_share_of_a_value_among_evenly_spread_ones_is_the_middle_of_its_bounds():
    sketch = DDSketch.build([1 + i / 1000 for i in range(20_000)], 0.02)
    for point in (2.0, 3.21, 7.77, 15.5):
        low, high = sketch.rank_bounds(point)
        assert sketch.rank(point) == pytest.approx((low + high) / 2, abs=0.05 * (high - low) + 1)
