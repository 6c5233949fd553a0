"""Samples are merged as in Spark."""

import golden
import pytest
from chronosketch.sketch import ChronosketchError, Sketch
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.sample.identified import BernoulliSample, PrioritySample
from chronosketch.sketch.sample.sketch import ReservoirSample, Seen
from hypothesis import example, given, settings
from hypothesis import strategies as st

INT = Domain(Kind.INT)
ROWS = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 2**63 - 1)), max_size=40)


def header(size):
    return Header(INT, (float(size), 7.0, 0.01))


def of(kind, size, rows):
    """Build a sample by inserting rows one by one."""
    sample = kind(header(size), Seen(0, 0, 0), [])
    for key, priority in rows:
        sample = sample.merge(kind(header(size), Seen(1, key, key), [(key, priority)]))
    return sample


@example(BernoulliSample, 1, [(0, 0), (0, 1)], 1)
@example(BernoulliSample, 1, [(5, 0), (3, 0)], 1)
@settings(deadline=None)
@given(st.sampled_from([PrioritySample, BernoulliSample]), st.integers(1, 12), ROWS, st.integers(0, 40))
def test_a_sample_does_not_depend_on_partitions(kind, size, rows, cut):
    whole = of(kind, size, rows)
    parts = of(kind, size, rows[cut:]).merge(of(kind, size, rows[:cut]))
    assert parts == whole == Sketch.from_bytes(whole.to_bytes())
    if kind is PrioritySample:
        least = sorted(priority for _, priority in rows)[:size]
        assert sorted(priority for _, priority in whole.rows) == least
    keys = [key for key, _ in rows]
    assert (whole.count, whole.min(), whole.max()) == (
        (len(rows), min(keys), max(keys)) if rows else (0, None, None)
    )


@settings(deadline=None)
@given(st.integers(1, 12), ROWS, st.integers(0, 40))
def test_a_reservoir_keeps_only_inserted_rows(size, rows, cut):
    rows = [(key, 0) for key, _ in rows]
    sample = of(ReservoirSample, size, rows[:cut]).merge(of(ReservoirSample, size, rows[cut:]))
    left = [key for key, _ in rows]
    for key in sample.sample():
        left.remove(key)
    assert len(sample.sample()) == min(size, len(rows))
    assert Sketch.from_bytes(sample.to_bytes()) == sample


def test_the_description_of_a_sample():
    sample = Sketch.from_bytes(golden.stored()["priority_part"])
    description = sample.describe()
    assert (description.kept, description.confidence, description.error) == (100, 0.999, 0.2205)
    assert sample.sample()[:2] == [156, 409]
    assert sample.sample("double")[:1] == [156.0]
    with pytest.raises(ChronosketchError, match="VALUE_NOT_CONVERTIBLE"):
        sample.sample("date")


# Checksums of the JVM's unions of these samples, by Summary.merge.
MERGED = {
    ("reservoir_part", "reservoir_part"): "babec0e7",
    ("reservoir_part", "reservoir_merged"): "d27d1cdd",
    ("reservoir_copies", "reservoir_every_long"): "5feb8772",
    ("priority_part", "priority_merged"): "e057940c",
    ("priority_told", "priority_part"): "91ae9ccd",
    ("bernoulli_part", "bernoulli_merged"): "59df0e8f",
    ("bernoulli_copies", "bernoulli_every_long"): "229a6435",
}


@pytest.mark.parametrize(("left", "right"), MERGED)
def test_stored_samples_merge_to_the_bytes_that_the_jvm_makes(left, right):
    merged = Sketch.from_bytes(golden.stored()[left]).merge(Sketch.from_bytes(golden.stored()[right]))
    assert merged.to_bytes()[-4:].hex() == MERGED[left, right]
