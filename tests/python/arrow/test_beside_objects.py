"""Questions to a column have the same answers as questions to each of its sketches."""

import random
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import golden
import mutations
import pyarrow as pa
import pytest
from chronosketch import arrow
from chronosketch.arrow.bins import Bins
from chronosketch.arrow.column import batches, binary_of, chunked
from chronosketch.arrow.decoding import decode
from chronosketch.arrow.typed import type_of
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.refusal import Refusal
from chronosketch.sketch.union import Union
from hypothesis import given
from hypothesis import strategies as st

PHIS = [0, 0.001, 0.25, 0.5, Decimal("0.99"), 1]
TYPES = ["double", "float", "bigint", "smallint", "decimal(12, 3)"]
TIMES = ["date", "timestamp", "interval day to second"]
GOLDEN = list(golden.stored().values())


def alone(one):
    """Wrap a question to the bytes of one row. It returns None for NULL rows and rows that cannot answer."""

    def answer(data):
        try:
            found = None if data is None else one(Sketch.from_bytes(data))
        except ChronosketchError:
            return None
        return None if isinstance(found, list) and None in found else found

    return answer


def arrow_of(answers, name, *, width=None):
    domain = type_of(domain_named(name)) if isinstance(name, str) else name
    kind = domain if width is None else pa.list_(domain, width)
    return pa.array(answers, kind)


def pairs(found):
    return None if found is None else [{"low": low, "high": high} for low, high in found]


def agree(column, rows, name="double", value=3):
    """Compare all questions to a column with those to `rows`, its bytes."""
    several = arrow_of([alone(lambda s: s.quantile(PHIS, name))(row) for row in rows], name, width=len(PHIS))
    assert same(arrow.quantile(column, PHIS, name, errors="null"), several)
    both = pa.struct([("low", type_of(domain_named(name))), ("high", type_of(domain_named(name)))])
    enclosed = [alone(lambda s: pairs(none_in(s.bounds(PHIS, name))))(row) for row in rows]
    assert same(arrow.bounds(column, PHIS, name, errors="null"), arrow_of(enclosed, both, width=len(PHIS)))
    for end in ("min", "max"):
        asked = [alone(lambda s, end=end: getattr(s, end)(name))(row) for row in rows]
        assert same(getattr(arrow, end)(column, name, errors="null"), arrow_of(asked, name))
    for question, kind in (("count", "bigint"), ("rank_error", "double")):
        asked = [alone(lambda s, question=question: getattr(s, question))(row) for row in rows]
        assert same(getattr(arrow, question)(column, errors="null"), arrow_of(asked, kind))
    ranks = [alone(lambda s: s.rank(value))(row) for row in rows]
    assert same(arrow.rank(column, value, errors="null"), arrow_of(ranks, "bigint"))
    # one point if it is NaN, or too large: a BIGINT has none above it, and a double does not differ
    points = [value, value + 7] if value < value + 7 < 2**63 else [value]
    bounded = [alone(lambda s: shares(s.cdf_bounds(points)))(row) for row in rows]
    assert same(arrow.cdf_bounds(column, points, errors="null"), arrow_of(bounded, SHARES, width=len(points)))
    known = [None if row is None else bool(alone(lambda s: True)(row)) for row in rows]
    assert arrow.is_sketch(column).to_pylist() == known


SHARES = pa.struct([(name, pa.float64()) for name in ("share", "low", "high")])


def shares(found):
    return None if found is None else [one._asdict() for one in found]


def none_in(found):
    return None if None in found else found


def same(left, right):
    """Return whether two arrays are equal, counting NaN as equal to itself."""
    assert left.type.equals(right.type) or str(left.type) == str(right.type), (left.type, right.type)
    assert repr(left.to_pylist()) == repr(right.to_pylist())
    return True


@pytest.mark.parametrize("name", TYPES)
def test_golden_files(name):
    agree(chunked(GOLDEN), GOLDEN, name)


