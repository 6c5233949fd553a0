"""Send this package to the Python workers of a session that do not have it."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from pathlib import Path
from weakref import WeakSet

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from chronosketch.errors import ChronosketchError
from chronosketch.installed import version
from chronosketch.portable import answers

# The sessions whose workers have the package. To ask them takes a Spark job, so it is asked once.
_REACHED: WeakSet[SparkSession] = WeakSet()


def reach_workers(spark: SparkSession) -> None:
    """Send this package to the Python workers if they do not have it, or have another version.

    Raises
    ------
    ChronosketchError
        If they cannot run it, for example because they lack numpy or pyarrow.

    Examples
    --------
    >>> from chronosketch.portable.workers import reach_workers
    >>> reach_workers(spark)
    """
    if spark in _REACHED:
        return
    if _version_of_workers(spark) != version():
        archive = str(_packed())
        if isinstance(spark, SparkSession):
            spark.sparkContext.addPyFile(archive)
        else:
            spark.addArtifacts(archive, pyfile=True)
        found = _version_of_workers(spark)
        if found != version() and "Error" not in found:
            raise ChronosketchError(
                f"The Python workers of this session have chronosketch {found}, but this Python has "
                f"{version()}. Install the same version in both."
            )
        if found != version():
            raise ChronosketchError(
                f"The Python workers of this session cannot run chronosketch {version()}: {found} Install "
                "numpy and pyarrow where they run, or start the session with another Python: PYSPARK_PYTHON."
            )
    _REACHED.add(spark)


def version_of_package() -> str:
    """Return the version of the package where this runs. It imports what the functions need."""
    assert answers.PLAIN  # so that the worker imports numpy and pyarrow
    return version()


def _version_of_workers(spark: SparkSession) -> str:
    """Return the version of the package that the Python workers have, or why they have none."""
    probe = F.udf(version_of_package, "string")
    try:
        return str(spark.range(0, 1, 1, 1).select(probe()).collect()[0][0])
    except PySparkException as error:
        lines = [line.strip() for line in str(error).splitlines() if "Error: " in line]
        missing = [line for line in lines if "ModuleNotFoundError" in line or "ImportError" in line]
        if not missing:
            raise
        return missing[-1].removesuffix(".") + "."


def _packed() -> Path:
    """Return the package as a zip file. It stays until Python ends, because tasks fetch it."""
    top = Path(__file__).parents[1]
    if not top.is_dir():
        # imported from a zip file
        return top.parent
    folder = tempfile.mkdtemp(prefix="chronosketch-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = Path(folder) / "chronosketch.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(top.rglob("*")):
            inside = file.relative_to(top)
            if file.is_file() and "__pycache__" not in inside.parts:
                packed.write(file, Path("chronosketch") / inside)
    return archive
