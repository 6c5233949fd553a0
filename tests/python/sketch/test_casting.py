"""Sketches cast to another type are sketches of the cast values, or are refused by name."""

import math
from bisect import bisect_left, bisect_right
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

import golden
import numpy as np
import pytest
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from chronosketch.sketch.domain.casting import cast_of
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import value_of
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.moments.sketch import MomentsSketch
from chronosketch.sketch.moments.whole_tally import WholeTally
from hypothesis import given, settings
from hypothesis import strategies as st

NUMBERS = [
    domain_named(name)
    for name in (
        "tinyint",
        "int",
        "bigint",
        "float",
        "double",
        "decimal(5, 2)",
        "decimal(18, 0)",
        "decimal(18, 18)",
    )
]


def keys_of(domain):
    """Draw keys of a type, among them its ends."""
    if domain.is_floating:
        width = 32 if domain.kind == Kind.FLOAT else 64
        values = st.floats(width=width) | st.sampled_from([0.1, 0.5, 2.5, -1.005, 1e15, 2.0**63, -(2.0**63)])
        found = domain_named("double")
        made = values.map(lambda value: Sketch.build([value], type="double").profile.keys[0])
        return made.map(lambda key: cast_of(found, domain).key(key))
    ends = st.sampled_from([domain.least, domain.greatest, 0, 1, -1])
    return ends | st.integers(domain.least, domain.greatest) | st.integers(-9, 9)


def attempt(cast, key):
    try:
        return cast.key(key)
    except Exception as refusal:
        assert "VALUE_OUT_OF_RANGE" in str(refusal)
        return None


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_cast_keeps_order_and_gives_keys_of_its_type(data):
    given_type, to = data.draw(st.sampled_from(NUMBERS)), data.draw(st.sampled_from(NUMBERS))
    cast = cast_of(given_type, to)
    low, high = sorted((data.draw(keys_of(given_type)), data.draw(keys_of(given_type))))
    made = [key for key in (attempt(cast, low), attempt(cast, high)) if key is not None]
    assert made == sorted(made)
    assert all(map(to.holds, made))
    if cast.is_exact:
        assert [cast_of(to, given_type).key(key) for key in made] == [low, high]


@settings(deadline=None, max_examples=300)
@given(st.floats(-1e9, 1e9, exclude_min=True, exclude_max=True), st.integers(0, 9))
def test_a_double_becomes_the_decimal_that_it_is_written_as(value, scale):
    to = Domain(Kind.DECIMAL, 18, scale)
    (key,) = Sketch.build([value]).profile.keys
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    assert value_of(cast_of(domain_named("double"), to).key(key), to) == rounded


@settings(deadline=None, max_examples=300)
@given(st.integers(-(10**18) + 1, 10**18 - 1), st.integers(0, 18))
def test_a_decimal_becomes_the_nearest_double(key, scale):
    cast = cast_of(Domain(Kind.DECIMAL, 18, scale), domain_named("double"))
    assert value_of(cast.key(key), cast.to) == float(Decimal(f"{key}E-{scale}"))


CASTS = [
    ("double", "int", math.trunc),
    ("double", "bigint", math.trunc),
    ("double", "float", lambda value: float(np.float32(value))),
    ("double", "decimal(12, 1)", lambda v: Decimal(repr(v)).quantize(Decimal("0.1"), ROUND_HALF_UP)),
    ("decimal(12, 2)", "int", math.trunc),
    ("decimal(12, 2)", "double", float),
]


@pytest.mark.parametrize(("given_type", "to", "cast"), CASTS)
@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.05])
def test_a_cast_sketch_certifies_the_cast_values(given_type, to, cast, epsilon):
    chance = np.random.default_rng(3)
    for n in (1, 30, 20_000):
        values = chance.standard_normal(n) * 30
        if given_type.startswith("decimal"):
            values = [Decimal(f"{value:.2f}") for value in values.tolist()]
        made = Sketch.build(values, epsilon, type=given_type).cast(to)
        assert made.value_type == domain_named(to).sql
        exact = sorted(cast(value) for value in (values if isinstance(values, list) else values.tolist()))
        require_bounds(made, exact, epsilon)


