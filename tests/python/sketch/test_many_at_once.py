"""Checksums, sorts and varints of many sketches at once are those of each."""

import numpy as np
import pytest
from chronosketch.arrow.decoding import Varints
from chronosketch.sketch.codec.checksums import PADDING, checksums
from chronosketch.sketch.codec.hashes import crc32c
from chronosketch.sketch.codec.wire import Writer
from chronosketch.sketch.quantile.encoding import varint_lengths, write_varints
from chronosketch.sketch.quantile.segments import order_within, picked, put, sort_within, starts_of
from hypothesis import given
from hypothesis import strategies as st

LONGS = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize(
    "lengths",
    [
        [],
        [8],
        [9, 10, 11, 12, 13, 14, 15, 16],
        range(8, 600),
        [263, 264, 265],
        [100_000, 8, 4097],
        [200] * 5000,
    ],
    ids=lambda lengths: f"{len(lengths)} rows",
)
def test_checksums_of_many_rows(lengths):
    lengths = np.array(lengths, np.int64)
    data = np.random.default_rng(1).integers(0, 256, int(lengths.sum()) + PADDING, np.uint8)
    end = PADDING + np.cumsum(lengths)
    sums = checksums(data, end - lengths, end).tolist()
    rows = zip((end - lengths).tolist(), end.tolist(), strict=True)
    assert sums == [crc32c(data[start:stop].tobytes()) for start, stop in rows]


SIZES = st.lists(st.integers(0, 40) | st.sampled_from([3000]), max_size=8)
KEYS = st.sampled_from(
    [
        lambda chance, n: chance.integers(-3, 3, n),
        lambda chance, n: chance.integers(-(2**63), 2**63 - 1, n),
        # so far apart that the last bits have no room, but different in them
        lambda chance, n: chance.integers(-2, 2, n) * 2**62 + chance.integers(0, 4, n),
        lambda chance, n: np.full(n, 2**63 - 1),
    ]
)


@given(SIZES | st.builds(lambda size, n: [size] * n, st.integers(1, 30), st.integers(1, 9)), KEYS)
def test_keys_are_sorted_within_each_segment(sizes, keys_of):
    sizes = np.array(sizes, np.int64)
    keys = keys_of(np.random.default_rng(2), int(sizes.sum()))
    order, found = order_within(keys, sizes)
    assert sort_within(keys, sizes).tolist() == found.tolist()
    for start, size in zip(starts_of(sizes).tolist(), sizes.tolist(), strict=True):
        part = slice(start, start + size)
        assert found[part].tolist() == sorted(keys[part].tolist())
        assert (order[part] - start).tolist() == np.argsort(keys[part], kind="stable").tolist()


@pytest.mark.parametrize("size", [0, 3, 500])
def test_segments_are_picked_and_put(size):
    values = np.arange(3000)
    starts, sizes = np.array([2000, 100, 0]), np.array([size, size, 7])
    elements = picked(values, starts, sizes)
    expected = [*range(2000, 2000 + size), *range(100, 100 + size), *range(7)]
    assert elements.tolist() == expected
    target = np.full(3000, -1)
    put(target, starts, sizes, elements)
    assert (np.flatnonzero(target >= 0).tolist(), target[expected].tolist()) == (sorted(expected), expected)


@given(st.lists(st.integers(0, 127) | LONGS, min_size=1, max_size=50), st.integers(0, 49))
def test_varints_of_many_numbers(values, cut):
    w = Writer()
    for value in values:
        w.varint(value)
    numbers = np.array(values, np.int64)
    lengths = varint_lengths(numbers.view(np.uint64))
    data = np.zeros(len(w) + 17, np.uint8)
    write_varints(data, 1 + np.cumsum(lengths, dtype=np.int64) - lengths, numbers.view(np.uint64), lengths)
    assert data[1 : len(w) + 1].tobytes() == w.result()
    sizes = np.array([size for size in (min(cut, len(values)), max(0, len(values) - cut)) if size])
    read, bad = Varints(data).values(1 + starts_of(sizes), sizes)
    assert (read.tolist(), bad.any()) == (values, False)


@pytest.mark.parametrize(("last", "is_bad"), [(b"\x01", False), (b"\x02", True), (b"\x80\x00", True)])
def test_numbers_of_more_than_64_bits_are_found(last, is_bad):
    data = np.frombuffer(b"\x00\x05" + b"\xff" * 9 + last + bytes(16), np.uint8)
    assert Varints(data).values(np.array([1]), np.array([2]))[1].tolist() == [False, is_bad]