@pytest.mark.parametrize("name", TIMES)
def test_golden_files_of_times(name):
    """Compare times as Arrow values: Python lacks years beyond 9999 and pyarrow long intervals."""
    rows = [row for row in GOLDEN if alone(lambda s: [s.min(), s.max()])(row) or is_numeric(row)]
    century = timedelta(days=36525)
    rows = [row for row in rows if not isinstance(end := greatest(row), timedelta) or abs(end) < century]
    assert len(rows) > 20
    agree(chunked(rows), rows, name)


def greatest(row):
    return alone(lambda s: s.max())(row)


def is_numeric(row):
    return Sketch.from_bytes(row).domain.is_numeric


@pytest.mark.parametrize("value", [-1, 0.5, 10**18, float("nan"), float("inf"), Decimal("2.5")])
def test_ranks_of_golden_files(value):
    ranks = [alone(lambda s: s.rank(value))(row) for row in GOLDEN]
    assert arrow.rank(GOLDEN, value, errors="null").to_pylist() == ranks


@pytest.mark.parametrize("point", [-1, 0.5, 10**18, float("nan"), float("inf"), Decimal("2.5")])
def test_shares_of_golden_files(point):
    bounds = [alone(lambda s: s.cdf_bounds(point))(row) for row in GOLDEN]
    found = arrow.cdf_bounds(GOLDEN, point, errors="null").to_pylist()
    assert found == [None if one is None else one._asdict() for one in bounds]


def test_points_are_checked_before_any_row():
    for wrong in ([2, 1], [1, 1.0]):
        with pytest.raises(ChronosketchError, match="INVALID_POINTS"):
            arrow.cdf_bounds([None], wrong, errors="null")
    with pytest.raises(ChronosketchError, match="UNSUPPORTED_TYPE"):
        arrow.cdf_bounds([None], "a", errors="null")
    assert arrow.cdf_bounds([Sketch.build([1]).to_bytes(), None], []).to_pylist() == [[], None]
    with pytest.raises(arrow.RowError, match="Row 1"):
        arrow.cdf_bounds([Sketch.build([1]).to_bytes(), Sketch.build([timedelta(1)]).to_bytes()], 5)


def test_intact_sketches_are_decoded_together():
    """Otherwise the other tests would compare objects with themselves."""
    (batch,) = batches(chunked(GOLDEN))
    found = {int(row) for profiles in decode(batch) for row in profiles.rows}
    sketches = [Sketch.from_bytes(data) for data in GOLDEN]
    assert found == {i for i, s in enumerate(sketches) if s.number == 1 and s.count > 0}


@pytest.mark.parametrize("seed", range(20))
def test_changed_bytes_are_refused_as_by_single_sketches(seed):
    chance = random.Random(seed)
    files = [data for data in mutations.files() if data[golden.FAMILY_AT] == 1]
    rows = [mutations.changed(chance, files) for _ in range(300)]
    known = [alone(lambda s: True)(row) or False for row in rows]
    assert arrow.is_sketch(rows).to_pylist() == known
    phis = [0.5, 0.99]
    quantiles = [alone(lambda s: s.quantile(phis, "double"))(row) for row in rows]
    assert repr(arrow.quantile(rows, phis, errors="null").to_pylist()) == repr(quantiles)


