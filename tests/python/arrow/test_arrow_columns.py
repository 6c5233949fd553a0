"""Columns: accepted types, errors of single rows, and merging."""

import pickle
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from chronosketch import arrow
from chronosketch.arrow.groups import Groups
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from hypothesis import given
from hypothesis import strategies as st

HUNDRED = Sketch.build(range(1, 101)).to_bytes()
TEN = Sketch.build(range(1, 11), epsilon=0.1).to_bytes()
ROWS = [HUNDRED, None, TEN]


@pytest.mark.parametrize(
    "column",
    [
        ROWS,
        tuple(ROWS),
        iter(ROWS),
        [HUNDRED, None, bytearray(TEN)],
        pa.array(ROWS, pa.binary()),
        pa.array(ROWS, pa.large_binary()),
        pa.array(ROWS, pa.binary_view()),
        pa.array(ROWS, pa.binary()).dictionary_encode(),
        pa.array([b"x", *ROWS])[1:],
        pa.chunked_array([ROWS[:1], [], ROWS[1:]], pa.binary()),
        pd.Series(ROWS),
        pd.Series([HUNDRED, float("nan"), TEN], index=[7, 8, 9]),
        pd.Series(ROWS, dtype=pd.ArrowDtype(pa.binary())),
        pl.Series(ROWS),
    ],
    ids=lambda column: type(column).__name__,
)
def test_accepted_columns(column):
    assert arrow.quantile(column, 0.5).to_pylist() == [50.0, None, 5.0]


@pytest.mark.parametrize(
    "column", [[], pa.array([]), pa.array([], pa.binary()), pl.Series([], dtype=pl.Binary)]
)
def test_no_rows(column):
    assert arrow.quantile(column, [0.5]).to_pylist() == []
    assert arrow.count(column).type == pa.int64()
    assert arrow.merge(column) is None


def test_a_column_of_nulls():
    assert arrow.bounds(pa.nulls(2), 0.5).to_pylist() == [None, None]
    assert arrow.quantile([None], [0.5, 0.9]).to_pylist() == [None]
    assert arrow.is_sketch([None]).to_pylist() == [None]


@pytest.mark.parametrize("column", [HUNDRED, "text", 7, [1, 2], pa.array(["a"]), pa.array([1.5])])
def test_invalid_columns_are_rejected(column):
    with pytest.raises(TypeError, match="column"):
        arrow.count(column)


def test_no_phi_has_no_answers():
    for ask in (arrow.quantile, arrow.bounds):
        assert ask(ROWS[:1], []).to_pylist() == [[]]


def test_a_column_may_have_runs():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([TEN, None], pa.binary()))
    assert arrow.quantile(runs, 0.5).to_pylist() == [5.0, 5.0, None]


def test_one_phi_and_several():
    assert arrow.quantile(ROWS, iter([0.5, 1]), "int").to_pylist() == [[50, 100], None, [5, 10]]
    assert arrow.quantile(ROWS, [0.5, 1]).type == pa.list_(pa.float64(), 2)
    assert arrow.bounds(ROWS, [1])[2].as_py() == [{"low": 10.0, "high": 10.0}]


@pytest.mark.parametrize(
    "ask",
    [
        lambda rows: arrow.quantile(rows, 0.5),
        lambda rows: arrow.bounds(rows, [0.5]),
        arrow.count,
        arrow.min,
        arrow.max,
        arrow.rank_error,
        lambda rows: arrow.rank(rows, 3),
        arrow.merge,
        lambda rows: arrow.merge_by(range(len(rows)), rows),
    ],
)
def test_the_error_names_the_row(ask):
    damaged = bytearray(HUNDRED)
    damaged[40] ^= 1
    rows = [*ROWS * 5000, bytes(damaged), HUNDRED]
    with pytest.raises(
        arrow.RowError, match=r"^\[CHRONOSKETCH_CORRUPT_SKETCH\] Row 15000: .*checksum"
    ) as caught:
        ask(rows)
    assert caught.value.row == 15000
    assert caught.value.parameters["function"].startswith("arrow.")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_bad_rows_can_be_null():
    rows = [b"", TEN, b"CHRS", Sketch.build([]).to_bytes()]
    assert arrow.count(rows, errors="null").to_pylist() == [None, 10, None, 0]
    assert arrow.min(rows, errors="null").to_pylist() == [None, 1.0, None, None]
    assert Sketch.from_bytes(arrow.merge(rows, errors="null")).count == 10
    with pytest.raises(ValueError, match="errors"):
        arrow.count(rows, errors="ignore")


