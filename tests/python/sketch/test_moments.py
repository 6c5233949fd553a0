"""Moments and comoments in Python match the values."""

import math
from fractions import Fraction
from statistics import correlation, linear_regression

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.moments import ieee
from chronosketch.sketch.moments.bounds import MOMENTS
from chronosketch.sketch.moments.comoments import ComomentsSketch
from chronosketch.sketch.moments.double_tally import DoubleTally
from chronosketch.sketch.moments.sketch import MomentsSketch
from chronosketch.sketch.moments.whole_pairs import WholePairs, WholeSide
from chronosketch.sketch.moments.whole_tally import WholeTally
from hypothesis import given, settings
from hypothesis import strategies as st

LONGS = st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)
BIGINT = Header(Domain(Kind.BIGINT), ())
DOUBLE = Header(Domain(Kind.DOUBLE), ())


def whole(values):
    sketch = MomentsSketch(BIGINT, None)
    return sketch.merge(*(MomentsSketch(BIGINT, WholeTally.equal(1, value)) for value in values))


def floating(values):
    sketch = MomentsSketch(DOUBLE, None)
    keys = map(doubles.key, values)
    return sketch.merge(*(MomentsSketch(DOUBLE, DoubleTally.equal(1, key)) for key in keys))


def exact(values, moment):
    """Return a moment of integers, or its square if it is a root."""
    n, mean = len(values), Fraction(sum(values), len(values))
    if moment in ("count", "sum", "mean"):
        return {"count": n, "sum": sum(values), "mean": mean}[moment]
    return sum((value - mean) ** 2 for value in values) / (n if moment.endswith("pop") else n - 1)


@settings(deadline=None)
@given(st.lists(LONGS, min_size=2))
def test_moments_of_whole_numbers_are_the_nearest_doubles_and_within_their_bounds(values):
    sketch = Sketch.from_bytes(whole(values).to_bytes())
    assert sketch == whole(reversed(values))
    assert (sketch.min(), sketch.max(), sketch.exact_sum) == (min(values), max(values), sum(values))
    for moment in MOMENTS:
        value, lower, upper = sketch.moment_bounds(moment)
        number = exact(values, moment)
        if moment.startswith("stddev"):
            assert Fraction(lower) ** 2 <= number <= Fraction(upper) ** 2
            assert value == pytest.approx(math.sqrt(number), rel=1e-15)
        else:
            assert Fraction(lower) <= number <= Fraction(upper)
            assert value == float(number)


@settings(deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=2))
def test_moments_of_doubles_are_within_their_bounds(values):
    sketch = Sketch.from_bytes(floating(values).to_bytes())
    numbers = list(map(Fraction, values))
    for moment in MOMENTS:
        value, lower, upper = sketch.moment_bounds(moment)
        power = 2 if moment.startswith("stddev") else 1
        assert lower <= value <= upper
        assert Fraction(lower) ** power <= exact(numbers, moment) <= Fraction(upper) ** power


@settings(deadline=None)
@given(st.lists(st.floats(), min_size=1), st.lists(st.floats(), min_size=1))
def test_doubles_that_are_merged_are_the_same_in_either_order(left, right):
    assert floating(left).merge(floating(right)) == floating(right).merge(floating(left))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2))
def test_comoments_are_those_of_the_pairs(pairs):
    sketch = ComomentsSketch(BIGINT, BIGINT.domain, None)
    for y, x in pairs:
        one = WholePairs(1, WholeSide(y, y, y, y * y), WholeSide(x, x, x, x * x), x * y)
        sketch = sketch.merge(ComomentsSketch(BIGINT, BIGINT.domain, one))
    sketch = Sketch.from_bytes(sketch.to_bytes())
    ys, xs = zip(*pairs, strict=True)
    n = len(pairs)
    products = sum(Fraction(x * y) for y, x in pairs) - Fraction(sum(xs) * sum(ys), n)
    assert sketch.covar() == float(products / (n - 1))
    assert sketch.covar(population=True) == float(products / n)
    if len(set(xs)) == 1:
        assert (sketch.slope(), sketch.intercept(), sketch.corr(), sketch.r2()) == (None,) * 4
        return
    line = linear_regression(xs, ys)
    assert sketch.slope() == pytest.approx(line.slope)
    assert sketch.intercept() == pytest.approx(line.intercept)
    if len(set(ys)) == 1:
        assert (sketch.corr(), sketch.r2()) == (None, 1.0)
    else:
        assert sketch.corr() == pytest.approx(correlation(xs, ys), abs=1e-12)
        assert sketch.r2() == pytest.approx(sketch.corr() ** 2)


@settings(deadline=None)
@given(st.floats(), st.floats(), st.floats())
def test_fma_is_rounded_once(a, b, c):
    fused = ieee.fma(a, b, c)
    if not all(map(math.isfinite, (a, b, c))):
        assert str(fused) == str(a * b + c) or math.isinf(c)
        return
    number = Fraction(a) * Fraction(b) + Fraction(c)
    if math.isfinite(fused):
        for other in (math.nextafter(fused, math.inf), math.nextafter(fused, -math.inf)):
            if math.isfinite(other):
                assert abs(Fraction(fused) - number) <= abs(Fraction(other) - number)
    else:
        assert abs(number) > ieee.MOST


def test_refusals_have_their_conditions():
    with pytest.raises(ChronosketchError, match="UNKNOWN_MOMENT"):
        whole([1]).moment_bounds("median")
    with pytest.raises(ChronosketchError, match="VALUE_TYPES_DIFFER"):
        whole([1]).merge(floating([1.0]))
    with pytest.raises(ChronosketchError, match="QUESTION_NOT_ANSWERED"):
        whole([1]).corr()
    largest = MomentsSketch(BIGINT, WholeTally.equal(2**63 - 1, 1))
    with pytest.raises(ChronosketchError, match="COUNT_OVERFLOW"):
        largest.merge(whole([1]))


def test_an_empty_sketch_has_no_moments():
    for sketch in (whole([]), floating([])):
        assert (sketch.sum(), sketch.mean(), sketch.variance(), sketch.skewness(), sketch.min()) == (
            None,
        ) * 5
        assert sketch.moment_bounds("count") == (0, 0, 0)


# Checksums of the JVM's unions of these sketches, by Summary.merge.
MERGED = {
    ("moments_double", "moments_float"): "c54a57dc",
    ("moments_float", "moments_double"): "c54a57dc",
    ("moments_huge", "moments_double"): "2d597491",
    ("moments_double", "moments_specials"): "034d7cb2",
    ("moments_equal", "moments_whole"): "76946fb7",
    ("comoments_double", "comoments_double"): "3f151208",
    ("comoments_whole", "comoments_whole"): "b104b5af",
}


@pytest.mark.parametrize(("left", "right"), MERGED)
def test_stored_sketches_merge_to_the_bytes_that_the_jvm_makes(left, right):
    merged = Sketch.from_bytes(golden.stored()[left]).merge(Sketch.from_bytes(golden.stored()[right]))
    assert merged.to_bytes()[-4:].hex() == MERGED[left, right]