@pytest.mark.parametrize("seed", range(5))
def test_ddsketches_are_decoded_together_as_by_single_sketches(seed):
    chance = random.Random(seed)
    files = [data for data in mutations.files() if data[golden.FAMILY_AT] == DDSketch.number]
    rows = [*(mutations.changed(chance, files) for _ in range(300)), *files, files[0][:10], b""]
    (batch,) = batches(chunked(rows))
    bins = Bins.of(batch)
    known = [alone(lambda s: s.number == DDSketch.number and s.count > 0)(row) or False for row in rows]
    assert bins.rows.tolist() == [i for i, is_known in enumerate(known) if is_known]
    written = [Sketch.from_bytes(rows[i]).to_bytes() for i in bins.rows]
    assert binary_of(*bins.encoded()).to_pylist() == written


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.lists(st.integers(-200, 200), max_size=20),
            st.sampled_from([0.01, 0.01, 0.01, 0.1]),
            st.sampled_from(["int", "int", "bigint", "double", "decimal(9, 2)"]),
        ),
        max_size=15,
    )
)
def test_ddsketches_are_merged_together_as_by_single_sketches(parts):
    rows = [DDSketch.build(values, alpha, type=name).to_bytes() for _, values, alpha, name in parts]
    keys = [key for key, *_ in parts]
    merged = arrow.merge_by(keys, rows, errors="null")
    for key, data in zip(merged["key"].to_pylist(), merged["sketch"].to_pylist(), strict=True):
        union = Union()
        for row in (row for k, row in zip(keys, rows, strict=True) if k == key):
            with suppress(Refusal):
                union.add(Sketch.from_bytes(row))
        assert data == union.result().to_bytes()


numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.integers(-5, 5), st.floats(), st.decimals(-1000, 1000, places=2)
)


def built(values, epsilon, name):
    try:
        return Sketch.build(values, epsilon, name).to_bytes()
    except ChronosketchError:
        return Sketch.build([], epsilon).to_bytes()


sketches = st.one_of(
    st.builds(
        built,
        st.lists(numbers, max_size=40),
        st.sampled_from([0, 0.01, 0.3, 0.5]),
        st.sampled_from([None, "float"]),
    ),
    st.builds(
        lambda top, step, epsilon: built(range(0, top, step), epsilon, None),
        st.integers(0, 3000),
        st.integers(1, 7),
        st.sampled_from([0.01, 0.1, 0.5]),
    ),
    st.sampled_from([data for data in GOLDEN if len(data) < mutations.SMALL]),
)
rows_of_any_kind = st.one_of(
    sketches,
    st.none(),
    st.binary(max_size=40),
    st.builds(lambda data, at, bit: flipped(data, at, bit), sketches, st.integers(0, 400), st.integers(0, 7)),
)


def flipped(data, at, bit):
    changed = bytearray(data)
    changed[at % len(data)] ^= 1 << bit
    return bytes(changed)


@given(
    st.lists(rows_of_any_kind, max_size=12),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([pa.binary(), pa.large_binary()]),
    st.sampled_from(TYPES),
    st.one_of(numbers),
)
def test_any_rows(rows, skipped, cut, kind, name, value):
    """Include slices and chunks, which have offsets."""
    array = pa.array([b"CHRS", *rows, None], kind)[1:-1][skipped:]
    column = pa.chunked_array([array[:cut], array[cut:]], kind)
    agree(column, rows[skipped:], name, value)


def test_more_rows_than_a_batch_has():
    """Use rows of mostly one length, a few much longer ones, and NULLs."""
    chance = random.Random(7)
    rows = [Sketch.build([chance.gauss(0, 1) for _ in range(n % 40)]).to_bytes() for n in range(500)] * 20
    rows[10] = Sketch.build(range(0, 300_000, 3), 0).to_bytes()
    rows[17:9000:1000] = [None] * len(rows[17:9000:1000])
    one = alone(lambda s: s.quantile(0.9))
    answers = {row: one(row) for row in set(rows)}
    assert arrow.quantile(rows, 0.9).to_pylist() == [answers[row] for row in rows]


def test_no_phi_has_an_empty_list_where_a_sketch_answers():
    column = [
        Sketch.build([1, 2]).to_bytes(),
        None,
        Sketch.build([]).to_bytes(),
        DDSketch.build([1]).to_bytes(),
    ]
    for question in (arrow.quantile, arrow.bounds):
        assert question(column, []).to_pylist() == [[], None, None, []]
        assert question(column[:1], 0).to_pylist() == question(column[:1], [0]).flatten().to_pylist()