def test_an_invalid_question_is_not_blamed_on_a_row():
    with pytest.raises(ChronosketchError, match="INVALID_PHI") as caught:
        arrow.quantile([], 1.5)
    assert not isinstance(caught.value, arrow.RowError)
    with pytest.raises(ChronosketchError):
        arrow.min([], type="text")
    with pytest.raises(ChronosketchError, match="UNSUPPORTED_TYPE") as caught:
        arrow.rank(ROWS, "12")
    assert not isinstance(caught.value, arrow.RowError)


def test_the_error_names_a_row_of_another_type():
    dates = Sketch.build([None], type="date").to_bytes(), Sketch.build([1], type="bigint").to_bytes()
    with pytest.raises(arrow.RowError, match="Row 1"):
        arrow.quantile([TEN, Sketch.build(range(200), type="int").to_bytes()], 1, type="tinyint")
    with pytest.raises(arrow.RowError, match="Row 0"):
        arrow.min(dates[1:], type="date")


@given(st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=30), max_size=20))
def test_merge(parts):
    """Merging in a different order may widen bounds, but they hold, and exact bags stay exact."""
    merged = arrow.merge([Sketch.build(part, 0.01).to_bytes() for part in parts])
    if not parts:
        assert merged is None
        return
    everything = sorted(value for part in parts for value in part)
    whole = Sketch.from_bytes(merged)
    assert whole.count == len(everything)
    for phi in (0, 0.3, 0.5, 0.99, 1):
        low, high = whole.bounds(phi)
        assert low <= Sketch.build(everything, 0).quantile(phi) <= high
    if len(parts) == 2:
        assert merged == Sketch.build(parts[0], 0.01).merge(Sketch.build(parts[1], 0.01)).to_bytes()


def test_keys_may_be_arrow_views():
    keys = pa.table(
        {"host": pa.array(["a", "b", "a"], pa.string_view()), "id": pa.array([b"1"] * 3, pa.binary_view())}
    )
    merged = arrow.merge_by(keys, [TEN, TEN, TEN])
    assert merged.select(["host", "id"]).to_pylist() == [{"host": "a", "id": b"1"}, {"host": "b", "id": b"1"}]
    assert arrow.count(merged["sketch"]).to_pylist() == [20, 10]


def test_merge_by_keys():
    keys = pa.table({"host": ["a", "b", "a", None, "c"], "day": [1, 1, 1, 2, 2]})
    merged = arrow.merge_by(keys, [TEN, HUNDRED, HUNDRED, TEN, None])
    assert merged.column_names == ["host", "day", "sketch"]
    counts = arrow.count(merged["sketch"]).to_pylist()
    assert [*zip(merged["host"].to_pylist(), merged["day"].to_pylist(), counts, strict=True)] == [
        ("a", 1, 110),
        ("b", 1, 100),
        (None, 2, 10),
        ("c", 2, None),
    ]
    named = arrow.merge_by(pa.table({"sketch": [1]}), [TEN])
    assert named.column_names == ["sketch", "sketch_"]
    with pytest.raises(ValueError, match="2 keys and 1 sketches"):
        arrow.merge_by([1, 2], [TEN])


@pytest.mark.parametrize(
    "keys",
    [
        pd.DataFrame({"host": ["a", "b", "a"], "day": [1, 1, 1]}, index=[7, 7, 7]),
        pl.DataFrame({"host": ["a", "b", "a"], "day": [1, 1, 1]}),
        pa.table({"host": ["a", "b", "a"], "day": [1, 1, 1]}),
        pa.RecordBatch.from_pydict({"host": ["a", "b", "a"], "day": [1, 1, 1]}),
    ],
    ids=lambda keys: type(keys).__module__,
)
def test_columns_of_a_table_can_be_the_key(keys):
    merged = arrow.merge_by(keys, [TEN, TEN, None])
    assert merged.column_names == ["host", "day", "sketch"]
    assert merged["host"].to_pylist() == ["a", "b"]
    assert arrow.count(merged["sketch"]).to_pylist() == [10, 10]
    one = arrow.merge_by(keys[["host"]] if isinstance(keys, pd.DataFrame) else keys.select(["host"]), ROWS)
    assert one.column_names == ["host", "sketch"]
    with pytest.raises(ValueError, match="3 keys and 1 values"):
        arrow.build_by(keys, [1.5])


