"""Unions keep the guarantees of their parts, and incompatible sketches are refused."""

import math
import pickle
import sys
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import golden
import pytest
from chronosketch import arrow
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.casting import cast_of
from chronosketch.sketch.domain.domain import Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import example_of, value_of
from hypothesis import given, settings
from hypothesis import strategies as st

VALUES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=60),
    st.lists(st.integers(0, 5), max_size=60),
    st.tuples(st.integers(0, 400), st.integers(1, 50)).map(lambda p: [i % p[1] * i for i in range(p[0])]),
)
EPSILONS = st.sampled_from([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5])
PHIS = [0, 0.1, 0.5, 0.9, 1]


@settings(max_examples=150)
@given(st.lists(st.tuples(VALUES, EPSILONS), min_size=2, max_size=5))
def test_a_union_is_within_the_largest_epsilon(parts):
    first, *others = [Sketch.build(values, epsilon, type="bigint") for values, epsilon in parts]
    union = first.merge(*others)
    epsilon = max(epsilon for _, epsilon in parts)
    ordered = sorted(value for values, _ in parts for value in values)
    n = len(ordered)
    assert union.count == n
    assert Sketch.from_bytes(union.to_bytes()) == union
    if n == 0:
        return
    assert (union.min(), union.max()) == (ordered[0], ordered[-1])
    assert union.rank_error <= epsilon
    for phi in PHIS:
        rank = max(1, math.ceil(Fraction(str(phi)) * n))
        low, high = union.bounds(phi)
        assert low <= ordered[rank - 1] <= high
        answer = union.quantile(phi)
        below, at_most = (sum(v < answer for v in ordered), sum(v <= answer for v in ordered))
        assert below + 1 - epsilon * n <= rank <= at_most + epsilon * n
        low, high = union.rank_bounds(answer)
        assert low <= at_most <= high


DOUBLES = st.lists(st.floats() | st.sampled_from([0.0, 5e-324, 1.7976931348623157e308, -1.0]), max_size=40)


@settings(max_examples=150)
@given(DOUBLES, DOUBLES, st.sampled_from([1e-4, 0.01, 0.5]))
def test_a_ddsketch_is_within_alpha_of_the_value(left, right, alpha):
    union = DDSketch.build(left, alpha, "double").merge(DDSketch.build(right, alpha, "double"))
    assert union == DDSketch.build([*right, *left], alpha, "double")
    ordered = sorted(left + right, key=lambda v: (True, 0) if v != v else (False, v))
    for phi in PHIS if ordered else []:
        exact = ordered[max(1, math.ceil(Fraction(str(phi)) * len(ordered))) - 1]
        answer = union.quantile(phi)
        if math.isfinite(exact):
            assert abs(Fraction(answer) - Fraction(exact)) <= Fraction(alpha) * abs(Fraction(exact))
        else:
            assert repr(answer) == repr(exact)


def sketch_of_huge_count():
    return Sketch.from_bytes(golden.stored()["huge_counts"])


@pytest.mark.parametrize(
    ("merge", "condition"),
    [
        (lambda: Sketch.build([1]).merge(Sketch.build([1.5])), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([1]).merge(Sketch.build([date(2026, 1, 1)])), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([Decimal("1.5")]).merge(Sketch.build([Decimal(1)])), "VALUE_TYPES_DIFFER"),
        (lambda: Sketch.build([1]).merge(DDSketch.build([1])), "FAMILIES_DIFFER"),
        (lambda: DDSketch.build([1], 0.1).merge(DDSketch.build([1], 0.2)), "ALPHAS_DIFFER"),
        (lambda: DDSketch.build([timedelta(1)]), "NO_RELATIVE_ERROR"),
        (lambda: DDSketch.build([1], 0.9), "PARAMETER_OUT_OF_RANGE"),
        (lambda: sketch_of_huge_count().merge(Sketch.build([1])), "COUNT_OVERFLOW"),
    ],
)
def test_incompatible_sketches_are_refused(merge, condition):
    with pytest.raises(ChronosketchError, match=f"CHRONOSKETCH_{condition}") as refused:
        merge()
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


@pytest.mark.parametrize(
    ("full", "empty"),
    [
        (Sketch.build([1, 2], epsilon=0.01), Sketch.build([], epsilon=0.2)),
        (Sketch.build([1, 2]), Sketch.build([], type="date")),
        (DDSketch.build([1, 2], 0.1), DDSketch.build([], 0.2)),
    ],
)
def test_an_empty_sketch_is_neutral_whatever_its_parameters(full, empty):
    for union in (full.merge(empty), empty.merge(full), empty.merge(full, empty)):
        assert union.to_bytes() == full.to_bytes()
    fresh = type(full).from_bytes(empty.to_bytes())
    assert fresh.merge(empty) == empty
    other = (
        Sketch.build([], epsilon=0.3) if isinstance(full, type(Sketch.build([]))) else DDSketch.build([], 0.3)
    )
    assert empty.merge(other).to_bytes() == other.merge(empty).to_bytes()
    assert empty.merge(other) in (empty, other)


