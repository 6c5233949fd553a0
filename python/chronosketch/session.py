"""Sessions that start with the functions in them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from chronosketch.errors import ChronosketchError
from chronosketch.jar import jar_path
from chronosketch.warehouse.calls import CATALOG, CATALOG_CLASS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session(app_name: str) -> SparkSession.Builder:
    """Begin a session that has the functions: Spark's own builder, configured.

    Parameters
    ----------
    app_name : str
        The name that Spark's pages show.

    Returns
    -------
    pyspark.sql.SparkSession.Builder
        To be finished with ``.getOrCreate()``; add ``.remote("local[2]")`` for Connect's local mode.

    Raises
    ------
    ChronosketchError
        If pyspark is not installed.

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
    """Add the jar and the catalog of procedures to a builder; what the builder has already stays.

    Spark finds the extension in the jar by itself. ``spark.sql.extensions`` is left alone on purpose: set on
    a builder it would hide the extensions that ``spark-defaults.conf`` names.

    ``spark.jars`` on a builder hides that file's too, as all settings of a builder do: where the file names
    jars, name ours there. A Connect server that runs already (``sc://...``) takes no jar from a client: its
    own configuration has to name it.

    Parameters
    ----------
    builder : pyspark.sql.SparkSession.Builder
        Any builder; the jars it names are kept, and stay first.

    Returns
    -------
    pyspark.sql.SparkSession.Builder
        The same builder.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> builder = cs.configure(SparkSession.builder.config("spark.jars", "mine.jar"))
    """
    if _given(builder, "spark.remote").startswith("sc://"):
        return builder
    # Connect's local mode starts its server with the builder's settings, then tries to set each on the
    # session too and warns of those that only a start can set. The jar is there all the same.
    warnings.filterwarnings("ignore", r"Failed to set spark\.jars to .*chronosketch-spark", UserWarning)
    ours = jar_path().as_uri()
    jars = [jar for jar in _given(builder, "spark.jars").split(",") if jar]
    if not _given(builder, CATALOG):
        builder = builder.config(CATALOG, CATALOG_CLASS)
    return builder.config("spark.jars", ",".join(jars if ours in jars else [*jars, ours]))


def _given(builder: SparkSession.Builder, key: str) -> str:
    # Delta's helper reads the same private dictionary: a builder has no public way to be asked.
    return str(builder._options.get(key) or "")