@pytest.mark.parametrize("of", [10, 5000, 10**6])
def test_groups_come_in_the_order_in_which_they_appear(of):
    keys = np.random.default_rng(1).integers(0, of, 100_000)
    for table, name in ((keys, "key"), (pa.table({"half": keys // 2, "odd": keys % 2, "all": keys}), "all")):
        groups = Groups.of(table)
        assert groups.keys[name].to_pylist() == list(dict.fromkeys(keys.tolist()))
        ordered = keys[groups.order]
        assert np.repeat(groups.keys[name].to_numpy(), groups.sizes).tolist() == ordered.tolist()
        falls = np.diff(groups.order) < 0
        assert (falls <= (ordered[1:] != ordered[:-1])).all()


@pytest.mark.parametrize(
    ("keys", "distinct"),
    [
        ([0.0, -0.0, float("nan"), None, float("nan")], [0.0, float("nan"), None]),
        (pa.array(["b", "a", "b"]).dictionary_encode(), ["b", "a"]),
        (pa.chunked_array([["b"], ["a", "b"]]), ["b", "a"]),
        ([date(2026, 1, 1), None, date(2026, 1, 1)], [date(2026, 1, 1), None]),
        ([True, None, False, True], [True, None, False]),
        (pa.nulls(3), [None]),
        ([], []),
    ],
)
def test_keys_of_any_type(keys, distinct):
    groups = Groups.of(keys)
    assert repr(groups.keys["key"].to_pylist()) == repr(distinct)
    assert groups.sizes.sum() == len(keys)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([[1], [2]], "an element of type list. Give several columns as a table"),
        ([("a", 1), ("b", 2)], "an element of type tuple. Give several columns as a table"),
        ([pd.Series([1, 2]), pd.Series([3, 4])], "an element of type Series"),
        (np.ones((2, 2)), "2 dimensions. Give several columns"),
        ("ab", "keys is 'ab'"),
        (b"ab", "keys is b'ab'"),
        (7, "keys is 7"),
        (None, "keys is None"),
        (pa.table({}), "no column"),
        (pa.array([[1], [2]]), "a column of type list<item: int64>"),
        (pa.array([{"a": 1}, {"a": 2}]), "Make each of its fields a column"),
        (pl.LazyFrame({"a": [1, 2]}), r"keys.collect\(\)"),
        (pd.Series(pd.interval_range(0, 2)), "which can't be a key"),
        (["a", 1], "one column of Arrow can't have"),
        ([2**64, 1], "one column of Arrow can't have"),
    ],
)
def test_keys_that_are_not_columns_are_refused(keys, message):
    with pytest.raises(TypeError, match=message):
        arrow.merge_by(keys, [TEN, TEN])
    with pytest.raises(TypeError, match=message):
        arrow.build_by(keys, [1, 2])


@pytest.mark.parametrize(
    "keys",
    [
        {"host": ["a", "b", "a"], "day": np.array([1, 1, 1])},
        pd.MultiIndex.from_tuples([("a", 1), ("b", 1), ("a", 1)], names=["host", "day"]),
        np.array([(b"a", 1), (b"b", 1), (b"a", 1)], [("host", "S1"), ("day", ">i4")]),
    ],
)
def test_columns_by_name_are_one_key(keys):
    merged = arrow.merge_by(keys, [TEN] * 3)
    assert merged.column_names == ["host", "day", "sketch"]
    assert merged["host"].cast(pa.binary()).to_pylist() == [b"a", b"b"]
    assert arrow.count(merged["sketch"]).to_pylist() == [20, 10]


NAN = float("nan")


@pytest.mark.parametrize(
    ("keys", "distinct"),
    [
        (np.array([NAN, -NAN, 1.0]), [NAN, 1.0]),
        (np.array([2, 2, 1], ">i4"), [2, 1]),
        (np.ma.array([2, 7, 1], mask=[False, True, False]), [2, None, 1]),
        ([pd.NA, "a", pd.NA], [None, "a"]),
        ([pd.NaT, pd.Timestamp("2026-01-01"), None], [None, datetime(2026, 1, 1)]),
        ([np.datetime64("2026-01-01"), np.datetime64("NaT"), None], [date(2026, 1, 1), None]),
        (pd.Series([NAN, "a", None], dtype=object), [None, "a"]),
        (pl.Series(["b", "a", "b"], dtype=pl.Categorical), ["b", "a"]),
        (pl.Series(["b", "a", None], dtype=pl.Enum(["a", "b"])), ["b", "a", None]),
        (pd.Series(["b", None, "b"], dtype="category"), ["b", None]),
        (pa.array(["b", "a", "b"], pa.string_view()).cast(pa.string_view()), ["b", "a"]),
        (pa.RunEndEncodedArray.from_arrays([2, 3], ["b", "a"]), ["b", "a"]),
        (pa.array([Decimal("1.5"), None, Decimal("1.5")], pa.decimal32(5, 2)), [Decimal("1.50"), None]),
        (pa.array(np.array([0.5, -0.0, 0.0], "f2")), [0.5, -0.0]),
        (pa.array([UUID(int=1), UUID(int=2), UUID(int=1)], pa.uuid()), [UUID(int=1), UUID(int=2)]),
    ],
)
def test_keys_of_other_types_and_missing_keys(keys, distinct):
    merged = arrow.merge_by(keys, [TEN] * 3)
    assert repr(merged["key"].to_pylist()) == repr(distinct)
    built = arrow.build_by(keys, [1, 2, 3])
    assert arrow.count(built["sketch"]).to_pylist() == [
        n // 10 for n in arrow.count(merged["sketch"]).to_pylist()
    ]


@pytest.mark.parametrize(
    "key", [pd.Series(["a", "b"]), pl.Series(["a", "b"]), np.array(["a", "b"]), iter("ab")]
)
def test_a_series_can_be_the_key(key):
    assert arrow.merge_by(key, [TEN, TEN])["key"].to_pylist() == ["a", "b"]


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.none() | st.integers(-9, 9) | st.integers(0, 2**62)), max_size=400
    ),
    st.sampled_from([0.0, 0.01, 0.1, 0.5]),
)
def test_build_by_builds_what_build_does(rows, epsilon):
    keys, values = ([row[i] for row in rows] for i in (0, 1))
    built = arrow.build_by(keys, values, epsilon, type="bigint")
    assert built["key"].to_pylist() == list(dict.fromkeys(keys))
    for key, data in zip(built["key"].to_pylist(), built["sketch"].to_pylist(), strict=True):
        alone = [value for k, value in rows if k == key]
        assert data == Sketch.build(alone, epsilon, type="bigint").to_bytes()


