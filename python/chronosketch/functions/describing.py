"""What a column of bytes holds, and which jar answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, call

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_describe(sketch: ColumnOrName) -> Column:
    """Say what a sketch is: its family, format, value type, parameters, count, bytes and error.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.

    Returns
    -------
    Column
        STRUCT; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no sketch.

    Notes
    -----
    Read from the envelope that every sketch begins with, and from the sketch's own state.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_describe("s").alias("d")).select("d.family", "d.count", "d.exact").collect()
    [Row(family='quantile sketch', count=100, exact=True)]
    """
    return call("sketch_describe", sketch)


def is_sketch(binary: ColumnOrName) -> Column:
    """Say whether bytes are a sketch that can be read, without failing on any: for tables with bad rows.

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
    """Return the version of the jar that the session runs, which should equal ``chronosketch.__version__``.

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
