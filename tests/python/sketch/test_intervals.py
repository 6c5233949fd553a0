"""Confidence intervals of quantiles contain those of the values themselves, and have exact ranks."""

import math
import random
from datetime import date
from decimal import Decimal
from fractions import Fraction

import golden
import pytest
from chronosketch import ChronosketchError
from chronosketch.sketch import DDSketch, Sketch, comparison
from chronosketch.sketch.comparison.binomial import BinomialRanks, normal_quantile
from chronosketch.sketch.rank import Phi

PHIS = [0, 0.001, 0.1, 0.5, 0.9, 0.99, 1]


def chances(n, phi):
    """Return the probabilities of 0 to n elements at or below the quantile."""
    p = Phi(phi).share
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("phi", [0, 0.1, 0.5, 0.7, 1])
def test_ranks_are_those_of_exact_arithmetic(n, phi):
    each = chances(n, phi)
    for tail in (0.25, 0.05, 0.005):
        ranks = BinomialRanks(n, Phi(phi))
        below = max(r for r in range(n + 1) if sum(each[:r]) <= Fraction(tail))
        above = min(r for r in range(n + 2) if sum(each[r:]) <= Fraction(tail))
        assert (ranks.low(tail), ranks.high(tail)) == (below, above)


def test_ranks_of_many_rows_are_at_most_two_further_out():
    """Compare with scipy.stats.binom. The expansion is one or two ranks further out."""
    ranks = BinomialRanks(10_000_000, Phi(0.0001))
    assert (ranks.low(0.005), ranks.high(0.005)) == (919, 1083)
    ranks = BinomialRanks(1_000_000, Phi(0.5))
    assert 499018 <= ranks.low(0.025) <= 499020
    assert 500981 <= ranks.high(0.025) <= 500983


