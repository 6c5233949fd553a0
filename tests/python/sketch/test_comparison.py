"""Distances of two sketches contain the exact ones of their values."""

import math
import random
from bisect import bisect_right
from fractions import Fraction

import pytest
from chronosketch import ChronosketchError
from chronosketch.sketch import Sketch, comparison


def values_of(rng):
    """Return random values: of few kinds or many, whole numbers or floats."""
    n = rng.choice([1, 3, 50, 400])
    draw = rng.choice(
        [
            lambda: rng.randrange(5),
            lambda: rng.randrange(-(1 << 62), 1 << 62),
            lambda: rng.lognormvariate(0, 2),
            lambda: rng.paretovariate(1),
        ]
    )
    return [draw() for _ in range(n)]


def pairs():
    """Return pairs of lists of values of one type, with an epsilon for each."""
    rng = random.Random(46)
    while True:
        a, b = values_of(rng), values_of(rng)
        if type(a[0]) is type(b[0]):
            yield a, b, rng.choice([0, 0.01, 0.1, 0.3]), rng.choice([0, 0.05])


CASES = [case for case, _ in zip(pairs(), range(150), strict=False)]


def share(ordered, x):
    return Fraction(bisect_right(ordered, x), len(ordered))


@pytest.mark.parametrize(("a", "b", "left", "right"), CASES)
def test_bounds_contain_the_exact_distances(a, b, left, right):
    one, other = Sketch.build(a, epsilon=left), Sketch.build(b, epsilon=right)
    points = sorted({*a, *b})
    a, b = sorted(a), sorted(b)
    gaps = [abs(share(a, x) - share(b, x)) for x in points]
    found = comparison.ks(one, other)
    exact = float(max(gaps))
    assert found.low <= exact <= found.high
    assert found.low <= found.distance <= found.high
    area = sum(g * (Fraction(y) - Fraction(x)) for g, x, y in zip(gaps, points, points[1:], strict=False))
    moved = comparison.wasserstein(one, other)
    assert Fraction(moved.low) <= area <= Fraction(moved.high)
    assert moved.low <= moved.value <= moved.high
    index = comparison.psi(one, other, bins=4)
    assert 0 <= index.low <= index.value <= index.high
    if left == right == 0:
        assert found.low == found.distance == found.high == exact
        assert found.at == (points[gaps.index(max(gaps))] if exact else None)
        assert moved.high - moved.low <= 1e-12 * moved.high


def test_equal_infinities_are_not_apart_and_nan_has_no_distance():
    one = Sketch.build([1.0, math.inf])
    assert comparison.wasserstein(one, one).high == 0
    assert comparison.wasserstein(one, Sketch.build([1.0, 2.0])).low == math.inf
    assert math.isnan(comparison.wasserstein(one, Sketch.build([math.nan])).value)
    assert comparison.ks(one, one) == comparison.Distance(0, 0, 0, None)
    assert comparison.ks(one, Sketch.build([], type="double")) is None


def test_types_are_widened_or_refused():
    one, other = Sketch.build([1, 2, 3], type="int"), Sketch.build([1.0, 2.0, 3.0])
    assert comparison.ks(one, other).high == 0
    with pytest.raises(ChronosketchError, match=r"VALUE_TYPES_DIFFER.* sketch_cast\(sketch, type\)"):
        comparison.ks(Sketch.build([1], type="bigint"), other)
    with pytest.raises(ValueError, match="from 2 to 10000"):
        comparison.psi(one, other, bins=1)
