"""Comparisons of columns have the same answers as those of each two sketches."""

import math
from dataclasses import asdict
from datetime import date

import golden
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from chronosketch import arrow
from chronosketch.sketch import ChronosketchError, Sketch, comparison

GOLDEN = list(golden.stored().values())


def alone(ask, *rows):
    """Return the answer to the bytes of some rows; None for NULL rows and rows that cannot answer."""
    if None in rows:
        return None
    try:
        found = ask(*map(Sketch.from_bytes, rows))
    except ChronosketchError:
        return None
    if not isinstance(found, list):
        return found and asdict(found)
    return None if None in found else [asdict(one) for one in found]


QUESTIONS = {
    "ks": ((), {"type": "double"}),
    "ks_p_value": ((), {}),
    "psi": ((), {"bins": 4}),
    "wasserstein": ((), {}),
    "quantile_difference": (([0.5, 0.9],), {"confidence": 0.9, "design_effect": 2}),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_columns_of_golden_files_have_the_answers_of_each_pair(name):
    given, named = QUESTIONS[name]
    one, many = getattr(comparison, name), getattr(arrow, name)
    left, right = [None, *GOLDEN], [*reversed(GOLDEN), None]
    asked = [alone(lambda a, b: one(a, b, *given, **named), a, b) for a, b in zip(left, right, strict=True)]
    assert repr(many(left, right, *given, **named, errors="null").to_pylist()) == repr(asked)
    reference = Sketch.build([1.5, 2.5, 99.0]).to_bytes()
    asked = [alone(lambda a, b: one(a, b, *given, **named), a, reference) for a in left]
    found = many(pa.array(left, pa.binary()), reference, *given, **named, errors="null")
    assert repr(found.to_pylist()) == repr(asked)
    assert sum(row is not None for row in asked) > 10


@pytest.mark.parametrize("phi", [0.5, [0.1, 0.9]])
def test_columns_of_golden_files_have_the_intervals_of_each_sketch(phi):
    effects = [1 + i % 3 for i in range(len(GOLDEN))]
    asked = [
        alone(lambda s, d=d: comparison.quantile_interval(s, phi, 0.9, d, "double"), row)
        for row, d in zip(GOLDEN, effects, strict=True)
    ]
    columns = [list, tuple, iter, pa.array, np.array, pd.Series, pl.Series]
    for given in (column(effects) for column in columns):
        found = arrow.quantile_interval(GOLDEN, phi, 0.9, given, errors="null")
        assert repr(found.to_pylist()) == repr(asked)
    assert sum(row is not None for row in asked) > 30


def test_a_missing_design_effect_gives_null():
    some = Sketch.build(range(1, 101)).to_bytes()
    missing = [1.0, None]
    columns = [
        missing,
        pa.array(missing),
        pl.Series(missing),
        pd.Series(missing),
        pd.Series(missing, dtype="Float64"),
        np.ma.masked_invalid([1.0, np.nan]),
    ]
    for effects in columns:
        found = arrow.quantile_interval([some, some], 0.5, design_effect=effects)
        assert found.is_valid().to_pylist() == [True, False]
        found = arrow.quantile_difference(some, [some, some], 0.5, design_effect=effects)
        assert found.is_valid().to_pylist() == [True, False]
    with pytest.raises(ChronosketchError, match="INVALID_DESIGN_EFFECT"):
        arrow.quantile_interval([some, some], 0.5, design_effect=[1.0, math.nan])


def test_answers_have_the_type_that_is_named():
    days = [Sketch.build([date(2026, 1, day) for day in range(first, 31)]).to_bytes() for first in (1, 11)]
    (found,) = arrow.ks(days[:1], days[1], type="date").to_pylist()
    assert (found["distance"], found["at"]) == (pytest.approx(1 / 3), date(2026, 1, 10))
    (found,) = arrow.quantile_interval(days[:1], 0.5, type="date").to_pylist()
    assert found["low"] == date(2026, 1, 10)
    none = arrow.quantile_interval(days, [], type="date")
    assert none.to_pylist() == [[], []]
    assert none.type.value_type == arrow.quantile_interval([], 0.5, type="date").type
    with pytest.raises(arrow.RowError, match=r"arrow\.quantile_interval\(column, 0\.5, type='date'\)"):
        arrow.quantile_interval(days, 0.5)
    with pytest.raises(arrow.RowError, match=r"arrow\.ks\(a, b, 'date'\)"):
        arrow.ks(days, days[0])


def test_an_error_names_the_row_or_the_argument():
    some, moments = Sketch.build([1, 2, 3]).to_bytes(), golden.stored()["moments_double"]
    with pytest.raises(arrow.RowError) as error:
        arrow.wasserstein([some, some], [some, moments])
    assert (error.value.row, error.value.condition) == (1, "CHRONOSKETCH_QUESTION_NOT_ANSWERED")
    assert "arrow.wasserstein" in str(error.value)
    with pytest.raises(ValueError, match="a has 2 rows and b has 1"):
        arrow.ks([some, some], [some])
    with pytest.raises(ValueError, match="design_effect has 1 numbers for 2 rows"):
        arrow.quantile_interval([some, some], 0.5, design_effect=[1.0])
    with pytest.raises(ValueError, match="'raise' or 'null'"):
        arrow.psi(some, some, errors="skip")
    for effect in (0, [2, -1]):
        with pytest.raises(ChronosketchError, match="INVALID_DESIGN_EFFECT"):
            arrow.quantile_interval([some, some], 0.5, design_effect=effect)
