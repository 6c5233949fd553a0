"""What Spark takes for a sketch, Python does, and nothing else."""

import random
import sys
from pathlib import Path

import pytest
from chronosketch import functions as cf
from chronosketch.sketch import ChronosketchError, Sketch

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
