"""Sums, means and other moments of a column are those of each of its sketches."""

import math
import random
from datetime import date
from decimal import Decimal
from fractions import Fraction

import golden
import mutations
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from chronosketch import arrow
from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.summed import decode_summed
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from chronosketch.sketch.moments.bounds import MOMENTS
from chronosketch.sketch.summed import SummedQuantileSketch
from hypothesis import given
from hypothesis import strategies as st

GOLDEN = [None, *golden.stored().values()]
NUMBERS = {
    "sum": lambda s: s.sum(),
    "exact_sum": lambda s: s.exact_sum,
    "mean": lambda s: s.mean(),
    "variance": lambda s: s.variance(),
    "stddev": lambda s: s.stddev(),
    "skewness": lambda s: s.skewness(),
    "kurtosis": lambda s: s.kurtosis(),
}


def alone(one, row):
    """Return the answer to the bytes of one row; None for a NULL row and one that cannot answer."""
    try:
        return None if row is None else one(Sketch.from_bytes(row))
    except ChronosketchError:
        return None


def assert_same(found, asked):
    assert list(map(repr, found)) == list(map(repr, asked))


@pytest.mark.parametrize("name", NUMBERS)
def test_columns_of_golden_files_have_the_answers_of_each_sketch(name):
    asked = [alone(NUMBERS[name], row) for row in GOLDEN]
    found = getattr(arrow, name)(GOLDEN, errors="null").to_pylist()
    if name == "exact_sum":
        assert found == asked
    else:
        assert_same(found, asked)
    # sums of doubles are not exact
    assert sum(one is not None for one in asked) > (5 if name == "exact_sum" else 15)


@pytest.mark.parametrize("name", ["variance", "stddev"])
def test_a_population_is_not_a_sample(name):
    asked = [alone(lambda s: getattr(s, name)(population=True), row) for row in GOLDEN]
    assert_same(getattr(arrow, name)(GOLDEN, population=True, errors="null").to_pylist(), asked)
    one = [Sketch.build([7], sum=True).to_bytes()]
    function = getattr(arrow, name)
    assert (function(one).to_pylist(), function(one, population=True).to_pylist()) == ([None], [0.0])


@pytest.mark.parametrize("moment", MOMENTS)
def test_bounds_of_moments_are_those_of_each_sketch(moment):
    asked = [alone(lambda s: s.moment_bounds(moment), row) for row in GOLDEN]
    found = arrow.moment_bounds(GOLDEN, moment, errors="null")
    assert_same(found.to_pylist(), [None if one is None else one._asdict() for one in asked])


@pytest.mark.parametrize("tail", [None, "high", "low", "both"])
def test_sums_of_whole_numbers_and_decimals_are_exact(tail):
    chance = random.Random(46)
    whole = [[chance.randrange(-(1 << 63), 1 << 63) for _ in range(n)] for n in (1, 2, 3000)]
    cents = [[Decimal(chance.randrange(10**17)).scaleb(-2) for _ in range(n)] for n in (1, 2, 3000)]
    for groups, kind in ((whole, "bigint"), (cents, "decimal(18, 2)")):
        column = [Sketch.build(g, 0.01, type=kind, tail=tail, sum=True).to_bytes() for g in groups]
        sums = [sum(Fraction(value) for value in group) for group in groups]
        assert [Fraction(found) for found in arrow.exact_sum(column).to_pylist()] == sums
        assert arrow.sum(column).to_pylist() == list(map(float, sums))
        assert arrow.mean(column).to_pylist() == [
            float(s / len(g)) for s, g in zip(sums, groups, strict=True)
        ]
    # the greatest possible sum has 39 digits
    most = Sketch.build([(1 << 63) - 1], frequency=[(1 << 63) - 1], sum=True).to_bytes()
    assert int(arrow.exact_sum([most])[0].as_py()) == ((1 << 63) - 1) ** 2
    least = Sketch.build([Decimal(1).scaleb(-18)], type="decimal(18, 18)", tail=tail, sum=True).to_bytes()
    assert arrow.exact_sum([least]).to_pylist() == [Decimal(1).scaleb(-18)]


def test_floats_nan_and_infinities():
    inf, nan = math.inf, math.nan
    groups = ([0.1] * 10, [1.5, inf], [-inf, inf], [1.0, nan], [-0.0], [1e308, 1e308, -1e308])
    for kind in ("double", "float"):
        column = [
            Sketch.build(g, type=kind, sum=True).to_bytes() for g in groups[: 6 if kind == "double" else 5]
        ]
        for name in ("sum", "mean", "variance"):
            asked = [NUMBERS[name](Sketch.from_bytes(row)) for row in column]
            assert_same(getattr(arrow, name)(column).to_pylist(), asked)
        assert arrow.exact_sum(column).null_count == len(column)
    assert arrow.sum([Sketch.build(groups[1], sum=True).to_bytes()]).to_pylist() == [inf]


def test_null_empty_and_no_rows():
    empty = [Sketch.build([], type=kind, sum=True).to_bytes() for kind in ("int", "double")]
    for name in NUMBERS:
        function = getattr(arrow, name)
        assert function([None, *empty]).to_pylist() == [None] * 3
        assert function([]).type == function(empty).type
        assert len(function(pa.chunked_array([], pa.binary()))) == 0
    assert arrow.moment_bounds([None, empty[0]], "sum").to_pylist() == [None, None]
    assert arrow.moment_bounds([None, empty[0]], "count").to_pylist()[1]["value"] == 0.0