def test_build_by_takes_groups_of_any_size():
    sizes = np.array([1, 3000, 70_000, 2, 2049, 300_000, 17])
    keys = np.repeat(np.arange(len(sizes)), sizes)
    order = np.random.default_rng(1).permutation(len(keys))
    values = np.random.default_rng(2).standard_normal(len(keys))
    built = arrow.build_by(keys[order], values[order])
    for key, data in zip(built["key"].to_pylist(), built["sketch"].to_pylist(), strict=True):
        assert data == Sketch.build(values[keys == key]).to_bytes()


@pytest.mark.parametrize("tail", ["high", "low", "both"])
def test_groups_are_built_asked_and_merged_with_a_tail(tail):
    random = np.random.default_rng(46)
    keys, values = random.integers(0, 3, 60_000), random.lognormal(3, 2, 60_000)
    built = arrow.build_by(keys, values, 0.01, tail=tail)
    for key, data in zip(built["key"].to_pylist(), built["sketch"].to_pylist(), strict=True):
        alone = Sketch.build(values[keys == key], 0.01, tail=tail)
        assert data == alone.to_bytes()
    asked = arrow.bounds(built["sketch"], 0.999).to_pylist()
    for (low, high), key in zip((b.values() for b in asked), built["key"].to_pylist(), strict=True):
        truth = np.sort(values[keys == key])[int(np.ceil(0.999 * (keys == key).sum())) - 1]
        assert low <= truth <= high
    merged = Sketch.from_bytes(arrow.merge(built["sketch"]))
    assert (merged.family, merged.count) == (f"quantile sketch with tail => '{tail}'", 60_000)
    parts = [Sketch.from_bytes(data) for data in built["sketch"].to_pylist()]
    assert merged.to_bytes() == Sketch.merge_all(parts).to_bytes()


def test_a_group_without_values_has_an_empty_sketch_of_the_tail():
    built = arrow.build_by(["a", "b"], [None, 2], tail="low")["sketch"].to_pylist()
    assert [Sketch.from_bytes(data).count for data in built] == [0, 1]
    with pytest.raises(ChronosketchError, match="UNKNOWN_TAIL"):
        arrow.build_by(["a"], [1], tail="upper")


