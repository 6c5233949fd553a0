"""Keep a live table of p50, p99 and p999 of the last minute, for each host, and draw it.

The table changes every ten seconds. Requests stream in from files. With ``--kafka SERVERS --topic TOPIC``
they come from Kafka, as JSON. For that, Spark needs the package
``org.apache.spark:spark-sql-kafka-0-10_2.13`` in ``spark.jars.packages``.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import chronosketch as cs
from chronosketch import functions as cf
from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from chronosketch.demo import Theme
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

UPDATES = "dashboard_updates"
PHIS = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
SCHEMA = "host STRING, ts TIMESTAMP, latency_ms DOUBLE"
# Hopping windows keep panes in the state store. Update mode needs RocksDB for that.
STATE = (
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
)


def arrive(spark: SparkSession, minute: int, path: str) -> None:
    """Write a minute of requests: 18 000 on three hosts. One host is slow in minutes three and four."""
    second = F.col("id") / 300 + 60 * minute
    slow = (F.col("id") % 3 == 0) & F.lit(minute in (2, 3))
    requests = spark.range(18_000).select(
        F.concat(F.lit("web-"), F.col("id") % 3).alias("host"),
        F.timestamp_seconds(F.lit(1_767_225_600) + second).alias("ts"),
        (F.exp(F.randn(minute)) * F.when(slow, 60).otherwise(20)).alias("latency_ms"),
    )
    requests.coalesce(1).write.mode("append").parquet(path)


def from_files(spark: SparkSession, path: str) -> DataFrame:
    """Return the stream of requests in a folder."""
    return spark.readStream.schema(SCHEMA).parquet(path)


def from_kafka(spark: SparkSession, servers: str, topic: str) -> DataFrame:
    """Return the stream of requests in a Kafka topic. Each message is a JSON object."""
    stream = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    request = F.from_json(F.col("value").cast("string"), SCHEMA)
    return stream.option("subscribe", topic).load().select(request.alias("r")).select("r.*")


def keep_dashboard(requests: DataFrame) -> StreamingQuery:
    """Write each window again when it has changed, until it is ten seconds old."""
    windows = cs.hopping(
        requests.withWatermark("ts", "10 seconds"),
        "ts",
        "1 minute",
        "10 seconds",
        by=["host"],
        aggs=[cf.approx_quantile("latency_ms", list(PHIS.values())).alias("q"), F.count("*").alias("n")],
    )
    return windows.writeStream.outputMode("update").format("memory").queryName(UPDATES).start()


def dashboard(spark: SparkSession) -> DataFrame:
    """Return the last update of each window: the one with the most requests."""
    latest = (
        spark.table(UPDATES)
        .groupBy("host", "window")
        .agg(F.max_by("q", "n").alias("q"), F.max("n").alias("n"))
    )
    quantiles = [F.col("q")[i].alias(name) for i, name in enumerate(PHIS)]
    return latest.select("host", F.col("window.end").alias("until"), "n", *quantiles).orderBy("until", "host")


def draw(table: DataFrame, folder: Path) -> list[Path]:
    """Draw the table, one picture for each theme."""
    rows = table.toPandas()
    return [_draw(rows, theme, folder / f"dashboard-{theme.name}.png") for theme in THEMES]


def _draw(rows, theme: Theme, file: Path) -> Path:
    figure = Figure(figsize=(9, 3.4), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    hosts = list(rows.groupby("host"))
    panels = figure.subplots(1, len(hosts), sharey=True, squeeze=False)[0]
    for axes, (host, of_host) in zip(panels, hosts, strict=True):
        axes.set_facecolor(theme.page)
        minutes = (of_host["until"] - rows["until"].min()).dt.total_seconds() / 60
        for name, colour in zip(PHIS, theme.lines, strict=True):
            axes.plot(minutes, of_host[name], color=colour, linewidth=1.6, label=name)
        axes.set_yscale("log")
        axes.set_title(host, color=theme.ink, fontsize=11, loc="left")
        axes.set_xlabel("minutes", color=theme.ink)
        dress(axes, theme)
    panels[0].set_ylabel("latency of the last minute, ms", color=theme.ink)
    panels[-1].legend(frameon=False, labelcolor=theme.ink, fontsize=9)
    figure.savefig(file, metadata={"Software": None})
    return file


def main() -> None:
    """Run the example: ten minutes of requests, made up or from Kafka."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kafka", metavar="SERVERS")
    parser.add_argument("--topic", default="requests")
    options = parser.parse_args()
    spark = cs.session("live dashboard").config(*STATE).getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        if options.kafka:
            stream = keep_dashboard(from_kafka(spark, options.kafka, options.topic))
        else:
            arrive(spark, 0, folder)
            stream = keep_dashboard(from_files(spark, folder))
        try:
            for minute in range(1, 10):
                if options.kafka:
                    sleep(60)
                else:
                    arrive(spark, minute, folder)
                    stream.processAllAvailable()
                dashboard(spark).orderBy(F.desc("until"), "host").show(6, truncate=False)
        finally:
            stream.stop()
    for file in draw(dashboard(spark), Path()):
        print(f"wrote {file}")


if __name__ == "__main__":
    main()
