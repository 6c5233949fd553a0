"""What a sample of a stack was at: the place of its innermost method that belongs to one."""

from __future__ import annotations

PARQUET = "Parquet: pages read and decoded"
ROWS = "Spark: rows made of columns, and rows copied"
EXCHANGE = "Spark: exchange, written, compressed and read"
SORT = "Spark: sort"
SPARK_GROUPS = "Spark: its own aggregates' groups and buffers"
WINDOWS = "Spark: its own window functions"
GENERATED = "Spark: generated code"
GROUPS = "ours: groups looked up"
COLUMNS = "ours: columns read, rows put into groups"
BAGS = "ours: insertion into bags"
FIRST = "ours: first summary of a bag"
UNITING = "ours: tuples united and thinned"
BYTES = "ours: encoding and decoding"
ANSWERS = "ours: answers"
SLIDING = "ours: sliding structures"
SLIDING_ROWS = "ours: rows of partitions, sorted and framed"
BUCKETS = "ours: buckets of windows joined"
HOPPING = "ours: panes and hopping windows"
OURS = "ours: the rest"
OTHER = "the rest of a task"
OUTSIDE = "outside tasks: planning, scheduling, Python"

_HASH = "org.apache.spark.sql.execution."
_AGGREGATE = "chronosketch.spark.aggregate."

# The first that fits counts, so the longer come first. Methods of java.*, scala.*, Spark's vectors of columns and its unsafe memory
# are in none: who called them is what counts.
_PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        GROUPS,
        (
            *(
                f"{_AGGREGATE}operator.{name}"
                for name in (
                    "LongKey",
                    "RowKeys",
                    "NearKeys",
                    "KeyTuples",
                    "GroupKeys",
                    "GroupingKeys",
                    "OneGroup",
                )
            ),
            f"{_AGGREGATE}columns.ColumnTuples",
        ),
    ),
    (
        COLUMNS,
        (f"{_AGGREGATE}columns.", f"{_AGGREGATE}operator.RowBatch", f"{_AGGREGATE}operator.AggregateState"),
    ),
    (
        UNITING,
        (
            *(
                f"chronosketch.quantile.{name}"
                for name in (
                    "TupleUnion",
                    "TupleScratch",
                    "Tuples",
                    "TupleArrays",
                    "WaitingTuples",
                    "MergeLimit",
                    "Crowds",
                )
            ),
            "chronosketch.sort.PairSort",
            "chronosketch.sort.KeyMerge",
        ),
    ),
    (
        FIRST,
        (
            "chronosketch.quantile.KeyBlocks",
            "chronosketch.quantile.HeavyCopies",
            "chronosketch.counted.",
            "chronosketch.sort.",
        ),
    ),
    (
        BYTES,
        (
            "chronosketch.codec.",
            "chronosketch.summary.Envelope",
            "chronosketch.quantile.GreenwaldKhannaWire",
            "chronosketch.window.WindowWire",
            "chronosketch.window.ContentWire",
            "chronosketch.spark.hopping.panes.SummaryBytes",
        ),
    ),
    (ANSWERS, ("chronosketch.rank.", f"{_AGGREGATE}Answer", f"{_AGGREGATE}Asked")),
    (BAGS, ("chronosketch.quantile.", "chronosketch.grouped.", "chronosketch.memory.")),
    (BUCKETS, ("chronosketch.bucketing.", "chronosketch.window.", "chronosketch.spark.window.")),
    (
        SLIDING_ROWS,
        (
            "chronosketch.spark.sliding.rows.",
            "chronosketch.spark.sliding.frames.",
            "chronosketch.spark.sliding.task.",
        ),
    ),
    (SLIDING, ("chronosketch.sliding.", "chronosketch.spark.sliding.")),
    (HOPPING, ("chronosketch.spark.hopping.",)),
    (OURS, ("chronosketch.",)),
    (
        PARQUET,
        (
            "org.apache.parquet.",
            "org.apache.spark.sql.execution.datasources.",
            "org.xerial.snappy.",
            "org.apache.hadoop.",
        ),
    ),
    (
        SORT,
        (
            "org.apache.spark.util.collection.unsafe.sort.",
            "org.apache.spark.util.collection.TimSort",
            f"{_HASH}UnsafeExternalRowSorter",
            f"{_HASH}SortExec",
        ),
    ),
    (
        SPARK_GROUPS,
        (
            f"{_HASH}aggregate.",
            f"{_HASH}UnsafeFixedWidthAggregationMap",
            "org.apache.spark.unsafe.map.",
            "org.apache.spark.sql.catalyst.expressions.aggregate.",
        ),
    ),
    (WINDOWS, (f"{_HASH}window.",)),
    (
        EXCHANGE,
        (
            "org.apache.spark.shuffle.",
            "org.apache.spark.storage.",
            "org.apache.spark.serializer.",
            "org.apache.spark.io.",
            "org.apache.spark.network.",
            f"{_HASH}UnsafeRowSerializer",
            f"{_HASH}exchange.",
            "net.jpountz.",
            "com.github.luben.zstd.",
        ),
    ),
    (
        ROWS,
        (
            "org.apache.spark.sql.catalyst.expressions.GeneratedClass$SpecificUnsafeProjection",
            "org.apache.spark.sql.catalyst.expressions.UnsafeRow",
            "org.apache.spark.sql.catalyst.expressions.codegen.",
            f"{_HASH}Columnar",
        ),
    ),
    (GENERATED, ("org.apache.spark.sql.catalyst.expressions.GeneratedClass$",)),
)


def place_of(frames: list[str]) -> tuple[str, str]:
    """Return the place of a stack, whose innermost method comes first, and the method that put it there."""
    for frame in frames:
        for place, prefixes in _PLACES:
            if frame.startswith(prefixes):
                return place, frame
    return OTHER, frames[0] if frames else ""
