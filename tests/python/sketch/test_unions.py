"""Unions of many quantile sketches certify what is true, within epsilon, in few tuples."""

import random
from itertools import combinations_with_replacement

import golden
import mutations
import numpy as np
import pytest
from certificates import require_certificate
from chronosketch import arrow
from chronosketch.sketch import ChronosketchError, QuantileSketch, Sketch, SketchBuilder
from chronosketch.sketch.quantile.tuples import share
from chronosketch.sketch.window.union import TupleList, UnitedTuples, unite
from hypothesis import given, settings
from hypothesis import strategies as st

VALUES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=60),
    st.lists(st.integers(0, 5), min_size=1, max_size=60),
    st.tuples(st.integers(1, 400), st.integers(1, 50)).map(lambda p: [i % p[1] * i for i in range(p[0])]),
    st.tuples(st.integers(0, 10**6), st.integers(1, 2000)).map(lambda p: list(range(p[0], p[0] + p[1]))),
)
EPSILONS = st.sampled_from([0.0, 1e-3, 0.01, 0.1, 0.3, 0.5])


@settings(max_examples=150)
@given(st.lists(st.tuples(VALUES, EPSILONS), min_size=1, max_size=30), st.integers(2, 5))
def test_the_certificate_holds_over_levels_of_unions(parts, at_once):
    """Merge `at_once` sketches at a time, and these unions again."""
    sketches = [Sketch.build(values, epsilon) for values, epsilon in parts]
    while True:
        for sketch, (values, epsilon) in zip(sketches, parts, strict=True):
            require_certificate(sketch, values, epsilon)
        if len(parts) == 1:
            return
        whole = Sketch.merge_all(sketches)
        require_certificate(whole, [v for values, _ in parts for v in values], max(e for _, e in parts))
        groups = [range(i, min(i + at_once, len(parts))) for i in range(0, len(parts), at_once)]
        sketches = [Sketch.merge_all([sketches[i] for i in group]) for group in groups]
        parts = [
            ([v for i in group for v in parts[i][0]], max(parts[i][1] for i in group)) for group in groups
        ]


def test_a_column_of_sketches_has_the_same_union():
    chance = random.Random(3)
    parts = [[chance.randrange(1000) for _ in range(chance.choice([1, 30, 3000]))] for _ in range(200)]
    sketches = [Sketch.build(part, 0.01) for part in parts]
    rows = [sketch.to_bytes() for sketch in sketches]
    assert arrow.merge(rows) == Sketch.merge_all(sketches).to_bytes()
    keys = [chance.randrange(20) for _ in rows]
    merged = arrow.merge_by(keys, rows)
    for key, data in zip(merged["key"].to_pylist(), merged["sketch"].to_pylist(), strict=True):
        values = [v for part, k in zip(parts, keys, strict=True) if k == key for v in part]
        require_certificate(Sketch.from_bytes(data), values, 0.01)


def test_a_sketch_that_is_alone_in_its_group_keeps_what_it_says():
    rows = [data for data in golden.stored().values() if data[golden.FAMILY_AT] == 1]
    keys = list(range(len(rows)))
    merged = arrow.merge_by([*keys, -1, -1], [*rows, rows[0], rows[0]])["sketch"].to_pylist()
    for one, data in zip(merged, rows, strict=False):
        before, after = (Sketch.from_bytes(some).tuples.steps() for some in (data, one))
        assert [column.tolist() for column in after] == [column.tolist() for column in before]