def test_normal_quantiles():
    # scipy.stats.norm.isf
    known = {0.5: 0.0, 0.025: 1.959963984540054, 1e-5: 4.264890793922825, 1e-15: 7.941345326170997}
    for tail, z in known.items():
        assert normal_quantile(tail) == pytest.approx(z, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_an_interval_contains_that_of_the_values(seed):
    rng = random.Random(seed)
    kinds = [lambda: rng.randrange(5), lambda: rng.randrange(10**6), lambda: round(rng.gauss(0, 50))]
    draw = rng.choice(kinds)
    a, b = ([draw() for _ in range(rng.choice([1, 6, 60, 900]))] for _ in range(2))
    effect, confidence = rng.choice([1, 1.7, 40, 0.5]), rng.choice([0.5, 0.9, 0.95])
    for epsilon in (0, 0.02, 0.2):
        one, other = Sketch.build(a, epsilon, "int"), Sketch.build(b, 0, "int")
        exact = Sketch.build(a, 0, "int")
        ours = comparison.quantile_interval(one, PHIS, confidence, effect)
        theirs = comparison.quantile_interval(exact, PHIS, confidence, effect)
        for found, of_values in zip(ours, theirs, strict=True):
            for low, high in ((found.low, of_values.low), (of_values.high, found.high)):
                assert (low is None) == (high is None)
                assert low is None or low <= high
            assert found.low is None or found.low <= found.value
            assert found.high is None or found.value <= found.high
        ours = comparison.quantile_difference(one, other, PHIS, confidence, effect)
        theirs = comparison.quantile_difference(exact, other, PHIS, confidence, effect)
        for found, of_values in zip(ours, theirs, strict=True):
            for low, high in ((found.low, of_values.low), (of_values.high, found.high)):
                assert low is None or low <= high + 1e-15 * (abs(high) + abs(of_values.value))
            assert found.p_value >= of_values.p_value * (1 - 1e-6)
            outside = any(
                end is not None and sign * end > 0 for end, sign in ((found.low, 1), (found.high, -1))
            )
            assert (found.p_value <= 1 - confidence) == outside or math.isclose(
                found.p_value, 1 - confidence, rel_tol=1e-5
            )


def test_intervals_have_the_type_of_the_values_and_ddsketches_have_wider_ones():
    days = Sketch.build([date(2026, 1, day) for day in range(1, 31)])
    assert comparison.quantile_interval(days, 0.5).low == date(2026, 1, 10)
    halves = Sketch.build([Decimal(k) / 2 for k in range(100)])
    found = comparison.quantile_interval(halves, Decimal("0.5"), type="int")
    assert (found.low, found.high) == (19, 30)
    bins = DDSketch.build(map(float, range(1, 101)), 0.1)
    found = comparison.quantile_interval(bins, 0.5)
    assert found.low <= 40
    assert found.high >= 61
    assert comparison.quantile_interval(Sketch.build([], type="int"), [0.5, 1]) == [None, None]
    assert comparison.quantile_difference(halves, Sketch.build([], type="int"), 0.5) is None


INF, NAN, LARGE = math.inf, math.nan, 2.0**1023


@pytest.mark.parametrize(
    ("a", "b", "value", "low", "high"),
    [
        ([INF], [1.0], INF, INF, INF),
        ([INF], [-INF], INF, INF, INF),
        ([1.0], [INF], -INF, -INF, -INF),
        # the median may be infinite, and need not
        ([1.0, INF], [3.0], -2.0, -2.0, INF),
        ([3.0], [1.0, INF], 2.0, -INF, 2.0),
        ([-INF, 1.0], [3.0], -INF, -INF, -2.0),
        ([1.0, INF], [-INF, 1.0], INF, 0.0, INF),
        ([INF], [INF], NAN, -INF, INF),
        ([1.0, NAN], [3.0], -2.0, -2.0, NAN),
        ([NAN], [INF], NAN, NAN, NAN),
        ([1e308], [-1e308, 1e308], INF, 0.0, INF),
        # the difference is above the greatest double, and one end is not: 3 - √(0.75² + 1²) = 1.75
        ([0.75 * LARGE, *[1.5 * LARGE] * 2], [*[-1.5 * LARGE] * 2, -0.5 * LARGE], INF, 1.75 * LARGE, INF),
        ([*[-1.5 * LARGE] * 2, -0.5 * LARGE], [0.75 * LARGE, *[1.5 * LARGE] * 2], -INF, -INF, -1.75 * LARGE),
    ],
)
def test_differences_of_infinite_and_undefined_values(a, b, value, low, high):
    one, other = (Sketch.build(values * (40 // len(values))) for values in (a, b))
    found = comparison.quantile_difference(one, other, 0.5)
    assert repr((found.value, found.low, found.high)) == repr((value, low, high))
    assert (found.p_value < 0.05) == (low > 0 or high < 0)


def test_differences_of_large_whole_numbers_and_decimals_are_rounded_once():
    def difference(a, b, type_a, type_b):
        one, other = Sketch.build([a] * 20, type=type_a), Sketch.build([b] * 20, type=type_b)
        found = comparison.quantile_difference(one, other, 0.5, 0.9)
        assert found.low == found.value == found.high
        return found.value

    assert difference(2**62 + 1, 2**62, "bigint", "bigint") == 1
    assert difference(2**63 - 1, -(2**63), "bigint", "bigint") == 2.0**64
    assert difference(Decimal("0.3"), Decimal("0.1"), "decimal(9,1)", "decimal(9,2)") == 0.2
    assert difference(1, 0.75, "int", "double") == 0.25


def refused(ask, *given, **named):
    with pytest.raises(ChronosketchError) as error:
        ask(*given, **named)
    return error.value.condition.removeprefix("CHRONOSKETCH_")


def test_what_has_no_interval_is_refused_with_a_condition():
    some, days = Sketch.build([1, 2, 3]), Sketch.build([date(2026, 1, 1)])
    interval, difference = comparison.quantile_interval, comparison.quantile_difference
    assert refused(interval, some, 0.5, 0.4) == "PARAMETER_OUT_OF_RANGE"
    assert refused(interval, some, 1.5) == "INVALID_PHI"
    assert refused(difference, days, days, 0.5) == "NOT_NUMBERS"
    for effect in (0, -1, math.nan, math.inf, 10**400):
        assert refused(interval, some, 0.5, design_effect=effect) == "INVALID_DESIGN_EFFECT"
    with pytest.raises(TypeError, match="design_effect"):
        interval(some, 0.5, design_effect="4")
    stored = golden.stored()
    window = Sketch.from_bytes(stored["window_in_order"]).window("1 minute")
    if window.count_bounds[0] != window.count_bounds[1]:
        assert refused(interval, window, 0.5) == "COUNT_IN_DOUBT"
    moments = Sketch.from_bytes(stored["moments_double"])
    for ask in (comparison.ks, comparison.ks_p_value, comparison.psi, comparison.wasserstein):
        assert refused(ask, some, moments) == "QUESTION_NOT_ANSWERED"
    assert refused(interval, moments, 0.5) == "QUESTION_NOT_ANSWERED"
    assert refused(difference, some, moments, 0.5) == "QUESTION_NOT_ANSWERED"
