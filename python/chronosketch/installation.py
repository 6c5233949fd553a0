"""Whether a session has the functions, and how a classic one that is running already gets them."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.jar import jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check_installed(spark: SparkSession) -> str:
    """Make sure that a session runs the jar of this package's version.

    Spark only logs a warning for an extension that it cannot load: ask before a long job rather than in it.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Connect.

    Returns
    -------
    str
        The version that runs.

    Raises
    ------
    ChronosketchError
        If the functions are missing, or are of another version than this package.

    Examples
    --------
    >>> cs.check_installed(spark) == cs.__version__
    True
    """
    if not spark.catalog.functionExists("chronosketch_version"):
        remedy = (
            "call chronosketch.attach(spark), or start it with chronosketch.session(name)"
            if _is_classic(spark)
            else f"start its server with {_server_conf()}"
        )
        raise ChronosketchError(f"This Spark session does not have the chronosketch functions: {remedy}.")
    rows = spark.sql("SELECT chronosketch_version() AS version").collect()
    running, ours = str(rows[0]["version"]), version("chronosketch")
    if running != ours:
        raise ChronosketchError(
            f"This Spark session runs chronosketch {running} and Python has {ours}: "
            f"give the session the jar of {ours}, or pip install chronosketch=={running}."
        )
    return running


def attach(spark: SparkSession) -> SparkSession:
    """Give the functions to a classic session that is running already, on its executors too.

    Sessions that start later, with ``spark.newSession()``, have the functions too. Sessions that were running
    beside this one do not: attach each of them.

    Spark adds some rules only to a session that starts. So ``spark.chronosketch.hopping.rewrite`` is refused
    in `spark` itself, and works in ``spark.newSession()``. Hopping windows of a stream work in both; their
    state is smaller in ``spark.newSession()``.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session, however it was started. A session that has the functions stays as it is.

    Returns
    -------
    pyspark.sql.SparkSession
        The same session.

    Raises
    ------
    ChronosketchError
        On Connect, where a client cannot load code into the server.

    Examples
    --------
    >>> spark = cs.attach(spark)  # doctest: +SKIP
    """
    if not _is_classic(spark):
        raise ChronosketchError(
            f"attach cannot load code into a Spark Connect server: start the server with {_server_conf()}."
        )
    jvm: Any = spark._jvm
    jar = jvm.java.io.File(str(jar_path()))
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if not _can_load(loader, _ENTRY):
        # The driver's class loader takes jars at run time; it is the parent of every loader that a session
        # makes, so threads, generated code and the tasks of a local master all see the same classes.
        _growing(loader, jvm).addURL(jar.toURI().toURL())
        # To the executors of a cluster, now and to those that join later.
        spark.sparkContext._jsc.sc().addJar(jar.toURI().toString())
    entry = loader.loadClass(_ENTRY)
    method = next(m for m in entry.getMethods() if m.getName() == "attach" and m.getParameterCount() == 1)
    arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 1)  # type: ignore[union-attr]
    arguments[0] = spark._jsparkSession
    method.invoke(None, arguments)
    return spark


# The one door of the jar that Python opens; everything else goes through SQL functions.
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


def _growing(loader: Any, jvm: Any) -> Any:
    """Find the outermost class loader that takes jars at run time."""
    found = None
    while loader is not None:
        if loader.getClass().getName().endswith("MutableURLClassLoader"):
            found = loader
        loader = loader.getParent()
    if found is None:
        raise ChronosketchError(
            "The JVM of this session takes no jar at run time, as spark-submit and pyspark start it to do: "
            f"start it with {_server_conf()}."
        )
    return found
