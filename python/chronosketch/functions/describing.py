"""Functions that describe a sketch, test bytes, and return the version of the jar."""

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
        A STRUCT, or NULL for NULL. A field that a family does not have is NULL.

        - All families: ``family``, ``format``, ``value_type``, ``parameters``, ``count`` of values,
          ``bytes``, ``exact``.
        - ``error``: the certified rank error, as a share of the count.
        - ``confidence``: the probability that the error and all bounds hold. 1 means always.
        - ``kept``: how many values a sample holds.
        - ``time_type``, ``retention``, ``filters``: of a window sketch.
        - ``panes``, ``answers``: of a sketch by `qlove_sketch_agg`.
        - ``trees``, ``clamped``: of a history. ``clamped`` counts the deletes of values that were not there.

    Raises
    ------
    pyspark.errors.PySparkException
        When the query runs, if the bytes are not a sketch. `is_sketch` finds such rows.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_describe("s").alias("d")).select("d.family", "d.count", "d.exact").collect()
    [Row(family='quantile sketch', count=100, exact=True)]
    """
    return call("sketch_describe", sketch)


def is_sketch(binary: ColumnOrName) -> Column:
    """Return whether a BINARY is a whole sketch that this version reads.

    It never fails. So you can use it to find the bad rows of a table.

    Parameters
    ----------
    binary : Column or str
        Any BINARY.

    Returns
    -------
    Column
        BOOLEAN. NULL for NULL.

    Notes
    -----
    It checks the sketch's header and its CRC32C checksum: the first bytes, format, family and length.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.is_sketch("s").alias("good"), cf.is_sketch(F.lit(b"no")).alias("bad")).collect()
    [Row(good=True, bad=False)]
    """
    return call("is_sketch", binary)


def chronosketch_version() -> Column:
    """Return the version of the chronosketch jar that answers.

    It should equal ``chronosketch.__version__``. `chronosketch.check_installed` compares the two for you.

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
