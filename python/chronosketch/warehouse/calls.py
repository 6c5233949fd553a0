"""Call stored procedures of the chronosketch catalog in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

# The setting that declares the catalog of procedures, and the class that implements it.
CATALOG = "spark.sql.catalog.chronosketch"
CATALOG_CLASS = "chronosketch.spark.warehouse.call.WarehouseCatalog"


def call(spark: SparkSession, procedure: str, **arguments: str | None) -> list[Row]:
    """Call a procedure of the catalog. Arguments that are None are left out."""
    # A session that used `attach`, or whose server someone else started, has not configured the catalog yet.
    if spark.conf.get(CATALOG, None) is None:
        spark.conf.set(CATALOG, CATALOG_CLASS)
    given = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
    return spark.sql(f"CALL chronosketch.`{procedure}`({given})").collect()


def number(value: Any) -> str:
    """Write a number as a SQL literal."""
    return repr(value) if isinstance(value, int) else repr(float(value))
