"""Quantile sketches built in Python keep their guarantees."""

import math
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import mutations
import numpy as np
import pyarrow as pa
import pytest
from chronosketch.sketch import ChronosketchError, Sketch, SketchError
from hypothesis import given
from hypothesis import strategies as st

DOUBLES = st.floats() | st.sampled_from([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0])
PHIS = [0, 0.07, 0.5, 0.99, 1, Decimal("0.3")]


def in_sql_order(value):
    return (True, 0) if value != value else (False, value)


@given(st.lists(DOUBLES, min_size=1), st.sampled_from([0, 1e-6, 0.01, 0.1, 0.5]))
def test_answers_are_within_their_bounds_and_epsilon(values, epsilon):
    sketch = Sketch.build(values, epsilon)
    ordered = sorted(values, key=in_sql_order)
    n = len(ordered)
    assert sketch.count == n
    assert sketch.rank_error <= epsilon
    assert repr(sketch.min()) == repr(ordered[0] + 0.0)
    assert repr(sketch.max()) == repr(ordered[-1] + 0.0)
    for phi in PHIS:
        rank = max(1, math.ceil(Fraction(str(phi)) * n))
        exact = ordered[rank - 1]
        low, high = sketch.bounds(phi)
        assert in_sql_order(low) <= in_sql_order(exact) <= in_sql_order(high)
        answer = in_sql_order(sketch.quantile(phi))
        below = sum(in_sql_order(value) < answer for value in ordered)
        at_most = sum(in_sql_order(value) <= answer for value in ordered)
        assert below + 1 - epsilon * n <= rank <= at_most + epsilon * n
    assert Sketch.from_bytes(sketch.to_bytes()) == sketch


@given(st.lists(st.integers(-100, 100), min_size=1), st.integers(-120, 120))
def test_ranks_are_within_their_bounds(values, point):
    sketch = Sketch.build(values, 0.2)
    low, high = sketch.rank_bounds(point)
    assert low <= sum(value <= point for value in values) <= high
    assert low <= sketch.rank(point) <= high
    assert sum(sketch.pmf([-10, 0.5, 7])) == pytest.approx(1)
    assert sketch.cdf([200]) == [1]


UTC = timezone.utc


@pytest.mark.parametrize(
    ("values", "sql"),
    [
        ([3, 1, 2], "BIGINT"),
        ([0.5, 0.25, 0.75], "DOUBLE"),
        ([Decimal("1.50"), Decimal("0.25"), Decimal("2.00")], "DECIMAL(18,2)"),
        ([date(2026, 1, 2), date(1, 1, 1), date(9999, 12, 31)], "DATE"),
        ([datetime(2026, 1, 2, 3, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)], "TIMESTAMP"),
        ([datetime(2026, 1, 2, 3, 4, 5, 6), datetime(1, 1, 1)], "TIMESTAMP_NTZ"),
        ([timedelta(days=-1), timedelta(microseconds=1)], "INTERVAL DAY TO SECOND"),
        ([time(23, 59, 59, 999999), time(0)], "TIME(6)"),
    ],
)
def test_values_come_back_as_they_were_given(values, sql):
    sketch = Sketch.from_bytes(Sketch.build([None, *values]).to_bytes())
    assert sketch.value_type == sql
    assert (sketch.min(), sketch.max(), sketch.count) == (min(values), max(values), len(values))
    assert sketch.rank(max(values)) == len(values)


@pytest.mark.parametrize(
    ("given_type", "values", "asked", "bounds"),
    [
        ("double", [0.1], "decimal(9, 3)", (Decimal("0.100"), Decimal("0.101"))),
        ("double", [-0.5], "int", (-1, 0)),
        ("bigint", [2**53 + 1], "double", (2.0**53, 2.0**53 + 2)),
        ("bigint", [2**24 + 1], "float", (2.0**24, 2.0**24 + 2)),
        ("double", [1e300], "float", (3.4028234663852886e38, float("inf"))),
        ("decimal(4, 2)", [Decimal("9.99")], "tinyint", (9, 10)),
        ("interval year to month", [14], "interval year to month", (14, 14)),
    ],
)
def test_bounds_are_rounded_outward(given_type, values, asked, bounds):
    assert Sketch.build(values, type=given_type).bounds(0.5, asked) == bounds


def test_an_epsilon_of_minus_zero_is_zero():
    stored = Sketch.build(range(5000), epsilon=0.0).to_bytes()
    assert Sketch.build(range(5000), epsilon=-0.0).to_bytes() == stored
    signed = bytearray(stored)
    signed[14] = 0x80
    assert Sketch.from_bytes(mutations.sealed(signed)).to_bytes() == stored


