"""Assigns a sample to a place: that of the innermost method of its stack that has one, or of its thread."""

from __future__ import annotations

import re

PARQUET = "Parquet: files opened, pages read and decoded"
ROWS = "Spark: rows made of columns, and rows copied"
EXCHANGE = "Spark: exchange, written, compressed and read"
SORT = "Spark: sort"
SPARK_GROUPS = "Spark: its own aggregates' groups and buffers"
WINDOWS = "Spark: its own window functions"
SINK = "Spark: the sink, which drops the rows"
TASKS = "Spark: tasks and their results, serialized and read"
COMPILED = "Spark: Java written and compiled"
GENERATED = "generated code, Spark's and ours"
GROUPS = "ours: groups looked up"
KEYS = "ours: values turned into numbers that sort"
BROUGHT = "ours: rows brought to their groups"
KEPT = "ours: values kept in sketches as they came"
SUMMARISED = "ours: values summarised"
SORTED = "ours: values sorted"
UNITING = "ours: sketches united and thinned"
BYTES = "ours: sketches encoded and decoded"
OTHERS = "ours: sketches of other kinds"
MEMORY = "ours: memory counted, and asked of Spark"
ANSWERS = "ours: answers"
SLIDING = "ours: answers of sliding frames"
SLIDING_ROWS = "ours: rows of partitions, sorted and framed"
PACKED = "ours: rows packed into blocks, and unpacked"
SHARED = "ours: overlapping windows made of shared parts"
BUCKETS = "ours: buckets of window sketches, made and joined"
HOPPING = "ours: panes and hopping windows"
OURS = "ours: the rest"
OTHER = "the rest of a task"
UNREAD = "tasks, where the stack could not be read"
COLLECTION = "the JVM: garbage collection"
COMPILATION = "the JVM: compilation"
OUTSIDE = "outside tasks: planning, scheduling, Python"

_EXECUTION = "org.apache.spark.sql.execution."
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."


def _of(package: str, names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names.split())


