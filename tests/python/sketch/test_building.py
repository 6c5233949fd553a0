"""Quantile sketches that Python builds are as exact and as small as promised."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from certificates import require_certificate
from chronosketch import arrow
from chronosketch.sketch import ChronosketchError, DDSketch, QuantileSketch, Sketch, SketchBuilder
from hypothesis import given
from hypothesis import strategies as st


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


@pytest.mark.parametrize("counts", [3, np.ones((1, 1), int), {1: 2}, pd.DataFrame({"a": [1]}), pa.scalar(3)])
def test_single_frequencies_and_tables_are_refused(counts):
    with pytest.raises(TypeError, match=r"^frequency "):
        Sketch.build([1], frequency=counts)


def test_masked_frequencies_are_skipped():
    counts = np.ma.array([1, 2, 3], mask=[False, True, False])
    assert Sketch.build([10, 20, 30], frequency=counts).count == 4
    masked = np.ma.array([10, 20, 30], mask=[False, False, True])
    assert Sketch.build(masked, frequency=counts) == Sketch.build([10])


def test_frequencies_that_are_not_counts_are_named():
    with pytest.raises(ChronosketchError, match="takes a whole number as its frequency, but True"):
        Sketch.build([1], frequency=[True])
    # pandas turns whole numbers into doubles where one is missing
    counts = pd.Series([math.nan, 3])
    with pytest.raises(ChronosketchError, match=r"frequency\.round\(\)\.astype\('Int64'\)"):
        Sketch.build([1, 2], frequency=counts)
    assert Sketch.build([1, 2], frequency=counts.round().astype("Int64")).count == 3


def test_parameters_of_other_types_are_refused():
    for epsilon in ("0.1", None, [0.1]):
        with pytest.raises(TypeError, match=r"epsilon is .*: give a number in"):
            Sketch.build([1], epsilon=epsilon)
    assert Sketch.build([1], epsilon=np.array(0.25)).epsilon == 0.25
    for name in (3, pa.int32(), np.int32):
        with pytest.raises(TypeError, match=r"type is .*: give the name of a SQL type"):
            Sketch.build([1], type=name)


def test_a_builder_says_how_to_name_one_type():
    builder = SketchBuilder()
    builder.add([1])
    with pytest.raises(ChronosketchError, match=r"SketchBuilder\(type='double'\)"):
        builder.add([2.5])
    assert builder.sketch() == Sketch.build([1])


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


@pytest.mark.parametrize("epsilon", ["0.1", None, True, np.True_, [0.1], b"1"])
def test_a_parameter_that_is_not_a_number_is_named(epsilon):
    for build in (Sketch.build, DDSketch.build, SketchBuilder, lambda _, e: arrow.build_by(["a"], [1], e)):
        arguments = (epsilon,) if build is SketchBuilder else ([1], epsilon)
        with pytest.raises(TypeError, match=r"(epsilon|alpha) is .*: give a number in \[0"):
            build(*arguments)


@pytest.mark.parametrize("epsilon", [Decimal("0.1"), np.float32(0.1), np.array(0.1), Fraction(1, 10)])
def test_a_parameter_is_any_number(epsilon):
    assert Sketch.build([1], epsilon).to_bytes() == Sketch.build([1], float(epsilon)).to_bytes()
