"""Find the jar in the installed package that carries it, and its functions in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from chronosketch.errors import ChronosketchError
from chronosketch.installed import version

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

#: The function that says whether a session has the functions, and of which version.
VERSION = "chronosketch_version"


def jar_name() -> str:
    """Return the file name of the jar that goes with this version of the package."""
    return f"chronosketch-spark_2.13-{version()}.jar"


def jar_path() -> Path:
    """Return the path of the jar. The project chronosketch-spark carries it.

    Raises
    ------
    ChronosketchError
        If chronosketch-spark is not installed, or is of another version. The message has the command.
    """
    try:
        import chronosketch_spark

        found = chronosketch_spark.jar_path()
    except ModuleNotFoundError as missing:
        if missing.name != "chronosketch_spark":
            raise
        raise ChronosketchError(f"The jar is not installed. {_REMEDY}") from None
    except FileNotFoundError as empty:
        raise ChronosketchError(f"{empty} {_REMEDY}") from None
    if found.name != jar_name():
        raise ChronosketchError(
            f"The installed jar is {found.name}, and chronosketch has version {version()}. Install both "
            "projects of one version: `pip install ./python-spark .` in a clone of chronosketch."
        )
    return found


_REMEDY = (
    "It is in the project chronosketch-spark: run `pip install ./python-spark` in a clone of chronosketch. "
    "This takes a JDK 17 or newer. Sketches in Python, and clients of a Connect server, need no jar."
)


def functions_of(spark: SparkSession) -> Literal["jar", "portable"] | None:
    """Return whose functions a session has, "jar" or "portable", or None if it has none.

    Examples
    --------
    >>> from chronosketch.jar import functions_of
    >>> functions_of(spark)
    'jar'
    """
    if isinstance(spark, type) or not hasattr(spark, "catalog"):
        raise TypeError(
            f"spark is {spark!r}: give a SparkSession, such as SparkSession.builder.getOrCreate()."
        )
    if not spark.catalog.functionExists(VERSION):
        return None
    # the class that implements it; asked of the server, because a client does not see its jars
    implementation = str(spark.catalog.getFunction(VERSION).className)
    return "jar" if implementation.startswith("chronosketch.") else "portable"
