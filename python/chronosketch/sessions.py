"""Spark sessions with the chronosketch functions: start one, add them to a running one, check for them."""

from __future__ import annotations

import re
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.installed import pip_install, version
from chronosketch.jar import functions_of, jar_name, jar_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


# The setting that declares the catalog of procedures, and the class that implements it.
CATALOG = "spark.sql.catalog.chronosketch"
CATALOG_CLASS = "chronosketch.spark.warehouse.call.WarehouseCatalog"


def session(app_name: str | None = None) -> SparkSession.Builder:
    """Begin a Spark session that has the chronosketch functions.

    You get Spark's own session builder, with the jar already configured.

    Parameters
    ----------
    app_name : str, optional
        The name of the application. Spark's web pages show it.

    Returns
    -------
    pyspark.sql.SparkSession.Builder
        The builder. Finish it with ``.getOrCreate()``. For Connect's local mode add ``.remote("local[2]")``
        first. If a session is already running, you get that one, and `attach` gives it the functions.

    Raises
    ------
    ChronosketchError
        If pyspark is not installed: the message has the command. Also if there is no jar: the message says
        how to get it.

    Examples
    --------
    >>> type(cs.session("latency")).__name__
    'Builder'
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        needed = pip_install("spark", "pyspark")
        raise ChronosketchError(f"pyspark is not installed: {needed}") from None
    builder = SparkSession.builder
    return configure(builder if app_name is None else builder.appName(app_name))


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the chronosketch jar and the catalog of its procedures to a session builder.

    Settings that the builder already has are kept. Spark finds the extension in the jar by itself, so you
    need not set ``spark.sql.extensions``. If ``getOrCreate`` finds a session that already runs without the
    functions, it attaches them.

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
        If the jar is not installed. The message has the command.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> builder = cs.configure(SparkSession.builder.config("spark.jars", "mine.jar"))
    """
    if not hasattr(builder, "_options"):
        raise TypeError(f"builder is {builder!r}: give SparkSession.builder. attach(spark) is for a session.")
    _attach_at_start(builder)
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


def _attach_at_start(builder: SparkSession.Builder) -> None:
    """Let the builder attach the functions to a session that it finds without them.

    Spark ignores the jar of a builder if a session is already running.
    """
    for name in ("getOrCreate", "create"):
        start = getattr(type(builder), name, None)
        if start is not None:
            setattr(builder, name, partial(_started, start, builder))


def _started(start: Callable[..., SparkSession], builder: SparkSession.Builder) -> SparkSession:
    spark = start(builder)
    if is_classic(spark):
        _send_jars_of_packages(spark)
    return spark if functions_of(spark) else attach(spark)


def _send_jars_of_packages(spark: SparkSession) -> None:
    """Send the jars of ``spark.jars.packages`` to executors.

    Spark adds them to ``spark.jars``, but PySpark then sets that to the builder's again. The driver has them
    on its class path; executors in other processes would lack them.
    """
    context = spark.sparkContext
    if re.fullmatch(r"local(\[.*\])?", str(context.master)):
        return
    jvm: Any = spark._jvm
    submitted = jvm.java.lang.System.getProperty("spark.jars") or ""
    java = context._jsc.sc()
    sent = {jar.rpartition("/")[2] for jar in java.listJars().mkString(" ").split()}
    for jar in submitted.split(","):
        if jar and jar.rpartition("/")[2] not in sent:
            java.addJar(jar)


def _setting(builder: SparkSession.Builder, key: str) -> str:
    # A builder has no public getter. Delta's helper reads the same private dictionary.
    return str(builder._options.get(key) or "")