@pytest.mark.parametrize(
    ("left", "right", "wider"),
    [
        ("tinyint", "bigint", "BIGINT"),
        ("float", "double", "DOUBLE"),
        ("int", "double", "DOUBLE"),
        ("smallint", "float", "DOUBLE"),
        ("int", "float", "DOUBLE"),
        ("int", "decimal(6, 2)", "DECIMAL(12,2)"),
        ("tinyint", "decimal(18, 15)", "DECIMAL(18,15)"),
        ("decimal(5, 1)", "decimal(6, 3)", "DECIMAL(7,3)"),
        ("date", "date", "DATE"),
    ],
)
def test_sketches_of_two_types_have_the_values_of_both(left, right, wider):
    values = [date(2026, 1, 2)] if left == "date" else [-7, 3, 127]
    sketches = [Sketch.build(values, type=name) for name in (left, right)]
    for union in (sketches[0].merge(sketches[1]), sketches[1].merge(sketches[0])):
        assert union.value_type == wider
        assert (union.min(), union.max(), union.count) == (values[0], values[-1], 2 * len(values))
        assert union.rank(values[0]) == 2
        assert Sketch.from_bytes(arrow.merge([s.to_bytes() for s in sketches])) == union


def test_ddsketches_of_two_types_have_the_bins_of_both():
    union = DDSketch.build([1, -50, 700], type="int").merge(DDSketch.build([0.25, 1.0]))
    assert union == DDSketch.build([1.0, -50.0, 700.0, 0.25, 1.0])
    with pytest.raises(ChronosketchError, match="VALUE_TYPES_DIFFER"):
        DDSketch.build([1], type="int").merge(DDSketch.build([Decimal("0.25")]))


@pytest.mark.parametrize(
    "values", [range(1, 101), [date(2026, 1, 1)], [Decimal("1.5")], [0.5], [timedelta(1)]]
)
def test_an_empty_sketch_merges_with_any(values):
    full = Sketch.build(values)
    for empty in (Sketch.build([]), Sketch.build([None]), Sketch.build([], 0.3, "date")):
        assert full.merge(empty) == empty.merge(full) == Sketch.merge_all([empty, empty, full]) == full
        stored = [full.to_bytes(), empty.to_bytes()]
        for rows in (stored, stored[::-1]):
            assert arrow.merge(rows) == full.to_bytes()
            assert arrow.merge_by(["k", "k"], rows)["sketch"].to_pylist() == [full.to_bytes()]


def test_the_row_that_does_not_fit_is_named():
    rows = [Sketch.build([value]).to_bytes() for value in (1, 2, 2.5, 3)]
    with pytest.raises(arrow.RowError, match=r"Row 2: .*BIGINT values and DOUBLE values") as refused:
        arrow.merge(rows)
    assert refused.value.row == 2
    with pytest.raises(arrow.RowError, match="Row 3"):
        arrow.merge_by(["a", "b", "b", "b"], [rows[2], rows[0], rows[1], rows[2]])
    assert Sketch.from_bytes(arrow.merge(rows, errors="null")).count == 3


def test_bytes_are_not_merged():
    with pytest.raises(TypeError, match="from_bytes"):
        Sketch.build([1]).merge(Sketch.build([2]).to_bytes())


NAMES = [
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(1, 0)",
    "decimal(5, 2)",
    "decimal(7, 0)",
    "decimal(15, 0)",
    "decimal(18, 0)",
    "decimal(18, 18)",
    "date",
    "timestamp",
    "timestamp_ntz",
    "time(6)",
    "interval month",
    "interval day to second",
]
NUMBERS = [domain_named(name) for name in NAMES[:12]]


def extremes(domain):
    """Give the numbers of a type that another type most likely misses."""
    if domain.is_floating:
        greatest = {
            Kind.FLOAT: [2.0**128 - 2.0**104, 2.0**24 - 1],
            Kind.DOUBLE: [sys.float_info.max, 2.0**53 - 1],
        }
        return [Fraction(v) for v in [*greatest[domain.kind], doubles.nearest_float(0.1)]]
    return [Fraction(key, 10**domain.second) for key in (domain.least, domain.greatest, domain.greatest - 1)]