def test_a_group_of_more_sketches_than_are_held_is_thinned_on_the_way(monkeypatch):
    from chronosketch.arrow import unions

    monkeypatch.setattr(unions, "_KEYS", 1 << 10)
    monkeypatch.setattr(unions, "_MOST_KEYS", 1 << 13)
    monkeypatch.setattr(unions, "_ROWS", 64)
    parts = np.random.default_rng(5).integers(0, 10**9, (600, 400))
    rows = [Sketch.build(part, 0.01).to_bytes() for part in parts]
    for keys in (np.zeros(600, int), np.arange(600) // 250, np.arange(600) // 128):
        merged = arrow.merge_by(keys, rows)["sketch"].to_pylist()
        for key, data in enumerate(merged):
            sketch = Sketch.from_bytes(data)
            require_certificate(sketch, parts[keys == key].reshape(-1).tolist(), 0.01)
            assert len(sketch.tuples) * 0.01 <= 6


@pytest.mark.parametrize("seed", range(10))
def test_unions_of_any_valid_bytes_are_within_the_sum_of_their_bounds(seed):
    """Merge changed golden files: bytes that nobody built, but that are read."""
    chance = random.Random(seed)
    files = [data for data in mutations.files() if data[golden.FAMILY_AT] == 1]
    sketches = []
    while len(sketches) < 40:
        try:
            sketches.append(Sketch.from_bytes(mutations.changed(chance, files)))
        except ChronosketchError:
            continue
    for _ in range(60):
        some = chance.sample(sketches, chance.choice([2, 3, 10]))
        try:
            union = Sketch.merge_all(some)
        except ChronosketchError as refused:
            assert refused.condition.endswith(("VALUE_TYPES_DIFFER", "COUNT_OVERFLOW"))
            continue
        full = [sketch for sketch in some if not sketch.is_empty]
        assert Sketch.from_bytes(union.to_bytes()) == union
        if not full:
            continue
        assert union.count == sum(sketch.count for sketch in full)
        assert union.rank_error <= max(sketch.epsilon for sketch in full)
        profiles = [sketch.cast(union.value_type).profile for sketch in full]
        for i, key in enumerate(union.profile.keys):
            low, high = union.profile.rank_bounds(i)
            at = [profile.rank_bounds(profile.position(key)) for profile in profiles]
            assert low <= sum(least for least, _ in at)
            assert high >= sum(most for _, most in at)


def test_sizes_of_unions():
    """Hold unions to 1.5 times the tuples of the JVM (docs/algorithms.md, Sizes)."""
    values = np.random.default_rng(1).standard_normal((1000, 10_000))
    sketches = [Sketch.build(part) for part in values]
    union = Sketch.merge_all(sketches)
    assert len(union.tuples) * 1e-3 <= 2.85
    assert union.rank_error <= 1e-3
    # parts of 10 000 values, merged by 30, 12 and 10: 2.7, 2.7 and 3.9 in the JVM
    for at_once, most in ((30, 4.05), (12, 4.05), (2, 5.85)):
        groups = range(0, len(sketches), at_once)
        sketches = [Sketch.merge_all(sketches[i : i + at_once]) for i in groups]
        assert max(len(sketch.tuples) for sketch in sketches) * 1e-3 <= most
        assert all(sketch.rank_error <= 1e-3 for sketch in sketches)


def shapes(n):
    i, chance = np.arange(n), np.random.default_rng(3)
    heavy = np.where(chance.random(n) < 1 / 3, chance.integers(-5000, 5000, n), chance.integers(0, 4, n))
    crowded = np.where(i < 20, i * 10**9, chance.integers(-300, 300, n))
    zigzag = np.where(i % 2 == 0, i, -i)
    return [chance.integers(-(10**6), 10**6, n), chance.integers(-40, 40, n), i, zigzag, heavy, crowded]


@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.1])
def test_unions_of_two_are_not_much_larger_than_in_the_jvm(epsilon):
    """The JVM unites the tuples of both, and drops those that fit into half of the allowed error."""
    sketches = [Sketch.build(values, epsilon) for n in (40, 400, 6000) for values in shapes(n)]
    for left, right in combinations_with_replacement(sketches, 2):
        ours = left.merge(right)
        theirs = UnitedTuples(unite(TupleList.of(left.tuples), TupleList.of(right.tuples)))
        are_exact = left.tuples.is_exact and right.tuples.is_exact
        if not are_exact or len(theirs.tuples) * epsilon > 2:
            theirs.drop(share(epsilon, ours.count))
        most = len(QuantileSketch(ours.header, theirs.tuples.frozen()).to_bytes())
        assert len(ours.to_bytes()) <= 1.5 * most + 40


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.1])
def test_a_builder_takes_values_as_they_come(epsilon):
    builder = SketchBuilder(epsilon)
    assert builder.sketch().count == 0
    chance = np.random.default_rng(2)
    given = []
    for _ in range(40):
        values = chance.integers(0, 10**6, chance.choice([1, 100, 20_000]))
        given += values.tolist()
        builder.add(values)
    require_certificate(builder.sketch(), given, epsilon)
    builder.add([7, None], frequency=[3, 1])
    assert builder.count == builder.sketch().count == len(given) + 3


def test_a_builder_widens_its_type():
    builder = SketchBuilder()
    builder.add(np.array([1, 2], np.int8))
    builder.add([0.5])
    assert (builder.sketch().value_type, builder.sketch().quantile([0, 1])) == ("DOUBLE", [0.5, 2.0])
    with pytest.raises(ChronosketchError, match=r"VALUE_TYPES_DIFFER\] SketchBuilder\.add"):
        builder.add([2**40])
    assert SketchBuilder(type="date").sketch().value_type == "DATE"
