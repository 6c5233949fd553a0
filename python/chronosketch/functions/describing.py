"""What a column of bytes holds, and which jar answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, call

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_describe(sketch: ColumnOrName) -> Column:
    """Return what a sketch is: family, format, value type, parameters, count, bytes and error.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family.

    Returns
    -------
    Column
        STRUCT of family, format, value_type, parameters, count, bytes, error, exact, time_type, retention,
        filters, panes, answers, trees, clamped, confidence and kept; NULL for NULL. What a family does not
        have is NULL: ``error`` is a rank error, ``confidence`` the probability that it and all bounds hold (1
        is always), ``kept`` how many values a sample has, ``retention`` and ``filters`` are a window
        sketch's, ``panes`` and ``answers`` are QLOVE's, ``trees`` and ``clamped`` (deletes of
        what was not there) are a history's.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_describe("s").alias("d")).select("d.family", "d.count", "d.exact").collect()
    [Row(family='quantile sketch', count=100, exact=True)]
    """
    return call("sketch_describe", sketch)


def is_sketch(binary: ColumnOrName) -> Column:
    """Return whether a BINARY is a whole sketch that this version reads.

    It never fails, so that bad rows of a table can be found.

    Parameters
    ----------
    binary : Column or str
        BINARY.

    Returns
    -------
    Column
        BOOLEAN; NULL for NULL.

    Notes
    -----
    Checks the envelope: its magic, version, family, length and CRC32C.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.is_sketch("s").alias("good"), cf.is_sketch(F.lit(b"no")).alias("bad")).collect()
    [Row(good=True, bad=False)]
    """
    return call("is_sketch", binary)


def chronosketch_version() -> Column:
    """Return the version of the chronosketch jar that answers.

    It should equal ``chronosketch.__version__``.

    Returns
    -------
    Column
        STRING.

    Examples
    --------
    >>> spark.range(1).select(cf.chronosketch_version().alias("v")).collect()[0].v == cs.__version__
    True
    """
    return call("version")
