"""Starts sessions with Spark's defaults, and reads the SQL metrics of their last query."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chronosketch as cs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyspark.sql import SparkSession


# Our aggregates run in our own operator unless this is false. Older jars without the operator ignore it.
OWN_OPERATOR = "spark.chronosketch.aggregate.enabled"


_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # by default, each state of a small table's log takes 50 tasks, which would be measured, too
    "spark.databricks.delta.snapshotPartitions": "1",
}


def start(
    folder: str, driver_memory: str, conf: Mapping[str, str] | None = None, *, delta: bool = False
) -> SparkSession:
    """Start a classic session on two cores that stores and spills into the folder, optionally with Delta Lake."""
    builder = cs.session("benchmark").master("local[2]")
    settings = {
        "spark.driver.memory": driver_memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        **(_DELTA if delta else {}),
        **(conf or {}),
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    if delta:
        from delta import configure_spark_with_delta_pip

        builder = configure_spark_with_delta_pip(builder)
    return builder.getOrCreate()


# The first is in the names of Spark's operators; ours may have only one of the others.
_AGGREGATING = ("aggregate", "sketch", "quantile", "window")
_UNITS = {"B": 0, "KiB": 1, "MiB": 2, "GiB": 3, "TiB": 4}


@dataclass(frozen=True)
class Node:
    """A node of an executed plan.

    Attributes
    ----------
    name : str
        The name of the operator in Spark.
    metrics : dict
        The value of each metric as text. If several tasks have one, Spark writes the total first, and then the
        minimum, median and maximum over tasks.
    """

    name: str
    metrics: dict[str, str] = field(default_factory=dict)


def last_plan(spark: SparkSession) -> list[Node]:
    """Return the nodes of the query that ended last.

    It reads the store of the SQL page and not the plan: a write wraps the plan of its query in another one, which
    is the one that ran. The store exists even without the page.
    """
    assert spark.sparkContext._jsc is not None
    # The store is updated through the listener bus, which may lag behind.
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    store = spark._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    last = max(executions.apply(i).executionId() for i in range(executions.size()))
    values = store.executionMetrics(last)
    nodes = store.planGraph(last).allNodes()
    return [_node(nodes.apply(i), values) for i in range(nodes.size())]


def aggregates(nodes: list[Node]) -> list[str]:
    """Return the names of the aggregating operators, without duplicates, in the order of the plan."""
    return list(dict.fromkeys(node.name for node in nodes if _has(node.name, _AGGREGATING)))


def chosen(nodes: list[Node], words: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the metrics whose names contain one of the words, by node. Nodes of equal names are numbered."""
    kept: dict[str, dict[str, str]] = {}
    for node in nodes:
        metrics = {name: _short(value) for name, value in node.metrics.items() if _has(name, words)}
        if metrics:
            same = sum(name.split(" #")[0] == node.name for name in kept)
            kept[f"{node.name} #{same + 1}" if same else node.name] = metrics
    return kept


def peak_memory(nodes: list[Node]) -> str | None:
    """Return the peak memory, summed over tasks, of the node with the largest; None if no node reports it."""
    totals = [
        _total(value) for node in nodes for name, value in node.metrics.items() if _has(name, ["peak memory"])
    ]
    return max(totals, key=_bytes, default=None)


def _node(node: object, values: object) -> Node:
    metrics = node.metrics()  # type: ignore[attr-defined]
    found = {}
    for metric in (metrics.apply(i) for i in range(metrics.size())):
        value = values.get(metric.accumulatorId())  # type: ignore[attr-defined]
        if value.isDefined():
            found[str(metric.name())] = str(value.get())
    return Node(str(node.name()), found)  # type: ignore[attr-defined]


def _has(name: str, words: Collection[str]) -> bool:
    return any(word in name.lower() for word in words)


def _short(value: str) -> str:
    # The line "total (min, med, max (stageId: taskId))" is the same everywhere, and the task ids are of no
    # interest.
    return re.sub(r" \(stage [^)]*\)", "", value.splitlines()[-1])


def _total(value: str) -> str:
    return _short(value).split(" (")[0]


def _bytes(size: str) -> float:
    amount, unit = size.replace(",", "").split()
    return float(amount) * 1024.0 ** _UNITS[unit]
