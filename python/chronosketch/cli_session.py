"""The Spark session of the command line. It prints nothing on the terminal."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chronosketch.errors import ChronosketchError
from chronosketch.sessions import configure, session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
}

# On one machine Spark's default of 200 partitions is mostly overhead.
_LOCAL_CONF = {"spark.sql.shuffle.partitions": str(max(2, os.cpu_count() or 2))}
_MASTER = "spark.master"


@contextmanager
def quiet_session(app_name: str, conf: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """Run a classic session, on this machine unless you name a master. Its files are deleted when it ends.

    Parameters
    ----------
    app_name : str
        The name of the application.
    conf : mapping of str to str, optional
        Further settings. They override the quiet ones; jars in ``spark.jars`` are added to the package's own.

    Raises
    ------
    ChronosketchError
        If the session does not start. The message says why, if the JVM gave a reason.
    """
    with tempfile.TemporaryDirectory(prefix="chronosketch-", ignore_cleanup_errors=True) as folder:
        log = Path(folder) / "spark.log"
        settings = {_MASTER: "local[*]", **_CONF, **(conf or {})}
        if settings[_MASTER].startswith("local"):
            warehouse = (Path(folder) / "warehouse").as_uri()
            local = {"spark.local.dir": folder, "spark.sql.warehouse.dir": warehouse, **_LOCAL_CONF}
            settings = {**local, **settings}
        builder = session(app_name)
        for key, value in settings.items():
            builder = builder.config(key, value)
        builder = configure(builder)
        # pyspark only raises "the gateway exited" here. The reason is in the output of the JVM.
        from pyspark.errors import PySparkException

        try:
            with _output_to(log):
                spark = builder.getOrCreate()
        except (PySparkException, OSError):
            raise ChronosketchError(_start_failure(log)) from None
        _mute_query_contexts()
        try:
            yield spark
        finally:
            spark.stop()


@contextmanager
def remote_session(url: str) -> Iterator[SparkSession]:
    """Open a session of a Spark Connect server, whether it has the functions or not."""
    from pyspark.sql import SparkSession

    # PySpark would try again for ten minutes.
    place = urlsplit(url)
    if place.scheme != "sc" or not place.hostname:
        raise ChronosketchError(f"{url!r} is not the address of a server: write it as sc://host:15002.")
    try:
        socket.create_connection((place.hostname, place.port or 15002), timeout=10).close()
    except OSError as reason:
        raise ChronosketchError(
            f"No server answers at {url} ({reason.strerror or reason}). Start it, or give another address."
        ) from None
    spark = SparkSession.builder.remote(url).getOrCreate()
    _mute_query_contexts()
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Redirect standard output and error to a file. A JVM started meanwhile writes there until it exits."""
    streams = (sys.stdout, sys.stderr)
    for stream in streams:
        stream.flush()
    saved = [os.dup(number) for number in (1, 2)]
    try:
        with log.open("wb") as file:
            for number in (1, 2):
                os.dup2(file.fileno(), number)
        yield
    finally:
        for stream in streams:
            stream.flush()
        for number, before in zip((1, 2), saved, strict=True):
            os.dup2(before, number)
            os.close(before)


def _mute_query_contexts() -> None:
    """Keep pyspark from writing each analysis error to standard error as JSON. The error is still raised."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before 4.0 it writes none
        return
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def _start_failure(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    if any("UnsupportedClassVersionError" in line for line in lines):
        return "This Java is too old for Spark: install a JDK 17 or newer, then set JAVA_HOME to it."
    if any("JAVA_HOME" in line or "java: " in line for line in lines):
        return "Spark needs Java: install a JDK 17 or newer, then put its java on PATH or set JAVA_HOME."
    reasons = [line for line in lines if "Exception" in line or "Error" in line] or lines[-1:]
    return f"Spark did not start: {reasons[0] if reasons else 'its JVM gave no reason'}"
