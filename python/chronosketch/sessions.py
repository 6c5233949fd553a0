"""Spark sessions with the chronosketch functions: start one, add them to a running one, check for them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.installed import version
from chronosketch.jar import jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# The setting that declares the catalog of procedures, and the class that implements it.
CATALOG = "spark.sql.catalog.chronosketch"
CATALOG_CLASS = "chronosketch.spark.warehouse.call.WarehouseCatalog"


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


def check_installed(spark: SparkSession) -> str:
    """Check that a session runs the jar of this package's version.

    If Spark cannot load an extension, it only logs a warning. So check before a long job, not during it.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic or a Connect session.

    Returns
    -------
    str
        The version of the jar that the session runs.

    Raises
    ------
    ChronosketchError
        If the session does not have the functions, or has those of another version. The message says how to
        start the session, or which version to install.

    Examples
    --------
    >>> cs.check_installed(spark) == cs.__version__
    True
    """
    if not spark.catalog.functionExists("chronosketch_version"):
        remedy = (
            "Call chronosketch.attach(spark), or start the session with chronosketch.session(name)"
            if _is_classic(spark)
            else f"Start its server with {_server_conf()}"
        )
        raise ChronosketchError(f"This Spark session does not have the chronosketch functions. {remedy}.")
    rows = spark.sql("SELECT chronosketch_version() AS version").collect()
    running, ours = str(rows[0]["version"]), version()
    if running != ours:
        raise ChronosketchError(
            f"This Spark session runs chronosketch {running}, but Python has {ours}. "
            f"Give the session the jar of {ours}, or pip install chronosketch=={running}."
        )
    return running


def attach(spark: SparkSession) -> SparkSession:
    """Add the functions to a classic session that is already running, and to its executors.

    Sessions that you start later with ``spark.newSession()`` have the functions too. Other sessions that are
    already running do not: attach each of them.

    Spark adds some rules only when a session starts. So you cannot set ``spark.chronosketch.hopping.rewrite``
    in `spark` itself, but you can in ``spark.newSession()``. Hopping windows of a stream work in both. Their
    state is smaller in ``spark.newSession()``.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session, however it was started. If it already has the functions, nothing changes.

    Returns
    -------
    pyspark.sql.SparkSession
        The same session.

    Raises
    ------
    ChronosketchError
        If it is a Connect session: a client cannot load code into the server. Start the server with the jar;
        the message has the setting. Also if the session's JVM takes no jar while it runs: start it with the
        jar.

    Examples
    --------
    >>> spark = cs.attach(spark)  # doctest: +SKIP
    """
    if not _is_classic(spark):
        raise ChronosketchError(
            f"attach cannot load code into a Spark Connect server. Start the server with {_server_conf()}."
        )
    jvm: Any = spark._jvm
    jar = jvm.java.io.File(str(jar_path()))
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if not _can_load(loader, _ENTRY):
        # The driver's class loader accepts jars at run time. It is the parent of every loader that a session
        # creates, so threads, generated code and the tasks of a local master all see the same classes.
        _mutable_loader(loader, jvm).addURL(jar.toURI().toURL())
        # Also sends the jar to the executors of a cluster, including those that join later.
        spark.sparkContext._jsc.sc().addJar(jar.toURI().toString())
    entry = loader.loadClass(_ENTRY)
    method = next(m for m in entry.getMethods() if m.getName() == "attach" and m.getParameterCount() == 1)
    arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 1)  # type: ignore[union-attr]
    arguments[0] = spark._jsparkSession
    method.invoke(None, arguments)
    return spark


# The only class of the jar that Python calls directly; everything else goes through SQL functions.
_ENTRY = "chronosketch.spark.Attach"


def _is_classic(spark: SparkSession) -> bool:
    from pyspark.sql import SparkSession as Classic

    return isinstance(spark, Classic)


def _server_conf() -> str:
    return f"--conf spark.jars={jar_path()}"


def _can_load(loader: Any, name: str) -> bool:
    from py4j.protocol import Py4JJavaError

    try:
        loader.loadClass(name)
    except Py4JJavaError:
        return False
    return True


def _mutable_loader(loader: Any, jvm: Any) -> Any:
    """Find the outermost class loader that accepts jars at run time."""
    found = None
    while loader is not None:
        if loader.getClass().getName().endswith("MutableURLClassLoader"):
            found = loader
        loader = loader.getParent()
    if found is None:
        raise ChronosketchError(
            "The JVM of this session cannot load a jar while it runs, because neither spark-submit nor "
            f"pyspark started it. Start it with {_server_conf()}."
        )
    return found
