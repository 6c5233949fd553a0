"""Moments sketches that Python builds of arrays have exact sums, or bounds that hold."""

import math
import random
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from chronosketch.sketch import Sketch, SketchError
from chronosketch.sketch.moments.building import moments_of

WHOLE = {
    "small": (0, 5),
    "of both signs": (-1000, 100_000),
    "all of BIGINT": (-(2**63), 2**63 - 1),
    "near the greatest": (2**63 - 5000, 2**63 - 1),
}


@pytest.mark.parametrize("ends", WHOLE.values(), ids=WHOLE)
def test_sums_of_built_whole_numbers_are_exact(ends):
    rng = random.Random(1)
    values = [rng.randint(*ends) for _ in range(500)]
    copies = [rng.randint(0, 3) for _ in values]
    for built, counted in (
        (moments_of(np.array(values, np.int64)), [1] * 500),
        (moments_of(np.array(values, np.int64), copies), copies),
    ):
        pairs = list(zip(values, counted, strict=True))
        assert built.tally.sums == tuple(sum(n * x**power for x, n in pairs) for power in range(1, 5))
        assert Sketch.from_bytes(built.to_bytes()) == built


DOUBLES = {
    "normal": lambda rng: rng.gauss(0, 1),
    "far from 0": lambda rng: rng.gauss(1e9, 1),
    "up to the greatest": lambda rng: rng.uniform(-1, 1) * 1e308,
    "of all sizes": lambda rng: math.exp(rng.gauss(0, 200)),
    "two that cancel": lambda rng: rng.choice([1e308, -1e308, 5e-324]),
    "the least": lambda rng: 5e-324 * rng.randint(0, 9),
    "equal": lambda rng: 0.1,
}


@pytest.mark.parametrize("draw", DOUBLES.values(), ids=DOUBLES)
def test_bounds_of_built_doubles_contain_the_exact_moments(draw):
    rng = random.Random(1)
    values = [draw(rng) for _ in range(777)]
    built = Sketch.from_bytes(moments_of(np.array(values)).to_bytes())
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    truth = {"sum": sum(exact), "mean": mean, "variance": sum((x - mean) ** 2 for x in exact) / 776}
    for name, value in truth.items():
        bounds = built.moment_bounds(name)
        assert math.isinf(bounds.lower) or Fraction(bounds.lower) <= value
        assert math.isinf(bounds.upper) or value <= Fraction(bounds.upper)


def test_built_moments_of_special_values():
    assert moments_of([]).count == 0
    assert moments_of([None, 2.5]).count == 1
    assert moments_of([float("inf"), 1.0]).mean() == math.inf
    assert math.isnan(moments_of([float("nan"), 1.0]).mean())
    with pytest.raises(SketchError, match="UNSUPPORTED_TYPE"):
        moments_of([date(2026, 1, 1)])
