"""Archives the classes that Spark loads, so that the next starts map them: python make/archive.py FILE.

A JVM with `-XX:SharedArchiveFile=FILE` starts in half the time. Where the file does not fit its Java or its
jars, it goes without.
"""

import os
import sys
from pathlib import Path


def main(file: Path) -> None:
    """Start Spark, ask it a little, and let its JVM write the archive when it ends."""
    made = file.with_suffix(".new")
    options = ("+IgnoreUnrecognizedVMOptions", "TieredStopAtLevel=1", f"ArchiveClassesAtExit={made}")
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join(f"-XX:{option}" for option in options)
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    # no more than this: what a query more would load takes longer to archive than to load
    spark.sql("SELECT id % 7 AS k, percentile(id, 0.5) FROM range(100) GROUP BY k ORDER BY k").collect()
    spark.stop()
    jvm = SparkContext._gateway.proc
    jvm.stdin.close()
    jvm.wait()
    # another JVM than HotSpot may make none
    made.touch()
    made.rename(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
