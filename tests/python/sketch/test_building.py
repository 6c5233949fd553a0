"""Quantile sketches are built of arrays, series and lists, and are as exact and as small as promised."""

import math
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from certificates import require_certificate
from chronosketch.sketch import ChronosketchError, DDSketch, QuantileSketch, Sketch
from chronosketch.sketch.codec import doubles
from hypothesis import given
from hypothesis import strategies as st

UTC = timezone.utc
NOON = datetime(2026, 1, 2, 12)


@given(
    st.one_of(
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=300),
        st.lists(st.integers(0, 9), min_size=1, max_size=300),
        st.integers(1, 4000).map(lambda n: [i * i % 997 for i in range(n)]),
    ),
    st.sampled_from([0.0, 1e-3, 0.01, 0.1, 0.3, 0.5]),
)
def test_the_certificate_holds(values, epsilon):
    sketch = Sketch.build(values, epsilon)
    require_certificate(sketch, values, epsilon)
    assert len(sketch.tuples) * epsilon <= 3 or sketch.rank_error == 0


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 40)), min_size=1, max_size=200),
    st.sampled_from([0.0, 0.01, 0.1, 0.5]),
)
def test_a_frequency_counts_a_value_several_times(pairs, epsilon):
    values, frequency = zip(*pairs, strict=True)
    repeated = [value for value, n in pairs for _ in range(n)]
    sketch = Sketch.build(values, epsilon, frequency=frequency)
    assert sketch.count == len(repeated)
    if repeated:
        require_certificate(sketch, repeated, epsilon)
    assert DDSketch.build(values, frequency=frequency) == DDSketch.build(repeated, type="bigint")


def test_a_frequency_can_be_huge_and_must_be_a_count():
    sketch = Sketch.build(np.arange(5000), 0.01, frequency=np.full(5000, 2**50))
    assert (sketch.count, sketch.rank_error <= 0.01) == (5000 * 2**50, True)
    assert Sketch.build([1, None, 3], frequency=[None, 5, 2]).count == 2
    for frequency, condition in (
        ([-1, 1], "INVALID_FREQUENCY"),
        ([0.5, 1], "FRACTIONAL_FREQUENCY"),
        ([2**63 - 1, 1], "COUNT_OVERFLOW"),
    ):
        with pytest.raises(ChronosketchError, match=f"CHRONOSKETCH_{condition}") as refused:
            Sketch.build([1, 2], frequency=frequency)
        assert "<" not in refused.value.sentences
    with pytest.raises(ValueError, match="2 values and 3 frequencies"):
        Sketch.build([1, 2], frequency=[1, 1, 1])