# The first matching prefix counts, so longer ones come first. Methods of java.*, scala.*, Spark's column vectors and its unsafe memory
# have no place: their callers count.
PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        GROUPS,
        (
            *_of(
                "chronosketch.spark.rows",
                "LongKey RowKeys ByteKeys TextKeys NearKeys KeyTuples GroupKeys OneGroup PartitionNumbers",
            ),
            "chronosketch.spark.aggregate.columns.ColumnTuples",
            "chronosketch.spark.aggregate.columns.ColumnTexts",
        ),
    ),
    (
        KEYS,
        (
            "chronosketch.domain.",
            "chronosketch.spark.aggregate.columns.ColumnKeys",
            *_of("chronosketch.spark.rows", "BitsOf KeyOf KeyPart OrderKey PackedKey"),
            "chronosketch.spark.sql.KeyCodec",
        ),
    ),
    (
        ANSWERS,
        (
            *_of("chronosketch.spark.aggregate", "Answer As FunctionCall"),
            "chronosketch.rank.",
            "chronosketch.spark.sketch.",
            "chronosketch.spark.sql.Phis",
        ),
    ),
    (
        BYTES,
        (
            "chronosketch.codec.",
            "chronosketch.summary.Envelope",
            "chronosketch.quantile.GreenwaldKhannaWire",
            *_of("chronosketch.window", "WindowWire ContentWire moments.MomentsWire"),
            *_of("chronosketch.window.sample", "CountsWire RowsWire"),
            "chronosketch.spark.hopping.panes.SummaryBytes",
        ),
    ),
    (
        UNITING,
        _of(
            "chronosketch.quantile",
            "TupleUnion UnitedTuples Thinning Scratch Tuples TupleArrays WaitingTuples MergeLimit StoredPart",
        ),
    ),
    (
        SUMMARISED,
        (
            *_of(
                "chronosketch.quantile",
                "Summarised KeyBlocks HeavyCopies CellCounts DenseGaps KeyIndex",
            ),
            "chronosketch.counted.",
        ),
    ),
    (
        KEPT,
        (
            *_of("chronosketch.grouped", "KeyBags LongArena Staging"),
            *_of("chronosketch", "quantile. summary. families."),
        ),
    ),
    (BROUGHT, _of("chronosketch", "grouped. spark.aggregate.")),
    (SORTED, ("chronosketch.sort.",)),
    (MEMORY, _of("chronosketch", "memory. spark.memory.")),
    (BUCKETS, _of("chronosketch", "bucketing. window. spark.window.")),
    (
        SLIDING_ROWS,
        _of("chronosketch.spark", "rows. sliding.rows. sliding.frames. sliding.task. sliding.ranges."),
    ),
    (PACKED, ("chronosketch.spark.sliding.exchange.",)),
    (
        SHARED,
        _of(
            "chronosketch.sliding.fold",
            "CellGrid CellRanks CellUnions FewValues Fold TwoStacks SketchFold Daba",
        ),
    ),
    (SLIDING, _of("chronosketch", "sliding. spark.sliding.")),
    (HOPPING, ("chronosketch.spark.hopping.",)),
    (OTHERS, _of("chronosketch", "moments. sample. ddsketch. qlove. history. interchange. shape. shaded.")),
    (OURS, ("chronosketch.",)),
    # before the prefix of reading files, whose package contains it
    (SINK, (f"{_EXECUTION}datasources.v2.",)),
    (
        PARQUET,
        (
            "org.apache.parquet.",
            f"{_EXECUTION}datasources.",
            "org.xerial.snappy.",
            "org.apache.hadoop.",
        ),
    ),
    (
        SORT,
        (
            "org.apache.spark.util.collection.unsafe.sort.",
            "org.apache.spark.util.collection.TimSort",
            f"{_EXECUTION}UnsafeExternalRowSorter",
            f"{_EXECUTION}SortExec",
            f"{_EXPRESSIONS}GeneratedClass$SpecificOrdering",
        ),
    ),
    (
        SPARK_GROUPS,
        (
            f"{_EXECUTION}aggregate.",
            f"{_EXECUTION}UnsafeFixedWidthAggregationMap",
            "org.apache.spark.unsafe.map.",
            f"{_EXPRESSIONS}aggregate.",
        ),
    ),
    (WINDOWS, (f"{_EXECUTION}window.",)),
    (TASKS, _of("org.apache.spark.serializer", "Java SerializerHelper")),
    (
        EXCHANGE,
        (
            "org.apache.spark.shuffle.",
            "org.apache.spark.storage.",
            "org.apache.spark.serializer.",
            "org.apache.spark.io.",
            "org.apache.spark.network.",
            f"{_EXECUTION}UnsafeRowSerializer",
            f"{_EXECUTION}exchange.",
            f"{_EXPRESSIONS}UnsafeRow.writeToStream",
            f"{_EXPRESSIONS}UnsafeRowChecksum",
            "net.jpountz.",
            "com.github.luben.zstd.",
        ),
    ),
    (
        ROWS,
        (
            f"{_EXPRESSIONS}GeneratedClass$SpecificUnsafeProjection",
            f"{_EXPRESSIONS}UnsafeRow",
            f"{_EXPRESSIONS}JoinedRow",
            *_of(f"{_EXPRESSIONS}codegen", "Unsafe BufferHolder"),
            f"{_EXECUTION}Columnar",
        ),
    ),
    (COMPILED, (f"{_EXPRESSIONS}codegen.", "org.codehaus.")),
    (GENERATED, (f"{_EXPRESSIONS}GeneratedClass$",)),
)

# By prefixes of thread names. The VM thread stops all others, mostly for a garbage collection.
_THREADS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (COLLECTION, ("GC Thread", "G1 ", "VM Thread", "ZWorker", "ZDriver", "Shenandoah")),
    (COMPILATION, ("C1 ", "C2 ", "JVMCI", "Sweeper thread")),
)


def place_of(frames: list[str]) -> tuple[str, str]:
    """Return the place of a task's stack, given innermost Java method first, and the method that determined it."""
    # Setting a field takes no time: such a sample belongs to what its caller does, such as allocating an array.
    counted = [frame for frame in frames if not frame.endswith("_$eq")]
    for frame in counted:
        for place, prefixes in PLACES:
            if frame.startswith(prefixes):
                return place, frame
    return (OTHER, counted[0]) if counted else (UNREAD, "")


def place_of_thread(thread: str) -> tuple[str, str]:
    """Return the place and the kind, without its number, of a thread that does not run a task."""
    place = next((place for place, names in _THREADS if thread.startswith(names)), OUTSIDE)
    # Linux cuts thread names after 15 characters, which shortens those of compilers.
    compiler, found, _ = thread.partition(" Compiler")
    kind = compiler if found else re.sub(r"[-#\d ]+$", "", thread)
    # Threads without a name serve calls from Python: they plan queries.
    return place, "py4j" if kind == "Thread" else kind
