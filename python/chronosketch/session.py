"""Spark sessions that start with the chronosketch functions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from chronosketch.errors import ChronosketchError
from chronosketch.jar import jar_path
from chronosketch.warehouse.calls import CATALOG, CATALOG_CLASS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session(app_name: str) -> SparkSession.Builder:
    """Begin a Spark session that has the chronosketch functions.

    You get Spark's own session builder, with the jar already configured.

    Parameters
    ----------
    app_name : str
        The name of the application. Spark's web pages show it.

    Returns
    -------
    pyspark.sql.SparkSession.Builder
        The builder. Finish it with ``.getOrCreate()``. For Connect's local mode add ``.remote("local[2]")``
        first.

    Raises
    ------
    ChronosketchError
        If pyspark is not installed. Run ``pip install 'chronosketch[spark]'``. Also if this package carries
        no jar, as when it is imported from its sources: install it.

    Examples
    --------
    >>> type(cs.session("latency")).__name__
    'Builder'
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ChronosketchError("pyspark is not installed: pip install 'chronosketch[spark]'.") from None
    return configure(SparkSession.builder.appName(app_name))


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the chronosketch jar and the catalog of its procedures to a session builder.

    Settings that the builder already has are kept. Spark finds the extension in the jar by itself, so you
    need not set ``spark.sql.extensions``.

    This sets ``spark.jars`` on the builder, which hides the ``spark.jars`` of ``spark-defaults.conf``. If
    that file names jars, add the path of the chronosketch jar there. A Connect server that is already running
    (``sc://...``) takes no jar from a client: name the jar in the server's own configuration.

    Parameters
    ----------
    builder : pyspark.sql.SparkSession.Builder
        Any builder. The jars that it names are kept, and stay first.

    Returns
    -------
    pyspark.sql.SparkSession.Builder
        The same builder.

    Raises
    ------
    ChronosketchError
        If this package carries no jar, as when it is imported from its sources. Install it.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> builder = cs.configure(SparkSession.builder.config("spark.jars", "mine.jar"))
    """
    if _setting(builder, "spark.remote").startswith("sc://"):
        return builder
    # Connect's local mode starts its server with the builder's settings. It then tries to set each one on the
    # session too, and warns about static ones such as spark.jars. The jar is loaded all the same.
    warnings.filterwarnings("ignore", r"Failed to set spark\.jars to .*chronosketch-spark", UserWarning)
    ours = jar_path().as_uri()
    jars = [jar for jar in _setting(builder, "spark.jars").split(",") if jar]
    if not _setting(builder, CATALOG):
        builder = builder.config(CATALOG, CATALOG_CLASS)
    # spark.sql.extensions stays unset: set on a builder, it would hide the extensions of spark-defaults.conf.
    return builder.config("spark.jars", ",".join(jars if ours in jars else [*jars, ours]))


def _setting(builder: SparkSession.Builder, key: str) -> str:
    # A builder has no public getter. Delta's helper reads the same private dictionary.
    return str(builder._options.get(key) or "")
