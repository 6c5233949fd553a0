"""Import and export the bytes of other libraries' Python sketches."""

import math
import random

import ddsketch.pb.ddsketch_pb2 as pb
import pytest
from chronosketch import functions as cf
from ddsketch import LogCollapsingLowestDenseDDSketch
from ddsketch.ddsketch import BaseDDSketch
from ddsketch.mapping import CubicallyInterpolatedMapping, LinearlyInterpolatedMapping, LogarithmicMapping
from ddsketch.pb.proto import DDSketchProto
from ddsketch.store import DenseStore
from pyspark.sql import functions as F

ALPHA = 0.02
MAPPINGS = {
    "logarithmic": LogarithmicMapping,
    "linear": LinearlyInterpolatedMapping,
    "cubic": CubicallyInterpolatedMapping,
}


def values():
    chance = random.Random(1)
    return [0.0, *(chance.choice([-1, 1]) * math.exp(chance.gauss(0, 5)) for _ in range(1500))]


def filled(sketch):
    for value in values():
        sketch.add(value)
    return sketch


def of(mapping):
    return filled(BaseDDSketch(mapping(ALPHA), DenseStore(), DenseStore(), 0.0))


def written(sketch):
    return DDSketchProto.to_proto(sketch).SerializeToString()


def assert_bounds_hold(spark, payload, **arguments):
    s = cf.sketch_from_ddsketch(F.lit(payload), "python", **arguments)
    points = [-500.0, -1.0, 0.0, 0.01, 1.0, 20.0, 1000.0]
    phis = [0.01, 0.25, 0.5, 0.75, 0.99]
    bounds = [cf.sketch_rank_bounds("s", point) for point in points]
    row = (
        spark.range(1)
        .select(s.alias("s"))
        .select(F.array(*bounds).alias("ranks"), cf.sketch_quantile_bounds("s", phis).alias("quantiles"))
        .first()
    )
    ordered = sorted(values())
    for point, (low, high) in zip(points, row.ranks, strict=True):
        assert low <= sum(value <= point for value in ordered) <= high
    for phi, (low, high) in zip(phis, row.quantiles, strict=True):
        assert low <= ordered[math.ceil(phi * len(ordered)) - 1] <= high
    return row


@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_imported_python_ddsketches_are_within_their_bounds(spark, mapping):
    row = assert_bounds_hold(spark, written(of(mapping)))
    for low, high in row.quantiles:
        assert high - low <= 2.1 * ALPHA * max(abs(low), abs(high))


def test_collapsed_bins_are_within_their_bounds(spark):
    sketch = filled(LogCollapsingLowestDenseDDSketch(ALPHA, bin_limit=20))
    assert_bounds_hold(spark, written(sketch), collapsed="lowest")


def test_python_ddsketch_reads_exported_sketches_within_alpha(spark):
    rows = spark.createDataFrame([(value,) for value in values()], "value double")
    payload = rows.agg(cf.sketch_to_ddsketch(cf.ddsketch_agg("value", ALPHA), "python")).first()[0]
    theirs = DDSketchProto.from_proto(pb.DDSketch.FromString(bytes(payload)))
    ordered = sorted(values())
    assert theirs.count == len(ordered)
    for quantile in (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0):
        exact = ordered[math.floor(quantile * (len(ordered) - 1))]
        assert abs(theirs.get_quantile_value(quantile) - exact) <= ALPHA * abs(exact)
