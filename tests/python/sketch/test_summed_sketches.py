"""Quantile sketches with sums answer as a quantile sketch and a moments sketch of the same values do."""

from decimal import Decimal

import numpy as np
import pytest
from chronosketch.sketch import ChronosketchError, Sketch, SketchBuilder
from chronosketch.sketch.moments.building import moments_of
from chronosketch.sketch.summed import SummedSketch
from mutations import sealed

TAILS = [None, "high", "low", "both"]
RANDOM = np.random.default_rng(46)
COLUMNS = {
    "nothing": [],
    "one": [-7],
    "equal": [5] * 100,
    "whole numbers": RANDOM.integers(-(2**63), 2**63 - 1, 5_000),
    "latencies": RANDOM.integers(0, 30_000, 5_000),
    "doubles": RANDOM.lognormal(3, 2, 5_000),
    "specials": [0.0, -0.0, float("nan"), float("inf"), -1.5] * 500,
    "decimals": [Decimal(i) / 100 for i in range(3_000)],
}


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS.keys())
def test_answers_are_those_of_separate_sketches(values, tail):
    sketch = Sketch.build(values, 0.01, tail=tail, sum=True)
    quantiles, moments = Sketch.build(values, 0.01, tail=tail), moments_of(values)
    for read in (sketch, Sketch.from_bytes(sketch.to_bytes())):
        assert isinstance(read, SummedSketch)
        assert (read.quantiles, read.moments) == (quantiles, moments)
        for moment in ("count", "sum", "mean", "variance", "stddev_pop"):
            assert repr(read.moment_bounds(moment)) == repr(moments.moment_bounds(moment))
        assert repr(read.skewness()) == repr(moments.skewness())
        assert (read.exact_sum, read.count) == (moments.exact_sum, quantiles.count)
        assert repr(read.bounds([0.5, 0.99])) == repr(quantiles.bounds([0.5, 0.99]))
    assert len(sketch.to_bytes()) <= len(quantiles.to_bytes()) + 110


def test_sums_take_few_bytes():
    values = COLUMNS["doubles"]
    assert len(Sketch.build(values, sum=True).to_bytes()) == len(Sketch.build(values).to_bytes()) + 40
    values = COLUMNS["latencies"]
    assert len(Sketch.build(values, sum=True).to_bytes()) <= len(Sketch.build(values).to_bytes()) + 40
    assert len(Sketch.build([5, 5], sum=True).to_bytes()) == len(Sketch.build([5, 5]).to_bytes())


@pytest.mark.parametrize("tail", TAILS)
def test_merging_adds_sums_and_drops_them_beside_a_sketch_without(tail):
    values = COLUMNS["latencies"]
    parts = np.array_split(values, 5)
    summed = [Sketch.build(part, 0.01, tail=tail, sum=True) for part in parts]
    plain = [Sketch.build(part, 0.01, tail=tail) for part in parts]
    union = Sketch.merge_all(summed)
    assert (union.exact_sum, union.mean()) == (int(values.sum()), values.sum() / 5_000)
    assert union.quantiles == Sketch.merge_all(plain)
    for mixed in ([*summed, plain[0]], [plain[0], *summed], [*summed[:2], plain[0], *summed[2:]]):
        assert Sketch.merge_all(mixed) == Sketch.merge_all(
            [one if one in plain else one.quantiles for one in mixed]
        )
    for empty in (
        Sketch.build([], tail=tail),
        Sketch.build([], tail=tail, sum=True),
        Sketch.build([], sum=True),
    ):
        assert summed[0].merge(empty) == empty.merge(summed[0]) == summed[0]
        assert plain[0].merge(empty) == empty.merge(plain[0]) == plain[0]


def test_sketches_of_different_tails_are_refused():
    one, other = Sketch.build([1], sum=True), Sketch.build([2], tail="high", sum=True)
    with pytest.raises(ChronosketchError, match=r"FAMILIES_DIFFER.* quantile sketch with sum => true"):
        one.merge(other)
    with pytest.raises(ChronosketchError, match="FAMILIES_DIFFER"):
        one.merge(other.quantiles)


def test_numbers_of_two_types_merge_if_their_sums_stay_exact():
    union = Sketch.build([1, 2], type="int", sum=True).merge(Sketch.build([2.5], sum=True))
    assert (union.value_type, union.sum(), union.quantile(1)) == ("DOUBLE", 5.5, 2.5)
    with pytest.raises(ChronosketchError, match="VALUE_TYPES_DIFFER"):
        Sketch.build([1, 2], sum=True).merge(Sketch.build([2.5], sum=True))
    with pytest.raises(ChronosketchError, match=r"NOT_CASTABLE.* it has sums"):
        Sketch.build([1, 2**62 + 1], sum=True).cast("double")
    assert Sketch.build([1, 2], sum=True).cast("double").mean() == 1.5


def test_frequencies_count_like_copies():
    copies = Sketch.build(np.repeat(np.arange(3_000), 5), 0.05, sum=True)
    assert Sketch.build(np.arange(3_000), 0.05, frequency=[5] * 3_000, sum=True) == copies
    assert Sketch.build([0.5, 1.5], frequency=[3, 1], sum=True).sum() == 3.0


def test_a_builder_takes_values_as_they_come():
    builder = SketchBuilder(0.01, tail="high", sum=True)
    assert builder.sketch().sum() is None
    builder.add(np.arange(100, dtype=np.int32))
    builder.add([0.5, 1.5], frequency=[2, 4])
    sketch = builder.sketch()
    assert (sketch.value_type, sketch.count, sketch.sum(), sketch.max()) == ("DOUBLE", 106, 4957.0, 99.0)
    assert Sketch.from_bytes(sketch.to_bytes()) == sketch
    assert builder.sketch() == sketch
    with pytest.raises(ChronosketchError, match="UNSUPPORTED_TYPE"):
        SketchBuilder(sum=True).add([np.datetime64("2026-01-01")])


@pytest.mark.parametrize(
    "question", ["sum", "mean", "variance", "stddev", "skewness", "kurtosis", "moment_bounds"]
)
def test_a_sketch_without_sums_says_how_to_build_one_with_them(question):
    sketch = Sketch.build([1, 2], 0.01, tail="low")
    call = r"quantile_sketch_agg\(value, epsilon => 0.01, tail => 'low', sum => true\)"
    with pytest.raises(ChronosketchError, match=rf"NO_SUMS\] Sketch.{question} needs the sums .* {call}"):
        getattr(sketch, question)
    assert not hasattr(sketch, question)


def test_only_numbers_have_sums_and_sum_is_true_or_false():
    with pytest.raises(ChronosketchError, match=r"UNSUPPORTED_TYPE.* a number.* DATE"):
        Sketch.build([np.datetime64("2026-01-01")], sum=True)
    with pytest.raises(ChronosketchError, match=r"UNKNOWN_SUM.* 'yes'"):
        Sketch.build([1], sum="yes")
    with pytest.raises(ChronosketchError, match="UNKNOWN_SUM"):
        SketchBuilder(sum=1)


def test_a_stored_sum_that_no_values_have_is_refused():
    data = bytearray(Sketch.build([1, 2, 300], sum=True).to_bytes())
    for at in range(len(data) - 12, len(data) - 4):
        changed = bytearray(data)
        changed[at] ^= 0x40
        with pytest.raises(ChronosketchError, match="CORRUPT"):
            Sketch.from_bytes(sealed(changed))
