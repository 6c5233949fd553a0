"""Sketches of a tail keep their promise at every rank, and are merged with their like only."""

from bisect import bisect_left, bisect_right
from fractions import Fraction

import numpy as np
import pytest
from certificates import require_certificate
from chronosketch.sketch import ChronosketchError, Sketch, SketchBuilder
from chronosketch.sketch.quantile.tail_sketch import BothTailsSketch, HighTailSketch, LowTailSketch
from chronosketch.sketch.quantile.tail_thinning import spare
from hypothesis import given, settings
from hypothesis import strategies as st

KINDS = [HighTailSketch, LowTailSketch, BothTailsSketch]
TAILS = {"high": HighTailSketch, "low": LowTailSketch, "both": BothTailsSketch}
EPSILONS = st.sampled_from([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5])
VALUES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=60),
    st.lists(st.integers(0, 5), max_size=60),
    st.tuples(st.integers(0, 600), st.integers(1, 50)).map(lambda p: [i % p[1] * i for i in range(p[0])]),
)


def require_promise(sketch, values):
    """Require that the answer at every rank is off by at most epsilon times the elements of its tail."""
    ordered = sorted(values)
    n = len(ordered)
    epsilon = Fraction(sketch.epsilon)
    high, low = sketch.tail.is_high, sketch.tail.is_low
    keys, at_least, at_most = (column.tolist() for column in sketch.tuples.steps())
    for below, past in zip([0, *at_least], [1, *(rank + 1 for rank in at_most[:-1])], strict=False):
        half = (past - below) // 2
        near = min(below if low else n, n - past + 1 if high else n)
        assert half <= epsilon * (near + half)
    for rank in range(1, n + 1, max(1, n // 500)):
        answer = sketch.quantile(Fraction(rank, n).limit_denominator(10**9) if n < 1000 else rank / n)
        error = max(0, bisect_left(ordered, answer) + 1 - rank, rank - bisect_right(ordered, answer))
        near = min(rank if low else n, n - rank + 1 if high else n)
        # φ is read as a decimal, which may be one rank away
        assert error <= epsilon * near + 1
    assert keys == sorted(set(keys))


@settings(max_examples=100)
@given(st.lists(st.tuples(VALUES, EPSILONS), min_size=1, max_size=5), st.sampled_from(list(TAILS)))
def test_a_union_keeps_the_promise_of_the_largest_epsilon(parts, tail):
    first, *others = [Sketch.build(values, epsilon, type="bigint", tail=tail) for values, epsilon in parts]
    union = first.merge(*others)
    values = [value for some, _ in parts for value in some]
    assert (type(union), union.count) == (TAILS[tail], len(values))
    assert Sketch.from_bytes(union.to_bytes()) == union
    if values:
        require_certificate(union, values, max(epsilon for _, epsilon in parts))


@pytest.mark.parametrize("kind", KINDS)
def test_sketches_of_many_values_keep_the_promise_and_stay_small(kind):
    random = np.random.default_rng(46)
    for values in (
        (random.pareto(1.0, 60_000) * 1e6).astype(np.int64),
        np.arange(60_000),
        random.integers(0, 40, 60_000),
        np.array([0.0, -0.0, np.nan, np.inf, -np.inf] * 4_000),
    ):
        whole = kind.build(values, epsilon=0.02)
        ordered = sorted(values.tolist()) if values.dtype != np.float64 else None
        level = [kind.build(part, epsilon=0.02) for part in np.array_split(values, 100)]
        while len(level) > 1:
            level = [Sketch.merge_all(level[i : i + 10]) for i in range(0, len(level), 10)]
        for sketch in (whole, level[0]):
            assert Sketch.from_bytes(sketch.to_bytes()) == sketch
            assert sketch.count == len(values)
            if ordered is not None:
                require_promise(sketch, ordered)
                require_certificate(sketch, ordered, 0.02)
        assert len(level[0].tuples) <= 4 * kind.tail.size(0.02, len(values))


def test_the_high_tail_is_far_sharper_than_a_uniform_sketch():
    values = np.arange(1_000_000)
    sharp, uniform = HighTailSketch.build(values, 0.01), Sketch.build(values, 0.001)
    assert abs(sharp.quantile(0.9999) - 999_899) <= 1
    assert abs(uniform.quantile(0.9999) - 999_899) >= 20
    assert np.diff(sharp.bounds(0.9999))[0] <= 3


def test_frequencies_count_like_copies():
    values = np.arange(3_000) * 7 % 1_013
    copies = Sketch.build(np.repeat(values, 5), 0.05, tail="both")
    assert Sketch.build(values, 0.05, frequency=[5] * 3_000, tail="both") == copies


def test_a_builder_takes_values_as_they_come():
    values = np.random.default_rng(3).pareto(1.0, 300_000)
    builder = SketchBuilder(0.01, tail="high")
    for part in np.array_split(values, 7):
        builder.add(part)
    sketch = builder.sketch()
    assert (type(sketch), sketch.count) == (HighTailSketch, 300_000)
    require_promise(sketch, values.tolist())


def test_sketches_of_different_tails_are_refused_unless_one_is_empty():
    full = [Sketch.build([1, 2], 0.1), *(kind.build([1, 2], 0.1) for kind in KINDS)]
    empty = [Sketch.build([], 0.1, type="bigint"), *(kind.build([], 0.1, type="bigint") for kind in KINDS)]
    for i, one in enumerate(full):
        for j, other in enumerate(full):
            if i != j:
                with pytest.raises(ChronosketchError, match="FAMILIES_DIFFER"):
                    one.merge(other)
                assert one.merge(empty[j]) == one


@pytest.mark.parametrize("build", [Sketch.build, lambda values, tail: SketchBuilder(tail=tail)])
def test_an_unknown_tail_is_refused(build):
    with pytest.raises(ChronosketchError, match=r"UNKNOWN_TAIL.* the tail 'upper'\. Write 'high'"):
        build([1], tail="upper")


def test_what_a_gap_may_have_is_never_rounded_up():
    random = np.random.default_rng(7)
    for _ in range(2_000):
        epsilon = float(10 ** -random.uniform(0.31, 6))
        near = int(2 ** random.uniform(0, 62))
        half = int(spare(epsilon, 1.0, np.array([near]))[0]) // 2
        assert half <= Fraction(epsilon) * (near + half)
        more = half + 1 + half // 10**6
        assert more > Fraction(epsilon) * (near + more)
