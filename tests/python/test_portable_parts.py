"""One task of a sketch in two stages, without Spark: many batches, many groups, little room."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from chronosketch import ChronosketchError
from chronosketch.portable import aggregates, answers, parts
from chronosketch.sketch import Sketch, SketchError
from chronosketch.sketch.refusal import Refusal

pytestmark = pytest.mark.classic


@pytest.fixture
def rows():
    """Return 30 000 values in 40 groups, in batches of 100 rows."""
    rng = np.random.default_rng(3)
    table = pa.table({"key0": rng.integers(0, 40, 30_000), "sketch": rng.lognormal(size=30_000)})
    return table, table.to_batches(100)


@pytest.mark.parametrize(
    ("most_rows", "most_sketches", "most_bytes"),
    [(1 << 22, 1 << 18, 1 << 26), (500, 7, 1 << 26), (700, 90, 900)],
)
def test_groups_are_right_however_little_room_there_is(
    rows, monkeypatch, most_rows, most_sketches, most_bytes
):
    monkeypatch.setattr(parts, "_ROWS", most_rows)
    monkeypatch.setattr(parts, "_SKETCHES", most_sketches)
    monkeypatch.setattr(parts, "_BYTES", most_bytes)
    table, batches = rows
    names = ["key0", "sketch"]
    halves = [list(parts.builder(names, 0.02, "DOUBLE")(batches[i::2])) for i in range(2)]
    made = pa.Table.from_batches(parts.merger(names)([*halves[0], *halves[1]]))
    assert made.schema == pa.schema([("key0", pa.int64()), ("sketch", pa.binary())])
    assert sorted(made["key0"].to_pylist()) == list(range(40))
    for key, data in zip(made["key0"].to_pylist(), made["sketch"].to_pylist(), strict=True):
        sketch = Sketch.from_bytes(data)
        values = np.sort(table.filter(pa.compute.equal(table["key0"], key))["sketch"].to_numpy())
        assert sketch.count == len(values)
        assert sketch.rank_error <= 0.02
        for phi in (0, 0.3, 0.99, 1):
            low, high = sketch.bounds(phi)
            assert low <= values[max(0, math.ceil(phi * len(values)) - 1)] <= high


@pytest.mark.parametrize("keeps_sums", [False, True])
def test_sketches_give_the_same_bytes_in_whatever_order_a_shuffle_delivers_them(rows, keeps_sums):
    table, batches = rows
    alone = table.select(["sketch"]).to_batches(100)
    for names, values in ((["key0", "sketch"], batches), (["sketch"], alone)):
        built = [
            batch
            for i in range(20)
            for batch in parts.builder(names, 0.02, "DOUBLE", None, keeps_sums)(values[i::20])
        ]
        united = set()
        for seed in range(4):
            order = np.random.default_rng(seed).permutation(len(built)) if seed else range(len(built))
            merged = pa.Table.from_batches(parts.merger(names)([built[i] for i in order]))
            united.add(tuple(sorted(map(tuple, zip(*merged.to_pydict().values(), strict=True)))))
        assert len(united) == 1


def test_one_group_without_keys():
    batches = pa.table({"sketch": pa.array([1.5, None, 2.5])}).to_batches(2)
    (made,) = parts.builder(["sketch"], 0.0, "DOUBLE")(batches)
    assert Sketch.from_bytes(made["sketch"][0].as_py()).count == 2
    (merged,) = parts.merger(["sketch"])([made, made])
    assert Sketch.from_bytes(merged["sketch"][0].as_py()).count == 4


def test_no_rows_give_nothing():
    assert list(parts.builder(["sketch"], 0.0, "DOUBLE")([])) == []
    assert list(parts.merger(["key0", "sketch"])(iter([]))) == []


def test_a_row_that_is_not_a_sketch_is_refused_by_the_name_of_the_function():
    bad = pa.record_batch({"key0": [1, 1], "sketch": pa.array([b"CSV", b"CSV"], pa.binary())})
    with pytest.raises(SketchError, match=r"\[CHRONOSKETCH_NOT_A_SKETCH\] cs\.portable\.merge was given"):
        list(parts.merger(["key0", "sketch"])([bad]))


def test_a_cast_to_no_type_is_refused():
    sketches = pa.array([Sketch.build([1]).to_bytes(), None], pa.binary())
    with pytest.raises(ChronosketchError, match=r"given no type: write sketch_cast\(s, 'double'\)"):
        answers.sketch_cast(sketches, pa.nulls(2, pa.string()))
    assert answers.sketch_cast(sketches[:0], pa.nulls(0, pa.string())).to_pylist() == []


@pytest.mark.parametrize("name", ["quantile_sketch_agg", "ddsketch_agg", "moments_agg"])
def test_decimals_of_more_than_18_digits_are_refused_as_in_sql(name):
    amounts = pa.array([Decimal("1.50")], pa.decimal128(38, 2))
    with pytest.raises(Refusal, match="UNSUPPORTED_TYPE") as caught:
        aggregates.PLAIN[name](amounts)
    assert caught.value.parameters["type"] == "DECIMAL(38,2)"
    assert aggregates.PLAIN[name](amounts.cast(pa.decimal128(18, 2)))
