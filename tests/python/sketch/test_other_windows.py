"""Windows of moments and samples are taken and merged as in Spark."""

from datetime import timedelta

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch, among_last, within_last

# Checksums of the JVM's windows of these sketches, by length in units.
TAKEN = {
    ("window_moments_double", 23847): "274b86db",
    ("window_moments_double", 238461): "cdfe5e81",
    ("window_moments_filtered", 30513): "92f2dcfb",
    ("window_moments_filtered", 305128): "2d606c04",
    ("window_moments_merged", 16634): "ddf2d887",
    ("window_moments_merged", 166333): "efbbb000",
    ("window_sample_part", 166634): "bfab3cc2",
    ("window_sample_part", 1666333): "365afc39",
    ("window_sample_told", 2): "d7471222",
    ("window_sample_told", 13): "3a7088ab",
    ("window_sample_merged", 66634): "5cba225b",
    ("window_sample_merged", 666333): "724512b6",
}

# Checksums of the JVM's unions of these sketches, by Summary.union.
MERGED = {
    ("restricted_moments_rows", "restricted_moments_rows"): "fee02d83",
    ("sampled_window", "sampled_window_as_of"): "81e47273",
    ("sampled_window_whole", "sampled_window"): "e4b74a93",
    ("sampled_window_empty", "sampled_window"): "4fd89d95",
    ("window_in_order", "window_small"): "65950d59",
    ("window_filtered", "window_filtered"): "7b535ed3",
    ("window_merged", "window_in_order"): "66c9185c",
    ("window_every_time", "window_every_time"): "f8bacce2",
    ("window_moments_double", "window_moments_specials"): "d49891a3",
    ("window_moments_filtered", "window_moments_filtered"): "828c5148",
    ("window_moments_merged", "window_moments_merged"): "b2f8005d",
    ("window_sample_part", "window_sample_whole"): "26b09d80",
    ("window_sample_forgetful", "window_sample_merged"): "0ab99e90",
    ("window_sample_told", "window_sample_told"): "2b662043",
}


def stored(name):
    return Sketch.from_bytes(golden.stored()[name])


@pytest.mark.parametrize(("name", "span"), TAKEN)
def test_a_window_has_the_bytes_that_the_jvm_makes(name, span):
    sketch = stored(name)
    units = {"TIMESTAMP": timedelta(microseconds=span), "DATE": timedelta(days=span)}
    length = units[sketch.time_domain.sql]
    assert sketch.window(within_last(length)).to_bytes()[-4:].hex() == TAKEN[name, span]


@pytest.mark.parametrize(("left", "right"), MERGED)
def test_windows_merge_to_the_bytes_that_the_jvm_makes(left, right):
    assert stored(left).merge(stored(right)).to_bytes()[-4:].hex() == MERGED[left, right]


def test_a_sample_refuses_a_window_in_rows():
    with pytest.raises(ChronosketchError, match="SAMPLE_OF_LAST_ROWS"):
        stored("window_sample_part").window(among_last(10))


def test_the_moments_of_a_window_in_rows_count_those_rows():
    sketch = stored("window_moments_double")
    window = sketch.window(among_last(100))
    assert window.count_bounds == (100, 100)
    value, lower, upper = window.moment_bounds("mean")
    assert lower <= value == window.mean() <= upper
    assert sketch.moment_bounds("count") == (700, 700, 700)


def test_the_description_of_a_window_sample():
    sketch = stored("window_sample_part")
    description = sketch.describe()
    assert description.kept == len(sketch.sample()) == sketch.size
    assert (description.count, description.confidence) == (sketch.count, 1 - sketch.delta)
    assert sketch.min() <= sketch.sample()[0] <= sketch.sample()[-1] <= sketch.max()
