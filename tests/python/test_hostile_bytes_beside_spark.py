"""Python accepts the same bytes as Spark, and refuses all others with the same messages."""

import random
import sys
from pathlib import Path

import pytest
from chronosketch import functions as cf
from chronosketch.sketch import ChronosketchError, Sketch
from pyspark.errors import PySparkException

sys.path.insert(0, str(Path(__file__).parent / "sketch"))
import mutations

pytestmark = pytest.mark.classic


def described(data):
    try:
        sketch = Sketch.from_bytes(data)
    except ChronosketchError:
        return None
    return sketch.family, sketch.describe().count


def test_the_same_bytes_are_sketches(spark):
    chance = random.Random(20261124)
    files = mutations.files()
    changed = [mutations.changed(chance, files) for _ in range(6000)]
    rows = spark.createDataFrame([(i, bytearray(data)) for i, data in enumerate(changed)], "i INT, s BINARY")
    good = rows.where(cf.is_sketch("s"))
    answers = (
        good.select("i", cf.sketch_describe("s").alias("d")).select("i", "d.family", "d.count").collect()
    )
    known = {row.i: (row.family, row["count"]) for row in answers}
    assert len(known) > 300
    differ = {
        i: (described(data), known.get(i), data.hex())
        for i, data in enumerate(changed)
        if described(data) != known.get(i)
    }
    assert differ == {}


def refused_by_python(data):
    with pytest.raises(ChronosketchError) as refused:
        Sketch.from_bytes(data)
    return refused.value


def test_refusals_have_the_same_text(spark):
    chance = random.Random(7)
    files = mutations.files()
    changed = [mutations.changed(chance, files) for _ in range(300)]
    refused = [data for data in changed if described(data) is None]
    # about a dozen different reasons, with one example each
    by_reason = {refused_by_python(data).sentences: data for data in refused}
    cases = [b"", b"PK\x03\x04", files[0][:8], files[0][:-1], files[0] + b"x", *list(by_reason.values())[:12]]
    for data in cases:
        ours = refused_by_python(data)
        rows = spark.createDataFrame([(bytearray(data),)], "sketch BINARY")
        with pytest.raises(PySparkException) as theirs:
            rows.select(cf.sketch_count("sketch")).collect()
        assert theirs.value.getCondition() == ours.condition
        assert theirs.value.getSqlState() == ours.sql_state
        assert ours.sentences.replace("Sketch.from_bytes", "sketch_count") in str(theirs.value)


def test_a_question_names_the_same_families(spark):
    sketch = Sketch.build([1, 2])
    rows = spark.createDataFrame([(bytearray(sketch.to_bytes()),)], "sketch BINARY")
    with pytest.raises(PySparkException) as theirs:
        rows.select(cf.sketch_versions("sketch")).collect()
    with pytest.raises(ChronosketchError) as ours:
        sketch.versions()
    assert ours.value.sentences.replace("Sketch.versions", "sketch_versions") in str(theirs.value)
