"""Writes a class-data archive of the classes that Spark loads: python make/archive.py FILE.

A JVM with `-XX:SharedArchiveFile=FILE` starts in half the time. If the file does not fit its Java or its
jars, the JVM ignores it.
"""

import os
import sys
from pathlib import Path


def main(file: Path) -> None:
    """Start Spark, run a small query, and let its JVM write the archive on exit."""
    made = file.with_suffix(".new")
    options = ("+IgnoreUnrecognizedVMOptions", "TieredStopAtLevel=1", f"ArchiveClassesAtExit={made}")
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join(f"-XX:{option}" for option in options)
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    # one query is enough: classes of further queries take longer to archive than to load
    spark.sql("SELECT id % 7 AS k, percentile(id, 0.5) FROM range(100) GROUP BY k ORDER BY k").collect()
    spark.stop()
    jvm = SparkContext._gateway.proc
    jvm.stdin.close()
    jvm.wait()
    # a JVM other than HotSpot may write no archive: then the file is empty
    made.touch()
    made.rename(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
