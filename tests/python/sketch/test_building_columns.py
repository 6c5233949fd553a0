"""Arrays, series and lists have the type of their values, and what no sketch holds is refused by name."""

import math
from collections import Counter
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch, SketchBuilder
from chronosketch.sketch.codec import doubles

UTC = timezone.utc
NOON = datetime(2026, 1, 2, 12)


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
    "numpy masked": (np.ma.array([9, 3, 1], "i2", mask=[True, False, False]), "SMALLINT", 1, 3),
    "numpy masked objects": (np.ma.array([9, 3, 1], object, mask=[True, False, False]), "BIGINT", 1, 3),
    "numpy masked days": (
        np.ma.array(["2026-01-02", "1969-12-31"], "M8[D]", mask=[True, False]),
        "DATE",
        date(1969, 12, 31),
        date(1969, 12, 31),
    ),
    "list of numpy days": (
        [np.datetime64("1969-12-31"), None, np.datetime64("2026-01-02"), np.datetime64("NaT")],
        "DATE",
        date(1969, 12, 31),
        date(2026, 1, 2),
    ),
    "list of numpy instants": (
        [np.datetime64("2026-01-02T12", "h"), np.datetime64("2026-01-02T12", "ns")],
        "TIMESTAMP_NTZ",
        NOON,
        NOON,
    ),
    "list of numpy durations": (
        [np.timedelta64(90, "m"), pd.NaT],
        "INTERVAL DAY TO SECOND",
        timedelta(minutes=90),
        timedelta(minutes=90),
    ),
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
    "arrow wide decimals": (
        pa.array([Decimal("9.99"), Decimal("-1.50"), None], pa.decimal128(38, 2))[1:],
        "DECIMAL(18,2)",
        Decimal("-1.50"),
        Decimal("-1.50"),
    ),
    "arrow wider decimals": (
        pa.array([Decimal("-0.01"), None, Decimal("7")], pa.decimal256(76, 2)),
        "DECIMAL(18,2)",
        Decimal("-0.01"),
        Decimal("7.00"),
    ),
    "arrow hundreds": (pa.array([Decimal("300")], pa.decimal128(3, -2)), "DECIMAL(5,0)", 300, 300),
    "arrow runs": (pa.RunEndEncodedArray.from_arrays([2, 3], [5, None]), "BIGINT", 5, 5),
    "arrow dictionary": (pa.array([5, 5, 7]).dictionary_encode(), "BIGINT", 5, 7),
    "arrow dictionary with NULL": (
        pa.DictionaryArray.from_arrays([0, 1, 0, None, 2], [7, None, 5]),
        "BIGINT",
        5,
        7,
    ),
    "arrow chunks of dictionaries": (
        pa.chunked_array(
            [pa.DictionaryArray.from_arrays([0, 1], [7, None]), pa.DictionaryArray.from_arrays([0], [5])]
        ),
        "BIGINT",
        5,
        7,
    ),
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
    "pandas Float64 with NaN": (
        pd.Series([0.0, 1.0, None], dtype="Float64") / pd.Series([0.0, 2.0, 1.0], dtype="Float64"),
        "DOUBLE",
        0.5,
        0.5,
    ),
    "pandas Arrow with NaN": (
        pd.Series(pd.arrays.ArrowExtensionArray(pa.array([math.nan, 1.5, None]))),
        "DOUBLE",
        1.5,
        1.5,
    ),
    "pandas array": (pd.array([3, None, 1]), "BIGINT", 1, 3),
    "pandas category array": (pd.Categorical([3, 1, None]), "BIGINT", 1, 3),
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
    "polars decimals of 38 digits": (
        pl.Series([Decimal("7.5"), None]),
        "DECIMAL(18,1)",
        Decimal("7.5"),
        Decimal("7.5"),
    ),
    "polars decimals": (pl.Series([7]).cast(pl.Decimal(18, 2)), "DECIMAL(18,2)", 7, 7),
}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_an_array_or_series_has_the_type_of_its_own_type(name):
    values, sql, least, greatest = COLUMNS[name]
    sketch = Sketch.from_bytes(Sketch.build(values).to_bytes())
    assert (sketch.value_type, sketch.min(), sketch.max()) == (sql, least, greatest)


@pytest.mark.parametrize("name", list(COLUMNS))
def test_a_frequency_of_one_changes_nothing(name):
    values = COLUMNS[name][0]
    assert Sketch.build(values, frequency=np.ones(len(values), np.int8)) == Sketch.build(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("120", r"takes a number, .* but '120' has the type STRING\. Give a list of values as values\."),
        (b"120", r"b'120' has the type BINARY"),
        (np.array(["a"]), "has the type <U1"),
        ([10**5000], "a number of thousands of digits as BIGINT"),
        (np.array([1], np.longdouble), r"Round it: values.astype\('float64'\)"),
        ([np.True_], "BOOLEAN"),
        (pl.Series(["a"]), "has the type string_view"),
        (pl.Series(["a"], dtype=pl.Categorical), "has the type string_view"),
        (pl.Series([1], dtype=pl.Int128), "has the type Int128"),
        (pd.Series(["a"], dtype=pd.ArrowDtype(pa.string_view())), "has the type string_view"),
        (np.array([2**40], "M8[D]"), "as DATE, because it does not fit"),
        (np.array([2**60], "M8[Y]"), "as DATE, because it does not fit"),
        (np.array([2**62], "m8[s]"), "as INTERVAL DAY TO SECOND, because it does not fit"),
        ([np.datetime64("2026-01-01"), np.datetime64("2026-01-01T05")], "DATE values and TIMESTAMP_NTZ"),
        (pa.array([Decimal(10**18)], pa.decimal128(38, 0)), r"1000000000000000000 as DECIMAL\(18,0\)"),
        (pa.array([Decimal(0)], pa.decimal128(38, 20)), "up to 18 digits"),
    ],
)
def test_values_that_no_sketch_holds_are_refused_by_name(values, message):
    with pytest.raises(ChronosketchError, match=message):
        Sketch.build(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (3.0, r"values is 3\.0, where a list, an array or a series belongs"),
        (None, "values is None"),
        (np.float64(3), "where a list"),
        (np.array(3.0), "values has 0 dimensions"),
        (np.ma.ones((2, 2)), "values has 2 dimensions"),
        (pa.scalar(3), "where a list"),
        ({"a": 1}, r"values is a dict\. Name its part"),
        (Counter([1, 1]), r"keys\(\) are the values, and values\(\) their frequency"),
        (pd.DataFrame({"a": [1]}), "values is a table"),
        (pd.MultiIndex.from_tuples([(1, 2)]), "values is a table"),
        (pl.DataFrame({"a": [1]}), "values is a table"),
        (pl.LazyFrame({"a": [1]}), "values is a table"),
        (pa.table({"a": [1]}), "values is a table"),
        ([np.timedelta64(1, "s"), 3], "among times of numpy"),
    ],
)
def test_single_values_and_tables_are_refused(values, message):
    for build in (Sketch.build, SketchBuilder().add, DDSketch.build):
        with pytest.raises(TypeError, match=message):
            build(values)


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
    with pytest.raises(TypeError, match="type is None: give the name of a SQL type"):
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