@pytest.mark.parametrize("tail", [None, "high"])
def test_groups_are_built_and_merged_with_sums(tail):
    random = np.random.default_rng(46)
    keys, values = random.integers(0, 3, 6_000), random.integers(0, 1_000, 6_000)
    built = arrow.build_by(keys, values, 0.01, tail=tail, sum=True)
    for key, data in zip(built["key"].to_pylist(), built["sketch"].to_pylist(), strict=True):
        assert data == Sketch.build(values[keys == key], 0.01, tail=tail, sum=True).to_bytes()
    assert arrow.count(built["sketch"]).to_pylist() == [
        Sketch.from_bytes(s.as_py()).count for s in built["sketch"]
    ]
    assert Sketch.from_bytes(arrow.merge(built["sketch"])).exact_sum == int(values.sum())
    plain = arrow.build_by(keys, values, 0.01, tail=tail)["sketch"].to_pylist()
    mixed = [*built["sketch"].to_pylist(), *plain]
    assert arrow.merge(mixed) == Sketch.merge_all([Sketch.from_bytes(data) for data in mixed]).to_bytes()
    assert Sketch.from_bytes(arrow.merge(mixed)).family == Sketch.from_bytes(plain[0]).family
    by_group = arrow.merge_by([0, 1, 0, 1], [*mixed[:2], plain[0], mixed[1]])["sketch"].to_pylist()
    assert [hasattr(Sketch.from_bytes(data), "sum") for data in by_group] == [False, True]


def test_other_families_are_merged_by_group():
    values = {"a": [1.0, 2.0], "b": [4.0]}
    rows = [DDSketch.build(values[key]).to_bytes() for key in "aba"]
    merged = arrow.merge_by(["a", "b", "a"], rows)["sketch"].to_pylist()
    assert merged == [DDSketch.build([1.0, 2.0] * 2).to_bytes(), rows[1]]
    with pytest.raises(arrow.RowError, match=r"FAMILIES_DIFFER\] Row 1: arrow.merge_by"):
        arrow.merge_by(["a", "a", "b"], [TEN, rows[0], rows[1]])
    skipped = arrow.merge_by(["a", "a", "b"], [TEN, rows[0], rows[1]], errors="null")["sketch"].to_pylist()
    assert skipped == [TEN, rows[1]]
    with pytest.raises(arrow.RowError, match=r"ALPHAS_DIFFER\] Row 2"):
        arrow.merge([rows[0], None, DDSketch.build([1], 0.1, "double").to_bytes()])


def test_a_sum_of_counts_beyond_63_bits_is_refused():
    huge = Sketch.build([1, 2], frequency=[2**62, 2**61]).to_bytes()
    with pytest.raises(arrow.RowError, match=r"COUNT_OVERFLOW\] Row 2"):
        arrow.merge([TEN, huge, huge])
    assert Sketch.from_bytes(arrow.merge([TEN, huge, huge], errors="null")).count == 2**62 + 2**61 + 10


def test_merging_different_families_is_refused():
    with pytest.raises(arrow.RowError, match=r"\[CHRONOSKETCH_VALUE_TYPES_DIFFER\] Row 2"):
        arrow.merge([TEN, TEN, Sketch.build([0.5]).to_bytes()])


def test_the_call_that_a_refusal_shows_runs_on_the_column():
    column = [Sketch.build([date(2026, 1, 1), date(2026, 1, 2)]).to_bytes()]
    for ask, expected in (
        (lambda: arrow.quantile(column, 0.5), date(2026, 1, 1)),
        (lambda: arrow.quantile(column, [0.5, 1]), date(2026, 1, 1)),
        (lambda: arrow.bounds(column, 1), {"low": date(2026, 1, 2), "high": date(2026, 1, 2)}),
    ):
        with pytest.raises(arrow.RowError, match="VALUE_NOT_CONVERTIBLE") as refused:
            ask()
        call = refused.value.sentences.partition("Name their type: ")[2].removesuffix(".")
        assert eval(call, {"arrow": arrow, "column": column}).to_pylist() == [expected], call
    sketch = Sketch.from_bytes(column[0])
    with pytest.raises(ChronosketchError) as refused:
        sketch.quantile(0.5, "double")
    call = refused.value.sentences.partition("Name their type: ")[2].removesuffix(".")
    assert eval(call, {"sketch": sketch}) == date(2026, 1, 1)


def test_a_missing_library_is_named():
    program = "import sys; sys.modules['pyarrow'] = None\nimport chronosketch.arrow"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(": pip install 'pyarrow>=18'")


def test_a_skipped_type_does_not_stop_the_others_from_becoming_one():
    whole, days = np.arange(300, dtype="i4"), np.array(["2026-01-01"], "M8[D]")
    rows = [Sketch.build(values, 0.1).to_bytes() for values in (whole, days, whole + 0.5)]
    merged = Sketch.from_bytes(arrow.merge(rows, errors="null"))
    assert (merged.value_type, merged.count, merged.max()) == ("DOUBLE", 600, 299.5)
    with pytest.raises(ChronosketchError, match=r"Row 1: .* INT values and DATE values"):
        arrow.merge(rows)
