"""The SQL metrics of a query that has just run, as Spark's own SQL page would show them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql import SparkSession

# Spark's operators have the first in their names; one of ours may have only the others.
_AGGREGATING = ("aggregate", "sketch", "quantile", "window")
_UNITS = {"B": 0, "KiB": 1, "MiB": 2, "GiB": 3, "TiB": 4}


@dataclass(frozen=True)
class Node:
    """A node of an executed plan.

    Attributes
    ----------
    name : str
        The operator, as Spark calls it.
    metrics : dict
        Of each metric its value as text. Where several tasks have one, Spark writes the total first and the
        least, middle and greatest task after it.
    """

    name: str
    metrics: dict[str, str] = field(default_factory=dict)


def last_plan(spark: SparkSession) -> list[Node]:
    """Return the nodes of the query that ended last.

    The store of the SQL page is asked and not the plan: a write wraps the plan of its query in another one,
    and it is that one which ran. The store is there without the page too.
    """
    assert spark.sparkContext._jsc is not None
    # The store hears of a query through the bus, which may lag behind.
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    store = spark._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    last = max(executions.apply(i).executionId() for i in range(executions.size()))
    values = store.executionMetrics(last)
    nodes = store.planGraph(last).allNodes()
    return [_node(nodes.apply(i), values) for i in range(nodes.size())]


def aggregates(nodes: list[Node]) -> list[str]:
    """Name the operators that aggregate, each once, in the order of the plan."""
    return list(dict.fromkeys(node.name for node in nodes if _has(node.name, _AGGREGATING)))


def chosen(nodes: list[Node], words: Collection[str]) -> dict[str, dict[str, str]]:
    """Keep the metrics that have one of some words in their names; of like nodes the second has a number."""
    kept: dict[str, dict[str, str]] = {}
    for node in nodes:
        metrics = {name: _short(value) for name, value in node.metrics.items() if _has(name, words)}
        if metrics:
            same = sum(name.split(" #")[0] == node.name for name in kept)
            kept[f"{node.name} #{same + 1}" if same else node.name] = metrics
    return kept


def peak_memory(nodes: list[Node]) -> str | None:
    """Return the total over tasks of the node that held most, or nothing where no node says."""
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
    # "total (min, med, max (stageId: taskId))" is a line of its own, the same everywhere; which task it was
    # tells nothing once it is over.
    return re.sub(r" \(stage [^)]*\)", "", value.splitlines()[-1])


def _total(value: str) -> str:
    return _short(value).split(" (")[0]


def _bytes(size: str) -> float:
    amount, unit = size.replace(",", "").split()
    return float(amount) * 1024.0 ** _UNITS[unit]
