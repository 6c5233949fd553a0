"""Unions keep what their parts promise, and what does not go together is refused."""

import math
import pickle
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import golden
import pytest
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from hypothesis import given, settings
from hypothesis import strategies as st

VALUES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=60),
    st.lists(st.integers(0, 5), max_size=60),
    st.tuples(st.integers(0, 400), st.integers(1, 50)).map(lambda p: [i % p[1] * i for i in range(p[0])]),
)
EPSILONS = st.sampled_from([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5])
PHIS = [0, 0.1, 0.5, 0.9, 1]


@settings(max_examples=150)
@given(st.lists(st.tuples(VALUES, EPSILONS), min_size=2, max_size=5))
def test_a_union_is_within_the_largest_epsilon(parts):
    first, *others = [Sketch.build(values, epsilon, type="bigint") for values, epsilon in parts]
    union = first.merge(*others)
    epsilon = max(epsilon for _, epsilon in parts)
    ordered = sorted(value for values, _ in parts for value in values)
    n = len(ordered)
    assert union.count == n
    assert Sketch.from_bytes(union.to_bytes()) == union
    if n == 0:
        return
    assert (union.min(), union.max()) == (ordered[0], ordered[-1])
    assert union.rank_error <= epsilon
    for phi in PHIS:
        rank = max(1, math.ceil(Fraction(str(phi)) * n))
        low, high = union.bounds(phi)
        assert low <= ordered[rank - 1] <= high
        answer = union.quantile(phi)
        below, at_most = (sum(v < answer for v in ordered), sum(v <= answer for v in ordered))
        assert below + 1 - epsilon * n <= rank <= at_most + epsilon * n
        low, high = union.rank_bounds(answer)
        assert low <= at_most <= high


DOUBLES = st.lists(st.floats() | st.sampled_from([0.0, 5e-324, 1.7976931348623157e308, -1.0]), max_size=40)


@settings(max_examples=150)
@given(DOUBLES, DOUBLES, st.sampled_from([1e-4, 0.01, 0.5]))
def test_a_ddsketch_is_within_alpha_of_the_value(left, right, alpha):
    union = DDSketch.of(left, alpha, "double").merge(DDSketch.of(right, alpha, "double"))
    assert union == DDSketch.of([*right, *left], alpha, "double")
    ordered = sorted(left + right, key=lambda v: (True, 0) if v != v else (False, v))
    for phi in PHIS if ordered else []:
        exact = ordered[max(1, math.ceil(Fraction(str(phi)) * len(ordered))) - 1]
        answer = union.quantile(phi)
        if math.isfinite(exact):
            assert abs(Fraction(answer) - Fraction(exact)) <= Fraction(alpha) * abs(Fraction(exact))
        else:
            assert repr(answer) == repr(exact)


def sketch_of_huge_count():
    return Sketch.from_bytes(golden.stored()["huge_counts"])


@pytest.mark.parametrize(
    ("merge", "condition"),
    [
        (lambda: Sketch.build([1]).merge(Sketch.build([1.5])), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([1]).merge(Sketch.build([date(2026, 1, 1)])), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([Decimal("1.5")]).merge(Sketch.build([Decimal(1)])), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([1]).merge(DDSketch.of([1])), "FAMILIES_DIFFER"),
        (lambda: DDSketch.of([1], 0.1).merge(DDSketch.of([1], 0.2)), "ALPHAS_DIFFER"),
        (lambda: DDSketch.of([timedelta(1)]), "NO_RELATIVE_ERROR"),
        (lambda: DDSketch.of([1], 0.9), "PARAMETER_OUT_OF_RANGE"),
        (lambda: sketch_of_huge_count().merge(Sketch.build([1])), "COUNT_OVERFLOW"),
    ],
)
def test_what_does_not_go_together_is_refused(merge, condition):
    with pytest.raises(ChronosketchError, match=f"CHRONOSKETCH_{condition}") as refused:
        merge()
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


@pytest.mark.parametrize(
    ("full", "empty"),
    [
        (Sketch.build([1, 2], epsilon=0.01), Sketch.build([], epsilon=0.2)),
        (Sketch.build([1, 2]), Sketch.build([], type="date")),
        (DDSketch.of([1, 2], 0.1), DDSketch.of([], 0.2)),
    ],
)
def test_an_empty_sketch_is_neutral_whatever_its_parameters(full, empty):
    for union in (full.merge(empty), empty.merge(full), empty.merge(full, empty)):
        assert union.to_bytes() == full.to_bytes()
    fresh = type(full).from_bytes(empty.to_bytes())
    assert fresh.merge(empty) == empty
    other = (
        Sketch.build([], epsilon=0.3) if isinstance(full, type(Sketch.build([]))) else DDSketch.of([], 0.3)
    )
    assert empty.merge(other).to_bytes() == other.merge(empty).to_bytes()
    assert empty.merge(other) in (empty, other)


def test_types_widen():
    assert Sketch.build([1], type="tinyint").merge(Sketch.build([2])).value_type == "BIGINT"
    assert Sketch.build([1], type="float").merge(Sketch.build([0.1])).value_type == "DOUBLE"
    with pytest.raises(TypeError, match="from_bytes"):
        Sketch.build([1]).merge(Sketch.build([2]).to_bytes())


def test_a_refusal_names_the_call():
    with pytest.raises(ChronosketchError, match=r"DDSketch\.of was given alpha = 0\.9"):
        DDSketch.of([1], 0.9)
    with pytest.raises(ChronosketchError, match=r"Sketch\.merge can't merge a ddsketch of alpha 0\.1"):
        DDSketch.of([1], 0.1).merge(DDSketch.of([1], 0.2))