@pytest.mark.parametrize(
    ("ask", "condition"),
    [
        (lambda: Sketch.build([1]).quantile(1.5), "INVALID_PHI"),
        (lambda: Sketch.build([1]).quantile(float("nan")), "INVALID_PHI"),
        (lambda: Sketch.build([1], epsilon=0.6), "PARAMETER_OUT_OF_RANGE"),
        (lambda: Sketch.build([1], type="text"), "INVALID_TYPE_NAME"),
        (lambda: Sketch.build(["x"]), "UNSUPPORTED_TYPE"),
        (lambda: Sketch.build([True]), "UNSUPPORTED_TYPE"),
        (lambda: Sketch.build([1, date(2026, 1, 1)]), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([2**63]), "VALUE_OUT_OF_RANGE"),
        (lambda: Sketch.build([300], type="tinyint"), "VALUE_OUT_OF_RANGE"),
        (lambda: Sketch.build([0.5], type="int"), "UNSUPPORTED_TYPE"),
        (lambda: Sketch.build([Decimal("0.125")], type="decimal(9, 2)"), "UNSUPPORTED_TYPE"),
        (lambda: Sketch.build([date(2026, 1, 1)]).quantile(0.5, "double"), "VALUE_NOT_CONVERTIBLE"),
        (lambda: Sketch.build([1e30]).quantile(0.5, "bigint"), "VALUE_OUT_OF_RANGE"),
        (lambda: Sketch.build([1]).rank(date(2026, 1, 1)), "VALUE_NOT_COMPARABLE"),
        (lambda: Sketch.build([1]).cdf([2, 1]), "INVALID_POINTS"),
        (lambda: Sketch.build([1]).pmf([1, 1.0]), "INVALID_POINTS"),
    ],
)
def test_each_refusal_has_its_condition(ask, condition):
    with pytest.raises(ChronosketchError) as refused:
        ask()
    assert isinstance(refused.value, SketchError)
    assert refused.value.condition == f"CHRONOSKETCH_{condition}"
    assert "<" not in refused.value.sentences.replace("<held>", "")


def test_values_that_python_cannot_represent_are_refused():
    far = Sketch.build([datetime(9999, 12, 31, 23, tzinfo=UTC)])
    far.tuples.keys[0] += 3_600_000_000
    for question in (far.min, lambda: far.quantile(0.5), lambda: far.bounds(0.5)):
        with pytest.raises(ChronosketchError, match="VALUE_OUT_OF_RANGE"):
            question()
    assert far.count == 1


def test_an_empty_sketch_has_no_answers():
    sketch = Sketch.build([], type="date")
    assert (sketch.count, sketch.min(), sketch.max(), sketch.quantile([0.5]), sketch.bounds(1)) == (
        0,
        None,
        None,
        [None],
        None,
    )
    assert (sketch.rank(date(2026, 1, 1)), sketch.cdf([]), sketch.rank_error) == (None, None, None)
    assert Sketch.from_bytes(sketch.to_bytes()).value_type == "DATE"


def test_a_question_of_no_family_is_an_attribute_error():
    assert not hasattr(Sketch.build([1]), "no_such_question")


@pytest.mark.parametrize("data", ["CHRS", 5, None, [67, 72], 1.5])
def test_what_has_no_bytes_is_refused(data):
    with pytest.raises(TypeError, match="where the bytes of a sketch belong"):
        Sketch.from_bytes(data)


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview, pa.scalar, pa.py_buffer])
def test_bytes_of_any_form_are_read(form):
    sketch = Sketch.build([3, 1, 2])
    assert Sketch.from_bytes(form(sketch.to_bytes())) == sketch


def test_merging_names_what_it_takes():
    sketch = Sketch.build([1])
    for other in ([sketch], sketch.to_bytes(), None):
        with pytest.raises(TypeError, match=r"Sketch\.merge_all takes a list"):
            sketch.merge(other)
    with pytest.raises(TypeError, match=r"Sketch\.merge_all\(\[sketch\]\)"):
        Sketch.merge_all(sketch)


@pytest.mark.parametrize("phi", [np.float32(0.07), np.float16(0.07), np.array(0.07), Decimal("0.07")])
def test_a_short_float_of_numpy_is_the_number_that_it_shows(phi):
    assert Sketch.build(range(1, 101)).quantile(phi) == 7


@pytest.mark.parametrize("phi", [None, "0.5", [None], [[0.5]]])
def test_a_phi_is_a_number(phi):
    with pytest.raises(TypeError, match=r"phi is a number in \[0, 1\] or a sequence of them, not"):
        Sketch.build([1]).quantile(phi)


def test_times_of_numpy_have_ranks():
    days = Sketch.build([date(1969, 12, 31), date(2026, 1, 2)])
    assert days.rank(np.datetime64("1970-01-01")) == 1
    assert Sketch.build([timedelta(hours=1)]).rank(np.timedelta64(1, "h")) == 1
    with pytest.raises(ChronosketchError, match="VALUE_NOT_COMPARABLE"):
        days.rank(np.datetime64("1970-01-01T00"))
    with pytest.raises(ChronosketchError, match="UNSUPPORTED_TYPE"):
        days.rank(np.timedelta64("NaT"))