def check_installed(spark: SparkSession) -> str:
    """Check that a session has the functions, and those of this package's version.

    They are those of the jar, or those of `chronosketch.portable`. If Spark cannot load an extension, it only
    logs a warning. So check before a long job, not during it.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic or a Connect session.

    Returns
    -------
    str
        The version of the functions that the session has.

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
    source = functions_of(spark)
    if source is None:
        raise ChronosketchError(
            f"This Spark session does not have the chronosketch functions. {how_to_start(spark)}"
        )
    rows = spark.sql("SELECT chronosketch_version() AS version").collect()
    running, ours = str(rows[0]["version"]), version()
    if running != ours and source == "portable":
        raise ChronosketchError(
            f"The Python workers of this session have chronosketch {running}, but this Python has {ours}. "
            "Install the same version in both."
        )
    if running != ours:
        jar = _jar_of(spark)
        where = "" if jar is None else f"Its jar is {jar}. "
        raise ChronosketchError(
            f"This Spark session runs chronosketch {running}, but Python has {ours}. {where}"
            f"Give the session the jar of {ours}, or install the Python package of {running}."
        )
    return running


def attach(spark: SparkSession) -> SparkSession:
    """Add the functions to a session that is already running.

    A classic session gets the jar, on its executors too. Sessions that you start later with
    ``spark.newSession()`` have the functions then. Other sessions that are already running do not: attach
    each of them. `spark` itself also gets the catalog of procedures, for ``CALL chronosketch.…`` in SQL.

    Where the jar cannot be loaded, the session gets Python's functions: see `chronosketch.portable.register`.
    That is so on a Spark Connect server without the jar, and on Spark 3. A warning says why.

    Spark adds some rules only when a session starts. So you cannot set ``spark.chronosketch.hopping.rewrite``
    in `spark` itself, but you can in ``spark.newSession()``. Hopping windows of a stream work in both. Their
    state is smaller in ``spark.newSession()``. There, too, ``GROUP BY`` reads whole columns, rows of a window
    move in packed blocks, and the error for a misspelt function suggests the right one.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic or a Connect session, however it was started. If it already has the functions, nothing
        changes.

    Returns
    -------
    pyspark.sql.SparkSession
        The same session.

    Raises
    ------
    ChronosketchError
        If the session has the functions of another version. If Python's functions are needed, and the
        session's Python workers lack numpy or pyarrow.

    Examples
    --------
    >>> spark = cs.attach(spark)
    """
    why = None
    if functions_of(spark) is None:
        why = _load(spark) if is_classic(spark) else _NO_CLIENT_LOADS.format(jar_name())
    if why is not None:
        from chronosketch.portable.registering import register

        register(spark)
        warnings.warn(
            f"This session does not have the jar, and gets none: {why}. It now has the functions of "
            "chronosketch.portable, in Python and under the same names. Their aggregates move all rows of a "
            "group to one task; chronosketch.portable.sketch(df, by, values) does not.",
            UserWarning,
            stacklevel=2,
        )
    check_installed(spark)
    return spark


def _load(spark: SparkSession) -> str | None:
    """Load the jar into the JVM of a classic session. Return why it cannot be, or None if it was."""
    from py4j.protocol import Py4JError

    if spark.version.startswith("3."):
        return f"the jar is for Spark 4, and this is Spark {spark.version}"
    try:
        jvm: Any = spark._jvm
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        if not _can_load(loader, _ENTRY):
            jar = jvm.java.io.File(str(jar_path()))
            # The driver's class loader accepts jars at run time. It is the parent of every loader that a
            # session creates, so threads, generated code and tasks of a local master see the same classes.
            _mutable_loader(loader, jvm).addURL(jar.toURI().toURL())
            # Also sends the jar to the executors of a cluster, including those that join later.
            spark.sparkContext._jsc.sc().addJar(jar.toURI().toString())
    except ChronosketchError as missing:
        return str(missing).removesuffix(".")
    except Py4JError as refused:
        return f"its JVM accepts none ({str(refused).splitlines()[0]})"
    entry = loader.loadClass(_ENTRY)
    method = next(m for m in entry.getMethods() if m.getName() == "attach" and m.getParameterCount() == 1)
    arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 1)  # type: ignore[union-attr]
    arguments[0] = spark._jsparkSession
    method.invoke(None, arguments)
    declare_catalog(spark)
    return None


def declare_catalog(spark: SparkSession) -> None:
    """Give a session the catalog of procedures, unless it has one of this name."""
    if spark.conf.get(CATALOG, None) is None:
        spark.conf.set(CATALOG, CATALOG_CLASS)


def _jar_of(spark: SparkSession) -> str | None:
    """Return the jar from which a session has the functions, or None if it is not known."""
    if is_classic(spark):
        jvm: Any = spark._jvm
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        if _can_load(loader, _ENTRY):
            source = loader.loadClass(_ENTRY).getProtectionDomain().getCodeSource()
            if source is not None:
                return str(source.getLocation().getPath())
    jars = (spark.conf.get("spark.jars", "") or "").split(",")
    return next((jar for jar in jars if "chronosketch-spark" in jar), None)


# Said of a Connect server.
_NO_CLIENT_LOADS = "a client cannot load a jar into a Connect server, which has to start with --jars {}"

# The only class of the jar that Python calls directly; everything else goes through SQL functions.
_ENTRY = "chronosketch.spark.Attach"


def is_classic(spark: SparkSession) -> bool:
    """Return whether a session runs in a JVM of this machine, and not on a Connect server."""
    from pyspark.sql import SparkSession as Classic

    return isinstance(spark, Classic)


def how_to_start(spark: SparkSession, *, has_python: bool = False) -> str:
    """Return what to do so that a session has the jar, or the functions of Python if it lacks these too."""
    if has_python and spark.version.startswith("3."):
        return "The jar needs Spark 4."
    if has_python and is_classic(spark):
        # attaching changes nothing now
        return "Start a new session with the jar, by chronosketch.session(name), where jars can be loaded."
    if has_python:
        return f"Start its server with --jars {jar_name()}, a file on the server's machine, if you can."
    if is_classic(spark):
        return "Call chronosketch.attach(spark), or start the session with chronosketch.session(name)."
    # No path: the client's files are not the server's.
    return (
        f"Start its server with --jars {jar_name()}, a file on the server's machine, or call "
        "chronosketch.attach(spark), which registers Python's functions."
    )


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
            f"pyspark started it. Start it with --conf spark.jars={jar_path()}."
        )
    return found
