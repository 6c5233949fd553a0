"""Warehouses: sorted rows in a folder. Quantiles are answered from summaries and a few of the rows.

>>> w = cs.warehouse.create(spark, "/data/latencies", value="latency", by=["service"])  # doctest: +SKIP
"""

from chronosketch.warehouse.opening import create, open  # noqa: A004
from chronosketch.warehouse.queries import Appended, Deleted, Ended, Replaced, Window
from chronosketch.warehouse.warehouse import Warehouse

__all__ = ["Appended", "Deleted", "Ended", "Replaced", "Warehouse", "Window", "create", "open"]