def holds(wide, domain):
    """Return whether a type holds the extremes of another without losing a digit."""

    def exactly(number):
        if wide.kind == Kind.FLOAT:
            return abs(number) < 2**128 and Fraction(doubles.nearest_float(float(number))) == number
        if wide.kind == Kind.DOUBLE:
            return Fraction(float(number)) == number
        key = number * 10**wide.second
        return key.denominator == 1 and wide.least <= key <= wide.greatest

    return all(map(exactly, extremes(domain)))


@pytest.mark.parametrize("left", NAMES)
def test_types_that_do_not_widen_are_refused_with_a_cast_that_loses_nothing(left):
    for right in NAMES:
        a, b = domain_named(left), domain_named(right)
        if a.coerced(b) is not None:
            continue
        with pytest.raises(ChronosketchError, match="VALUE_TYPES_DIFFER") as refused:
            # an empty sketch would merge with any other
            Sketch.build([value_of(0, a)], 0.01, type=left).merge(
                Sketch.build([value_of(0, b)], 0.01, type=right)
            )
        text = refused.value.sentences
        assert f"{a.sql} values and {b.sql} values" in text
        common = a.common(b)
        assert common == b.common(a)
        if common is None:
            assert f"Build both from values of one type, {a.sql} or {b.sql}." in text
            # no cast of its own: any would lose digits
            assert "CAST" not in text
            assert "cast('" not in text
            assert ("sketch_cast(sketch, type)" in text) == (cast_of(a, b) is not None)
            assert not (a.is_numeric and b.is_numeric and any(holds(n, a) and holds(n, b) for n in NUMBERS))
            continue
        assert f": quantile_sketch_agg(CAST(value AS {common.sql}), epsilon => 0.01)." in text
        can_cast = all(domain == common or cast_of(domain, common) for domain in (a, b))
        assert (f"Or cast them: sketch.cast('{common.sql}')" in text) == can_cast
        if can_cast:
            Sketch.build([value_of(0, a)], type=left).cast(common.sql).merge(
                Sketch.build([value_of(0, b)], type=right).cast(common.sql)
            )
        if a.is_numeric:
            assert holds(common, a)
            assert holds(common, b)
        else:
            assert {a.kind, b.kind} == {Kind.DATE, common.kind}
        wide = [Sketch.build([], type=common.sql), Sketch.build([], type=common.sql)]
        assert wide[0].merge(wide[1]).value_type == common.sql


def test_what_to_build_instead_is_of_the_family():
    def refused(left, right):
        with pytest.raises(ChronosketchError, match="TYPES_DIFFER") as error:
            left.merge(right)
        return error.value.sentences

    assert "ddsketch_agg(CAST(value AS DECIMAL(7,2)), alpha => 0.1)." in refused(
        DDSketch.build([1], 0.1, "smallint"), DDSketch.build([Decimal("1.5")], 0.1, "decimal(5, 2)")
    )
    with pytest.raises(ChronosketchError, match=r"BIGINT values and DATE values.* Give values of one type\."):
        Sketch.build([1, date(2026, 1, 1)])
    # every family that an aggregate builds, by the bytes that the JVM stored
    families = set()
    for data in golden.stored().values():
        sketch = Sketch.from_bytes(data)
        families.add(sketch.family)
        if not sketch.aggregate:
            assert (sketch.family, sketch._built_of("INT")) == ("imported sketch", "")
            continue
        assert sketch._built_of("INT").startswith(f"{sketch.aggregate[0]}(CAST({sketch.aggregate[1]} AS INT)")
        if len(sketch.aggregate) > 2 and "=>" not in sketch.aggregate[2]:
            assert f", CAST({sketch.aggregate[2]} AS DATE)" in sketch._built_with_second("DATE")
    assert len(families) == 25


def test_a_value_of_another_type_is_refused_with_one_that_has_a_place():
    names = {"date": date, "datetime": datetime, "time": time, "timedelta": timedelta, "timezone": timezone}
    for name in NAMES:
        domain = domain_named(name)
        example = "0" if domain.is_numeric else example_of(domain)
        held = Sketch.build([eval(example, names)], type=name)
        with pytest.raises(ChronosketchError, match="VALUE_NOT_COMPARABLE") as refused:
            held.rank(time(1) if name == "date" else date(2026, 1, 1))
        shown = refused.value.sentences.partition("e.g. ")[2].removesuffix(".")
        assert held.rank(eval(shown, names)) == 1, name


def test_a_refusal_names_the_call():
    with pytest.raises(ChronosketchError, match=r"DDSketch\.build was given alpha = 0\.9"):
        DDSketch.build([1], 0.9)
    with pytest.raises(ChronosketchError, match=r"Sketch\.merge can't merge a ddsketch of alpha 0\.1"):
        DDSketch.build([1], 0.1).merge(DDSketch.build([1], 0.2))