def require_bounds(sketch, ordered, epsilon):
    """Require true bounds of ranks and quantiles. The answers themselves may be in a gap of the values."""
    n = len(ordered)
    assert (sketch.count, sketch.min(), sketch.max()) == (n, ordered[0], ordered[-1])
    assert sketch.rank_error <= epsilon
    keys = [value_of(key, sketch.domain) for key in sketch.profile.keys]
    for i, key in enumerate(keys):
        low, high = sketch.profile.rank_bounds(i)
        assert low <= bisect_right(ordered, key)
        assert (n if i + 1 == len(keys) else bisect_left(ordered, keys[i + 1])) <= high
    for phi in (0.01, 0.5, 0.9, 1):
        low, high = sketch.bounds(phi)
        assert low <= ordered[max(1, -(-int(phi * 100) * n // 100)) - 1] <= high
    assert Sketch.from_bytes(sketch.to_bytes()) == sketch
    assert sketch.tuples.are_valid(epsilon)


def test_cast_sketches_merge():
    whole = Sketch.build(np.arange(10_000), 0.01)
    union = whole.cast("double").merge(Sketch.build(np.arange(10_000) + 0.5, 0.01))
    require_bounds(union, [i / 2 for i in range(20_000)], 0.01)


@pytest.mark.parametrize(
    ("make", "to", "text"),
    [
        (lambda: Sketch.build([1.0, 1e300]), "bigint", "can't return 1.0E300 as BIGINT"),
        (lambda: Sketch.build([math.nan, 1.0]), "int", "can't return NaN as INT"),
        (lambda: Sketch.build([-math.inf]), "decimal(5, 2)", "can't return -Infinity as DECIMAL(5,2)"),
        (lambda: Sketch.build([-129, 128]), "tinyint", "can't return -129 as TINYINT"),
        (lambda: Sketch.build([Decimal("999.995")]), "decimal(5, 2)", "can't return 999.995 as DECIMAL(5,2)"),
        (lambda: Sketch.build([1]), "text", "asked for its answer as"),
        (lambda: Sketch.build([date(2026, 1, 1)]), "int", "no cast between them keeps the order"),
        (lambda: Sketch.build([date(2026, 1, 1)]), "timestamp", "depends on the time zone"),
        (lambda: DDSketch.build([Decimal("1.25")]), "double", "values would leave their bins"),
        (lambda: DDSketch.build([1.5]), "int", "ddsketch_agg(CAST(value AS INT), alpha => 0.01)"),
        (lambda: moments([2**53 + 1]), "double", "it has sums"),
        (
            lambda: Sketch.from_bytes(golden.stored()["history_tree"]),
            "double",
            "history.at_version(7)",
        ),
    ],
)
def test_what_a_cast_can_not_keep_is_refused(make, to, text):
    with pytest.raises(ChronosketchError, match=r"Sketch\.cast") as refused:
        make().cast(to)
    assert text in refused.value.sentences


def test_dates_become_midnights():
    days = Sketch.build([date(1969, 12, 31), date(2026, 1, 1)])
    assert days.cast("timestamp_ntz").quantile([0, 1]) == [datetime(1969, 12, 31), datetime(2026, 1, 1)]
    assert days.cast("timestamp_ntz").cast("date") == days


def test_ddsketches_of_whole_numbers_have_the_bins_of_doubles():
    values = [1, -50, 700, 2**40 + 1]
    assert DDSketch.build(values).cast("double") == DDSketch.build([float(value) for value in values])
    assert DDSketch.build(values).cast("decimal(18, 0)").max() == 2**40 + 1
    assert DDSketch.build([1.5], type="float").cast("double").value_type == "DOUBLE"


def moments(values, sql_type="bigint"):
    parts = (MomentsSketch(Header(domain_named(sql_type), ()), WholeTally.equal(1, v)) for v in values)
    return Sketch.merge_all(parts)


def test_moments_of_whole_numbers_are_those_of_doubles_and_decimals():
    values = [1, 2, 4, 2**50]
    as_doubles = moments(values).cast("double")
    for moment in ("sum", "mean", "variance", "stddev_pop"):
        exact, answer = moments(values).moment_bounds(moment), as_doubles.moment_bounds(moment)
        assert answer.value == exact.value
        assert answer.lower <= exact.lower
        assert exact.upper <= answer.upper
    assert Sketch.from_bytes(as_doubles.to_bytes()) == as_doubles
    assert moments([1, 2], "int").cast("decimal(12, 2)").exact_sum == Decimal("3.00")
    both = moments([1, 2], "int").merge(Sketch.from_bytes(golden.stored()["moments_double"]))
    assert both.value_type == "DOUBLE"


def test_an_empty_sketch_takes_any_type_of_its_kind():
    assert Sketch.build([], type="bigint").cast("decimal(5, 2)") == Sketch.build([], type="decimal(5, 2)")
    assert DDSketch.build([]).cast("decimal(5, 2)").count == 0