def test_columns_of_any_form():
    rows = [Sketch.build([1, 2], sum=True).to_bytes(), None, Sketch.build([5], sum=True).to_bytes()]
    column = pa.array(rows, pa.binary())
    forms = [
        tuple(rows),
        column,
        pa.chunked_array([column[:1], column[1:]]),
        pl.Series(rows),
        pd.Series(rows),
    ]
    for form in forms:
        assert arrow.sum(form).to_pylist() == [3.0, None, 5.0]


@pytest.mark.parametrize("tail", [None, "high"])
@pytest.mark.parametrize("name", [*NUMBERS, "moment_bounds"])
def test_sketches_without_sums_are_refused_with_what_to_build(name, tail):
    some = Sketch.build([1.5, 2.5, 9.0], 0.01, tail=tail, sum=True).to_bytes()
    plain = Sketch.build([1.5, 2.5, 9.0], 0.01, tail=tail).to_bytes()
    given = ("mean",) if name == "moment_bounds" else ()
    with pytest.raises(arrow.RowError) as error:
        getattr(arrow, name)([some, None, plain], *given)
    assert (error.value.row, error.value.condition) == (2, "CHRONOSKETCH_NO_SUMS")
    arguments = f"value, epsilon => 0.01, {'' if tail is None else f'tail => {tail!r}, '}sum => true"
    assert f"arrow.{name} needs the sums" in str(error.value)
    assert f"quantile_sketch_agg({arguments})" in str(error.value)
    found = getattr(arrow, name)([some, plain], *given, errors="null")
    assert found.is_valid().to_pylist() == [name != "exact_sum", False]


def test_other_families_are_refused_by_name():
    for row in (DDSketch.build([1]).to_bytes(), Sketch.build([date(2026, 1, 1)]).to_bytes()):
        with pytest.raises(arrow.RowError, match=r"Row 0: arrow\.mean"):
            arrow.mean([row])
    with pytest.raises(arrow.RowError, match="NOT_A_SKETCH"):
        arrow.sum([b"CSV,with,commas"])
    with pytest.raises(ChronosketchError, match=r"UNKNOWN_MOMENT.*arrow\.moment_bounds"):
        arrow.moment_bounds([None], "median", errors="null")
    with pytest.raises(ValueError, match="'raise' or 'null'"):
        arrow.sum([], errors="skip")


def test_windows_of_moments_have_estimates_with_bounds():
    window_of_moments = 15
    rows = [row for row in GOLDEN if row is not None and row[golden.FAMILY_AT] == window_of_moments]
    bounds = [row for row in arrow.moment_bounds(rows, "sum").to_pylist() if row is not None]
    sums = [one for one in arrow.sum(rows).to_pylist() if one is not None]
    assert len(sums) == 3
    for one, total in zip(bounds, sums, strict=True):
        assert math.isnan(total) or one["lower"] <= total <= one["upper"]


def test_quantile_sketches_with_sums_are_decoded_together():
    """Otherwise the other tests would compare sketches with themselves."""
    rows = GOLDEN[1:]
    (batch,) = batches(chunked(rows))
    found = {int(row) for profiles, _ in decode_summed(batch) for row in profiles.rows}
    sketches = [Sketch.from_bytes(row) for row in rows]
    assert found == {i for i, s in enumerate(sketches) if s.number == SummedQuantileSketch.number and s.count}
    assert len(found) > 5


@pytest.mark.parametrize("seed", range(20))
def test_changed_bytes_are_refused_as_by_single_sketches(seed):
    chance = random.Random(seed)
    files = [row for row in mutations.files() if row[golden.FAMILY_AT] == SummedQuantileSketch.number]
    rows = [mutations.changed(chance, files) for _ in range(300)]
    known = [alone(lambda s: True, row) or False for row in rows]
    assert arrow.is_sketch(rows).to_pylist() == known
    for name in ("sum", "variance"):
        asked = [alone(NUMBERS[name], row) for row in rows]
        assert_same(getattr(arrow, name)(rows, errors="null").to_pylist(), asked)
    asked = [alone(lambda s: s.quantile(0.9, "double"), row) for row in rows]
    assert_same(arrow.quantile(rows, 0.9, errors="null").to_pylist(), asked)


values = st.one_of(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(-5, 5), st.floats())


@given(
    st.lists(
        st.tuples(
            st.lists(values, max_size=40), st.sampled_from([0, 0.01, 0.3]), st.sampled_from([None, "high"])
        ),
        max_size=10,
    )
)
def test_any_sketches(parts):
    rows = []
    for some, epsilon, tail in parts:
        try:
            rows.append(Sketch.build(some, epsilon, tail=tail, sum=True).to_bytes())
        except ChronosketchError:
            rows.append(None)
    for name in ("sum", "mean", "kurtosis"):
        asked = [alone(NUMBERS[name], row) for row in rows]
        assert_same(getattr(arrow, name)(rows).to_pylist(), asked)
    assert arrow.count(rows, errors="null").to_pylist() == [alone(lambda s: s.count, row) for row in rows]
