"""Write KLL sketches, which the library for Python must answer within the error that it claims."""

import datetime
import decimal
import math

import golden
import numpy as np
import pytest
from chronosketch import arrow
from chronosketch.errors import ChronosketchError
from chronosketch.sketch import Sketch, SketchBuilder

datasketches = pytest.importorskip("datasketches", reason="datasketches has no wheel for this Python")

PHIS = [0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.995, 0.999, 1.0]
#: Sketches of each type. There are three types.
SKETCHES = 3400


def read(data, kind="double"):
    if kind == "bigint":
        return datasketches.kll_items_sketch.deserialize(data, datasketches.PyLongsSerDe())
    library = {"double": datasketches.kll_doubles_sketch, "float": datasketches.kll_floats_sketch}[kind]
    return library.deserialize(data)


def worst(ordered, library):
    """Return the greatest rank error of quantiles, as a share of the count."""
    n = len(ordered)
    answers = np.array([library.get_quantile(phi, True) for phi in PHIS], ordered.dtype)
    ranks = np.maximum(1, [math.ceil(phi * n) for phi in PHIS])
    low = np.searchsorted(ordered, answers, "left") + 1
    high = np.searchsorted(ordered, answers, "right")
    return max(0, *(low - ranks), *(ranks - high)) / n


def values(n, chance, kind="double"):
    shape = chance.integers(5)
    if shape == 0:
        made = chance.normal(size=n)
    elif shape == 1:
        made = np.exp(chance.normal(size=n, scale=3))
    elif shape == 2:
        made = chance.integers(5, size=n).astype(float)
    elif shape == 3:
        made = np.full(n, 7.5)
    else:
        made = chance.choice([-math.inf, math.inf, 0.0, -0.0, 5e-324, 0.3], size=n)
    if kind == "bigint":
        return np.clip(made * 1e3, -9e18, 9e18).astype(np.int64)
    return made.astype(np.float32 if kind == "float" else np.float64)


@pytest.mark.parametrize("kind", ["double", "float", "bigint"])
def test_the_library_answers_thousands_within_the_error_that_it_claims(kind):
    for seed in range(SKETCHES):
        chance = np.random.default_rng(seed)
        n = chance.choice([0, 1, 2, 3, 8, 20, 199, 200, 201, 900, 5000])
        k = [None, None, 8, 20, 200][chance.integers(5)]
        epsilon = chance.choice([0.0, 1e-3, 0.01, 0.1, 0.3])
        numbers = values(n, chance, kind)
        library = read(Sketch.build(numbers, epsilon).to_kll(k), kind)
        assert library.n == n
        if n:
            error = worst(np.sort(numbers), library)
            assert (library.get_min_value(), library.get_max_value()) == (numbers.min(), numbers.max())
            assert error <= library.normalized_rank_error(False)
            if k is None:
                assert error <= 2 * epsilon or error <= 1 / n


def test_the_library_merges_them_with_its_own():
    numbers = values(30_000, np.random.default_rng(5))
    merged = datasketches.kll_doubles_sketch(200)
    for start in range(0, 30_000, 1000):
        merged.merge(read(Sketch.build(numbers[start : start + 1000], 0.01).to_kll(200)))
    merged.update(3.0)
    ordered = np.sort(np.append(numbers, 3.0))
    assert merged.n == len(ordered)
    # what it claims is wrong in 1 of 100 questions; twice as much, in one of four million
    assert worst(ordered, merged) <= 2 * merged.normalized_rank_error(False)


@pytest.mark.parametrize("copies", [1 << 40, (1 << 60) + 3, (1 << 61) - 1])
def test_the_library_reads_counts_of_many_bits(copies):
    library = read(Sketch.build([1.0, 2.0, 3.0], 0.01, frequency=[copies] * 3).to_kll())
    assert library.n == 3 * copies
    claimed = library.normalized_rank_error(False)
    for value, share in ((0.5, 0), (1.0, 1 / 3), (2.0, 2 / 3), (3.0, 1)):
        assert abs(library.get_rank(value, True) - share) <= claimed