COLUMNS = {
    "numpy int8": (np.array([3, 1, 2], np.int8), "TINYINT", 1, 3),
    "numpy uint8": (np.array([3, 1, 255], np.uint8), "SMALLINT", 1, 255),
    "numpy int32": (np.array([3, 1, 2], ">i4"), "INT", 1, 3),
    "numpy uint32": (np.array([3, 1, 2**32 - 1], np.uint32), "BIGINT", 1, 2**32 - 1),
    "numpy uint64": (np.array([3, 1, 2], np.uint64), "BIGINT", 1, 3),
    "numpy float16": (np.array([0.5, 1], np.float16), "FLOAT", 0.5, 1.0),
    "numpy float32": (np.array([0.1, 1], np.float32), "FLOAT", doubles.nearest_float(0.1), 1.0),
    "numpy float64": (np.array([0.1, -0.0]), "DOUBLE", 0.0, 0.1),
    "numpy reversed": (np.arange(4.0)[::-1], "DOUBLE", 0.0, 3.0),
    "numpy days": (np.array(["2026-01-02", "NaT"], "M8[D]"), "DATE", date(2026, 1, 2), date(2026, 1, 2)),
    "numpy seconds": (np.array(["2026-01-02T12", "NaT"], "M8[s]"), "TIMESTAMP_NTZ", NOON, NOON),
    "numpy nanoseconds": (
        np.array(["2026-01-02T12:00:00.000000999"], "M8[ns]"),
        "TIMESTAMP_NTZ",
        NOON,
        NOON,
    ),
    "numpy durations": (
        np.array([90, "NaT"], "m8[m]"),
        "INTERVAL DAY TO SECOND",
        timedelta(minutes=90),
        timedelta(minutes=90),
    ),
    "numpy objects": (
        np.array([Decimal("1.5"), None], object),
        "DECIMAL(18,1)",
        Decimal("1.5"),
        Decimal("1.5"),
    ),
    "list with missing": ([7, None, pd.NA, pd.NaT, np.datetime64("NaT")], "BIGINT", 7, 7),
    "list of timestamps": ([pd.Timestamp(NOON), pd.NaT], "TIMESTAMP_NTZ", NOON, NOON),
    "list of numpy numbers": ([np.float32(0.5), np.int8(3)], "DOUBLE", 0.5, 3.0),
    "range": (range(5), "BIGINT", 0, 4),
    "arrow int16": (pa.array([3, None, 1], pa.int16()), "SMALLINT", 1, 3),
    "arrow slice": (pa.array([9, 3, None, 1, 9], pa.int64())[1:4], "BIGINT", 1, 3),
    "arrow chunks": (pa.chunked_array([[3.5], [], [1.0, None]]), "DOUBLE", 1.0, 3.5),
    "arrow decimals": (
        pa.array([Decimal("9.99"), Decimal("-1.50"), Decimal("1.00"), None], pa.decimal128(9, 2))[1:],
        "DECIMAL(9,2)",
        Decimal("-1.50"),
        Decimal("1.00"),
    ),
    "arrow dictionary": (pa.array([5, 5, 7]).dictionary_encode(), "BIGINT", 5, 7),
    "arrow dates": (pa.array([date(1, 1, 1), None]), "DATE", date(1, 1, 1), date(1, 1, 1)),
    "arrow instants": (
        pa.array([NOON], pa.timestamp("ms", "Europe/Berlin")),
        "TIMESTAMP",
        NOON.replace(tzinfo=UTC),
        NOON.replace(tzinfo=UTC),
    ),
    "arrow times": (pa.array([time(12, 30)], pa.time32("s")), "TIME(6)", time(12, 30), time(12, 30)),
    "arrow nulls": (pa.nulls(3), "DOUBLE", None, None),
    "pandas int64": (pd.Series([3, 1, 2], index=[7, 7, 7]), "BIGINT", 1, 3),
    "pandas Int32": (pd.Series([3, None, 1], dtype="Int32"), "INT", 1, 3),
    "pandas Float64": (pd.Series([3.5, None, 1], dtype="Float64"), "DOUBLE", 1.0, 3.5),
    "pandas NaN": (pd.Series([3.5, math.nan, 1]), "DOUBLE", 1.0, 3.5),
    "pandas objects": (
        pd.Series([Decimal("1.5"), math.nan]),
        "DECIMAL(18,1)",
        Decimal("1.5"),
        Decimal("1.5"),
    ),
    "pandas instants": (
        pd.Series([pd.Timestamp("2026-01-02 13:00", tz="Europe/Berlin"), pd.NaT]),
        "TIMESTAMP",
        NOON.replace(tzinfo=UTC),
        NOON.replace(tzinfo=UTC),
    ),
    "pandas datetimes": (pd.Series([NOON, None]), "TIMESTAMP_NTZ", NOON, NOON),
    "pandas index": (pd.Index([3, 1]), "BIGINT", 1, 3),
    "pandas Arrow": (pd.Series([3, None], dtype=pd.ArrowDtype(pa.int8())), "TINYINT", 3, 3),
    "pandas categories": (pd.Series([3, 1, None]).astype("Int64").astype("category"), "BIGINT", 1, 3),
    "polars": (pl.Series([3, None, 1], dtype=pl.Int16), "SMALLINT", 1, 3),
    "polars datetimes": (pl.Series([NOON, None]), "TIMESTAMP_NTZ", NOON, NOON),
    "polars decimals": (pl.Series([7]).cast(pl.Decimal(18, 2)), "DECIMAL(18,2)", 7, 7),
}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_an_array_or_series_has_the_type_of_its_own_type(name):
    values, sql, least, greatest = COLUMNS[name]
    sketch = Sketch.from_bytes(Sketch.build(values).to_bytes())
    assert (sketch.value_type, sketch.min(), sketch.max()) == (sql, least, greatest)


