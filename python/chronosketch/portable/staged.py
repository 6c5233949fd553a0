"""Sketch the groups of a DataFrame in two stages: where the rows are, and then the sketches of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DoubleType,
    FloatType,
    IntegerType,
    MapType,
    StringType,
    StructField,
    StructType,
    YearMonthIntervalType,
)

from chronosketch.columns import listed_columns
from chronosketch.errors import ChronosketchError
from chronosketch.portable.parts import builder, merger
from chronosketch.portable.workers import reach_workers
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.domain.domain import TYPES_IN_WORDS
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Column, DataFrame

# The name of the last column between the stages: of values, and of sketches.
_LAST = "sketch"


@refusing_as("cs.portable.sketch")
def sketch(
    df: DataFrame,
    by: str | Sequence[str] = (),
    values: str | None = None,
    epsilon: float = 1e-3,
    column: str = "sketch",
    tail: str | None = None,
    sum: bool = False,  # noqa: A002
) -> DataFrame:
    """Sketch the values of every group, before rows are moved.

    Each task sketches the rows that it has, by group. Only these sketches are moved, and those of a group are
    merged. In EXPLAIN, the first is ``MapInArrow build_sketches``, the second, above the ``Exchange``,
    ``MapInArrow merge_sketches``.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows, of a classic or a Connect session. It need not have the jar, nor any registration.
    by : str or sequence of str, default none
        The columns to group by. NULL is a group like any other.
    values : str
        The column that is measured: a number (a DECIMAL has at most 18 digits), DATE, TIMESTAMP,
        TIMESTAMP_NTZ, TIME or INTERVAL. NULL is skipped. NaN counts as the largest number.
    epsilon : float, default 0.001
        The allowed rank error, as a share of the number of values, from 0 to 0.5. With 0 every value is kept.
    column : str, default "sketch"
        The name of the column of sketches.
    tail : {'high', 'low', 'both'}, optional
        Near this end of the values epsilon is a share of the values from there on only.
    sum : bool, default False
        Whether the sketches also keep the sums of the values, which must be numbers.

    Returns
    -------
    pyspark.sql.DataFrame
        One row for each group: its keys, and a BINARY sketch. A group without values has an empty sketch.
        Without `by` there is one row, even without rows.

    Raises
    ------
    ChronosketchError
        If there is no such column, it has a type that sketches do not support, or epsilon is out of range.

    Examples
    --------
    >>> rows = spark.range(1, 1001).select((F.col("id") % 2).alias("k"), F.col("id").alias("v"))
    >>> sketches = cs.portable.sketch(rows, by="k", values="v", epsilon=0.01)
    >>> sketches.select("k", cf.sketch_count("sketch").alias("n")).orderBy("k").collect()
    [Row(k=0, n=500), Row(k=1, n=500)]
    """
    keys = listed_columns("by", by, "['host']", (str,))
    if not isinstance(values, str):
        raise ChronosketchError(
            f"values is {values!r}. Name the column to sketch: "
            "cs.portable.sketch(df, by=['host'], values='latency')."
        )
    epsilon = EPSILON.require(epsilon)
    type_name = _type_of_values(df, values)
    empty = Sketch.build([], epsilon, type=type_name, tail=tail, sum=sum).to_bytes()
    rows = df.select(*_keys(df, keys, column), _values(df, values).alias(_LAST))
    reach_workers(df.sparkSession)
    schema = _schema(df, keys)
    parts = rows.mapInArrow(builder(schema.names, epsilon, type_name, tail, sum), schema)
    return _named(_merged(parts, schema, empty), df, keys, column)


def merge(df: DataFrame, by: str | Sequence[str] = (), sketches: str = "sketch") -> DataFrame:
    """Merge the sketches of every group, before and after they are moved.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Rows with sketches, of a classic or a Connect session.
    by : str or sequence of str, default none
        The columns to group by. NULL is a group like any other.
    sketches : str, default "sketch"
        The column of BINARY sketches. NULL is skipped.

    Returns
    -------
    pyspark.sql.DataFrame
        One row for each group: its keys, and a BINARY of the same name; NULL if the group has no sketch.

    Raises
    ------
    ChronosketchError
        If there is no such column.

    Examples
    --------
    >>> days = spark.range(1, 11).groupBy("id").agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> cs.portable.merge(days, sketches="s").select(cf.sketch_count("s").alias("n")).collect()
    [Row(n=10)]
    """
    keys = listed_columns("by", by, "['host']", (str,))
    if not isinstance(sketches, str):
        raise ChronosketchError(
            f"sketches is {sketches!r}. Name the column of sketches: "
            "cs.portable.merge(df, by=['host'], sketches='sketch')."
        )
    kind = _field(df, sketches).dataType
    if not isinstance(kind, BinaryType):
        raise ChronosketchError(
            f"{sketches} is of type {kind.simpleString().upper()}, and sketches are BINARY. "
            "cs.portable.sketch builds them of values."
        )
    rows = df.select(*_keys(df, keys, sketches), F.col(_quoted(sketches)).alias(_LAST))
    reach_workers(df.sparkSession)
    schema = _schema(df, keys)
    parts = rows.mapInArrow(merger(schema.names), schema)
    return _named(_merged(parts, schema, None), df, keys, sketches)


def _merged(parts: DataFrame, schema: StructType, empty: bytes | None) -> DataFrame:
    """Return the union of the sketches of each group."""
    *keys, column = schema.names
    if keys:
        moved = parts.repartition(*[F.col(key) for key in keys])
    else:
        # without any row there is still one group
        none = F.lit(None).cast("binary") if empty is None else F.unhex(F.lit(empty.hex()))
        moved = parts.union(parts.sparkSession.range(0, 1, 1, 1).select(none.alias(column))).repartition(1)
    return moved.mapInArrow(merger(schema.names), schema)


def _keys(df: DataFrame, keys: list[str], column: str) -> Iterator[Column]:
    """Yield the keys, under plain names. Doubles that GROUP BY counts as equal become equal."""
    if len({*keys, column}) < len(keys) + 1:
        raise ChronosketchError(
            f"The result has the columns {', '.join([*keys, column])}: name each key once, and not "
            "as the sketches."
        )
    for nth, key in enumerate(keys):
        field = _field(df, key)
        named = field.dataType.simpleString()
        if isinstance(field.dataType, ArrayType | MapType | StructType) or named in ("variant", "interval"):
            raise ChronosketchError(f"{key} is of type {named.upper()}: group by columns of plain types.")
        if isinstance(field.dataType, StringType) and not _is_by_bytes(field.dataType):
            raise ChronosketchError(
                f"{key} is of type {named.upper()}, which counts different texts as "
                f"equal. Group by one form of them: df.withColumn('{key}', F.lower('{key}').cast('string'))."
            )
        given = F.col(_quoted(key))
        if isinstance(field.dataType, DoubleType | FloatType):
            # -0.0 becomes 0.0, and NaN one NaN
            given = F.when(F.isnan(given), F.lit(float("nan"))).otherwise(given + F.lit(0.0))
            given = given.cast(field.dataType)
        yield _plain(given, field).alias(f"key{nth}")


def _is_by_bytes(text: Any) -> bool:
    """Return whether texts are equal only if their bytes are. Spark 3 has no other texts."""
    return not hasattr(text, "isUTF8BinaryCollation") or bool(text.isUTF8BinaryCollation())


def _field(df: DataFrame, name: str) -> StructField:
    fields = df.schema.fields
    for found in (
        [field for field in fields if field.name == name],
        [field for field in fields if field.name.lower() == name.lower()],
    ):
        if found:
            return found[0]
    raise ChronosketchError(f"There is no column {name}. There are {', '.join(df.columns)}.")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _schema(df: DataFrame, keys: list[str]) -> StructType:
    """Return the columns of sketches by group, under plain names: Connect takes no others to Python."""
    kinds = [_field(df, key).dataType for key in keys]
    fields = [
        StructField(f"key{nth}", IntegerType() if isinstance(kind, YearMonthIntervalType) else kind)
        for nth, kind in enumerate(kinds)
    ]
    return StructType([*fields, StructField(_LAST, BinaryType())])


def _type_of_values(df: DataFrame, values: str) -> str:
    """Return the SQL type of a column. Refuse one that sketches do not support."""
    name = _field(df, values).dataType.simpleString()
    try:
        return domain_named(name).sql
    except Refusal:
        raise Refusal(
            "UNSUPPORTED_TYPE",
            types=TYPES_IN_WORDS,
            argument="values",
            sql=values,
            type=name.upper(),
            hint=f"Cast it: df.withColumn('{values}', F.col('{values}').cast('double')).",
        ) from None


def _values(df: DataFrame, values: str) -> Column:
    return _plain(F.col(_quoted(values)), _field(df, values))


def _plain(given: Column, field: StructField) -> Column:
    """Return a column, intervals of months as whole numbers, because Spark hands no others to Python."""
    if not isinstance(field.dataType, YearMonthIntervalType):
        return given
    both = given.cast("interval year to month")
    return (F.extract(F.lit("YEAR"), both) * 12 + F.extract(F.lit("MONTH"), both)).cast("int")


def _named(merged: DataFrame, df: DataFrame, keys: list[str], column: str) -> DataFrame:
    """Give the columns their names, and intervals of months their type, again."""
    restored = []
    for nth, key in enumerate(keys):
        kind = _field(df, key).dataType
        months = F.make_ym_interval(F.lit(0), F.col(f"key{nth}"))
        is_interval = isinstance(kind, YearMonthIntervalType)
        restored.append(months.cast(kind) if is_interval else F.col(f"key{nth}"))
    return merged.select(*restored, F.col(_LAST)).toDF(*keys, column)
