"""The functions whose answers have a type of your choice, for DataFrames without the jar.

They have the names and arguments of `chronosketch.functions`, and need no registration. The other functions
of `chronosketch.functions` work in a session after `chronosketch.portable.register`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, SparkSession

from chronosketch.columns import (
    ColumnOrName,
    Phi,
    TypeName,
    is_column,
    literal,
    name_of_type,
    phi_or_column,
    value_or_column,
)
from chronosketch.portable.dialects import dialect_of
from chronosketch.portable.forms import Form
from chronosketch.portable.registering import typed_function
from chronosketch.portable.workers import reach_workers
from chronosketch.sql_text import is_sequence, plain

if TYPE_CHECKING:
    from collections.abc import Callable


def sketch_quantile(sketch: ColumnOrName, phi: Phi | Column, type: TypeName = "double") -> Column:  # noqa: A002
    """Return the phi-quantile of a sketch's values, in Python.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles.
    phi : float, Decimal, sequence of these, or Column
        The share of the values that are at or below the answer, from 0 to 1. A column gives each row a phi of
        its own.
    type : str or DataType, default "double"
        The SQL type of the answer, for example ``"bigint"``. Dates, times and intervals need the type that
        went into the sketch, for example ``"timestamp"``.

    Returns
    -------
    Column
        `type`; an ARRAY of it for several φ. NULL for a NULL or empty sketch and for a NULL φ.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cs.portable.sketch_quantile("s", [0.5, 0.99], "int").alias("q")).collect()
    [Row(q=[50, 99])]
    """
    return _asked("sketch_quantile", sketch, phi, type)


def sketch_quantile_bounds(sketch: ColumnOrName, phi: Phi | Column, type: TypeName = "double") -> Column:  # noqa: A002
    """Return a lower and an upper bound of the exact phi-quantile of a sketch's values, in Python.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that certifies its answers.
    phi : float, Decimal, sequence of these, or Column
        The share of the values that are at or below the quantile, from 0 to 1.
    type : str or DataType, default "double"
        The SQL type of the bounds. A bound that it does not hold exactly is rounded outward.

    Returns
    -------
    Column
        STRUCT<low, high> of `type`; an ARRAY of these for several φ. NULL for a NULL or empty sketch.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cs.portable.sketch_quantile_bounds("s", 0.5, "bigint").alias("b")).collect()
    [Row(b=Row(low=50, high=50))]
    """
    return _asked("sketch_quantile_bounds", sketch, phi, type)


def sketch_min(sketch: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002
    """Return the smallest value of a sketch, in Python.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.
    type : str or DataType, default "double"
        The SQL type of the answer.

    Returns
    -------
    Column
        `type`. NULL for a NULL or empty sketch.

    Examples
    --------
    >>> days = spark.sql("SELECT DATE'2026-01-31' AS d").agg(cf.quantile_sketch_agg("d").alias("s"))
    >>> days.select(cs.portable.sketch_min("s", "date").alias("d")).collect()
    [Row(d=datetime.date(2026, 1, 31))]
    """
    return _typed("sketch_min", type)(sketch)


def sketch_max(sketch: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002
    """Return the greatest value of a sketch, in Python.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.
    type : str or DataType, default "double"
        The SQL type of the answer.

    Returns
    -------
    Column
        `type`. NULL for a NULL or empty sketch.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cs.portable.sketch_max("s", "bigint").alias("m")).collect()
    [Row(m=100)]
    """
    return _typed("sketch_max", type)(sketch)


def approx_quantile(
    value: ColumnOrName,
    phi: Phi,
    epsilon: float = 1e-4,
    frequency: ColumnOrName | None = None,
    type: TypeName = "double",  # noqa: A002
    tail: str | None = None,
) -> Column:
    """Return the phi-quantile of the values of a group, in Python.

    All rows of a group go to one task. `sketch` sketches them where they are: faster, if they are many.

    Parameters
    ----------
    value : Column or str
        What is measured: a number, date, timestamp, time or interval.
    phi : float, Decimal or sequence of these
        The share of the values that are at or below the quantile, from 0 to 1.
    epsilon : float, default 0.0001
        The allowed rank error, as a share of the count.
    frequency : Column or str, optional
        A whole-number column: how often each value counts.
    type : str or DataType, default "double"
        The SQL type of the answer, for example ``"date"``.
    tail : {'high', 'low', 'both'}, optional
        Near this end of the values epsilon is a share of the values from there on only.

    Returns
    -------
    Column
        `type`; an ARRAY of it for several φ. NULL without values.

    Examples
    --------
    >>> q = cs.portable.approx_quantile("id", [0.5, 1], type="bigint")
    >>> spark.range(1, 101).agg(q.alias("q")).collect()
    [Row(q=[50, 100])]
    """
    function = _typed("approx_quantile", type, several=_is_several(phi))
    given = (value, phi_or_column(phi), literal(epsilon), value_or_column(frequency))
    return function(*given) if tail is None else function(*given, literal(None), literal(tail))


def _asked(name: str, sketch: ColumnOrName, phi: Phi | Column, type_name: TypeName) -> Column:
    return _typed(name, type_name, several=_is_several(phi))(sketch, phi_or_column(phi))


def _is_several(phi: Any) -> bool:
    return not is_column(phi) and is_sequence(plain(phi))


def _typed(name: str, type_name: TypeName, *, several: bool = False) -> Callable[..., Column]:
    spark = SparkSession.getActiveSession()
    if spark is None:
        spark = SparkSession.builder.getOrCreate()
    word = name_of_type(type_name)
    made: Callable[..., Column] = typed_function(dialect_of(spark), Form.of(name, word, several=several))
    reach_workers(spark)
    return made