def test_not_a_number_is_the_greatest_value_unless_pandas_writes_a_missing_value_so():
    nan = float("nan")
    assert math.isnan(Sketch.build([1.0, nan]).max())
    assert math.isnan(Sketch.build(np.array([nan, 1.0])).max())
    assert math.isnan(Sketch.build(pa.array([nan, 1.0])).max())
    assert Sketch.build(pd.Series([nan, 1.0])).count == 1


@pytest.mark.parametrize(
    ("value", "name", "held"),
    [
        (timedelta(hours=25), "interval day", timedelta(hours=24)),
        (timedelta(minutes=61), "interval day to hour", timedelta(hours=1)),
        (13, "interval year", 12),
        (time(1, 2, 3, 500_000), "time(0)", time(1, 2, 3)),
    ],
)
def test_a_value_with_more_fields_or_digits_than_its_type_is_refused(value, name, held):
    for values in ([value], pa.array([value])):
        with pytest.raises(ChronosketchError, match=r"CHRONOSKETCH_UNSUPPORTED_TYPE.*Give values that"):
            Sketch.build(values, type=name)
    assert Sketch.build([held], type=name).max() == held


def test_a_type_is_named_by_text():
    with pytest.raises(ChronosketchError, match="CHRONOSKETCH_INVALID_TYPE_NAME"):
        Sketch.build([1]).cast(None)


def test_an_array_is_cast_to_a_named_type():
    numbers = np.array([3, 1, 2], np.int64)
    assert Sketch.build(numbers, type="double") == Sketch.build([3.0, 1.0, 2.0])
    assert Sketch.build(numbers, type="tinyint") == Sketch.build([3, 1, 2], type="tinyint")
    assert Sketch.build(numbers, type="decimal(5, 2)").max() == Decimal("3.00")
    assert Sketch.build(np.array([0.1]), type="float") == Sketch.build([0.1], type="float")
    for values, name, condition in (
        (np.array([300]), "tinyint", "VALUE_OUT_OF_RANGE"),
        (np.array([0.5]), "int", "UNSUPPORTED_TYPE"),
        (np.array([1]), "date", "UNSUPPORTED_TYPE"),
        (np.array([2**64 - 1], np.uint64), None, "VALUE_OUT_OF_RANGE"),
        (np.array([True]), None, "UNSUPPORTED_TYPE"),
        (np.array(["a"]), None, "UNSUPPORTED_TYPE"),
        (pa.array(["a"]), None, "UNSUPPORTED_TYPE"),
        (pd.Series([True]), None, "UNSUPPORTED_TYPE"),
    ):
        with pytest.raises(ChronosketchError, match=condition):
            Sketch.build(values, type=name)
    for table in (np.zeros((2, 2)), pd.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        with pytest.raises(TypeError, match="values"):
            Sketch.build(table)


def test_a_class_builds_and_reads_its_own_family():
    for kind in (DDSketch, QuantileSketch):
        built = kind.build([1.0, 2.0, 4.0])
        assert type(built) is kind
        assert type(kind.from_bytes(built.to_bytes())) is kind
        assert type(Sketch.from_bytes(built.to_bytes())) is kind
    with pytest.raises(ChronosketchError, match="family quantile sketch"):
        DDSketch.from_bytes(Sketch.build([1]).to_bytes())


@pytest.mark.parametrize("shape", ["scattered", "rising", "falling", "few", "twice"])
def test_sizes(shape):
    """Hold sizes to 1.5 times those of the JVM (docs/algorithms.md, Sizes)."""
    n, epsilon = 1_000_000, 1e-3
    rising = np.arange(n)
    values = {
        "scattered": np.exp(np.random.default_rng(1).standard_normal(n)),
        "rising": rising,
        "falling": rising[::-1],
        "few": rising % 100,
        "twice": rising // 2,
    }[shape]
    sketch = Sketch.build(values, epsilon)
    assert len(sketch.tuples) * epsilon <= 1.06
    assert sketch.rank_error <= epsilon / 2