@pytest.mark.parametrize("epsilon", [0.15, 0.25, 0.3, 0.4, 0.5])
def test_exact_sketches_are_written_whatever_their_epsilon(epsilon):
    library = read(Sketch.build([1.0, 2.0], epsilon, frequency=[700_000, 300_001]).to_kll())
    assert abs(library.get_rank(1.0, True) - 0.7) <= library.normalized_rank_error(False)


def test_equal_sketches_give_equal_bytes():
    builder = SketchBuilder(0.01)
    builder.add(np.arange(5000.0))
    first, again = Sketch.build(np.arange(5000.0)[::-1], 0.01), Sketch.from_bytes(builder.sketch().to_bytes())
    assert first.to_kll() == again.to_kll() == first.to_kll()


def test_whole_columns_are_written_as_single_sketches_are():
    sketches = [Sketch.build(range(n), 0.01) for n in (0, 1, 7, 5000)]
    column = [*(s.to_bytes() for s in sketches), None]
    assert arrow.to_kll(column, 100).to_pylist() == [*(s.to_kll(100) for s in sketches), None]
    assert arrow.to_kll([b"CSV,with,commas"], errors="null").to_pylist() == [None]
    with pytest.raises(arrow.RowError, match=r"Row 1: .*arrow\.to_kll can't write values of type DATE"):
        arrow.to_kll([None, Sketch.build([], type="date").to_bytes()])


OTHER_TYPES = {
    "DECIMAL(9,2)": ([decimal.Decimal("1.50")], "CAST(value AS DOUBLE)"),
    "DATE": ([datetime.date(2026, 1, 1)], "unix_date(value)"),
    "TIMESTAMP": ([], "unix_micros(value)"),
    "TIMESTAMP_NTZ": (
        [datetime.datetime(2026, 1, 1)],
        "timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01', value)",
    ),
    "INTERVAL YEAR TO MONTH": ([], "CAST(CAST(value AS INTERVAL MONTH) AS INT)"),
    "INTERVAL DAY TO SECOND": ([datetime.timedelta(1)], "TIMESTAMP_NTZ'1970-01-01' + value)"),
    "TIME(6)": ([datetime.time(1)], "time_diff('MICROSECOND', TIME'00:00:00', value)"),
}


@pytest.mark.parametrize("name", OTHER_TYPES)
def test_other_types_are_refused_with_a_number_to_build_of(name):
    made, number = OTHER_TYPES[name]
    with pytest.raises(ChronosketchError) as refused:
        Sketch.build(made, type=name).to_kll()
    assert f"can't write values of type {name} into a KLL sketch" in str(refused.value)
    assert str(refused.value).endswith(f"{number}.")


def test_what_a_kll_sketch_cannot_hold_is_refused_by_name():
    with pytest.raises(ChronosketchError, match="values that are NaN"):
        Sketch.build([1.0, math.nan]).to_kll()
    with pytest.raises(ChronosketchError, match=r"k = 7. It must be in \[8, 65535\]"):
        Sketch.build([1.0]).to_kll(7)
    with pytest.raises(TypeError, match=r"k is a whole number, not 200\.5"):
        Sketch.build([1.0]).to_kll(200.5)
    with pytest.raises(ChronosketchError, match=r"k = 65536. It must be in \[8, 65535\]"):
        arrow.to_kll([], 65536)
    histogram = Sketch.from_bytes(golden.stored()["imported_histogram"])
    with pytest.raises(ChronosketchError, match=r"45\.6% off .* finer buckets or a larger sample"):
        histogram.to_kll()
    with pytest.raises(ChronosketchError, match="to_kll does not work on the family ddsketch"):
        Sketch.from_bytes(golden.stored()["ddsketch_double"]).to_kll()
